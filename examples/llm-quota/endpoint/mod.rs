//! The far side: a model behind HTTP that refuses with 429 what goes beyond its limits. A process of its own.
//!
//! Owns its limits, its judgement and its log. Knows nothing of jobs, budgets or Sluicegate: it judges by what arrives.

mod admission;
mod bucket;
mod http;
pub mod terms;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tokio::net::TcpListener;

pub use admission::{Admission, Limit, Refusal};

/// The first argument of a process that is to be an endpoint.
const ROLE: &str = "serve-as-endpoint";

/// What makes this program an endpoint: so many times as fast as life, with a line for each request in `log`.
pub fn arguments(speed: u32, log: &Path) -> [PathBuf; 3] {
    [ROLE.into(), speed.to_string().into(), log.into()]
}

/// Serves on a free port of loopback, which it prints, if this process was started with [`arguments`]: until its standard
/// input ends, as it does when whoever started it is gone. False if it wasn't.
pub fn serve_if_asked() -> anyhow::Result<bool> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().as_deref() != Some(OsStr::new(ROLE)) {
        return Ok(false);
    }
    let speed = arguments
        .next()
        .and_then(|speed| speed.to_str()?.parse().ok())
        .context("an endpoint needs a speed and a log")?;
    let log = arguments.next().context("an endpoint needs a speed and a log")?;
    serve(speed, Path::new(&log))?;
    Ok(true)
}

#[tokio::main(flavor = "current_thread")]
async fn serve(speed: u32, log: &Path) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let endpoint = http::Endpoint::new(speed, log)?;
    println!("listening on {}", listener.local_addr()?);
    let (mut input, mut nowhere) = (tokio::io::stdin(), tokio::io::sink());
    tokio::select! {
        ended = http::accept(listener, endpoint) => ended,
        ended = tokio::io::copy(&mut input, &mut nowhere) => Ok(ended.map(drop)?),
    }
}
