//! What this process uses, by Linux's own account of it.

use std::fs;

use serde::Deserialize;
use serde_json::json;
use tokio::runtime::Handle;

use crate::failure::{Answer, Failure};

#[derive(Deserialize)]
pub(crate) struct Resources {}

impl Resources {
    pub fn run(self) -> Answer {
        let status = fs::read_to_string("/proc/self/status").map_err(unknown)?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let open_files = fs::read_dir("/proc/self/fd").map_err(unknown)?.count();
        Ok(json!({
            "threads": field("Threads:"),
            "tasks": Handle::current().metrics().num_alive_tasks(),
            "memoryBytes": field("VmRSS:").map(|kib| kib << 10),
            "openFiles": open_files,
        }))
    }
}

fn unknown(error: std::io::Error) -> Failure {
    Failure::Unsupported(format!("/proc can't be read: {error}"))
}
