//! The Rust runner of the conformance harness: reads commands from its input, a JSON object a line, does them over the public
//! API of the client, and writes answers and events to its output.
//!
//! The protocol is described in `clients/conformance/README.md`. Ends when its input does.

mod answer;
mod bindings;
mod budgets;
mod command;
mod failure;
mod handler;
mod jobs;
mod leases;
mod output;
mod request;
mod resources;
mod workers;

use std::error::Error;
use std::io::stdin;
use std::process::exit;
use std::sync::Arc;
use std::thread;

use serde_json::Value;
use sluicegate_client::Client;
use tokio::sync::mpsc;

use command::Command;
use failure::Failure;
use output::Output;
use workers::Workers;

/// What commands work with.
pub(crate) struct Runner {
    pub client: Client,
    pub workers: Workers,
    pub output: Output,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = match (arguments.next().as_deref(), arguments.next(), arguments.next()) {
        (Some("--address"), Some(address), None) => address,
        _ => return Err("usage: conformance-rust --address IP:PORT".into()),
    };
    let client = Client::connect_lazy(format!("http://{address}"))?;
    let runner = Arc::new(Runner { client, workers: Workers::default(), output: Output::start() });
    let mut lines = input();
    while let Some(line) = lines.recv().await {
        let line: Value = serde_json::from_str(&line)?;
        let runner = Arc::clone(&runner);
        tokio::spawn(async move {
            let id = line["id"].clone();
            let answer = match Command::read(line) {
                Ok(command) => command.run(&runner).await,
                Err(failure) => Err(failure),
            };
            runner.output.answer(&id, answer.map_err(Failure::into_json));
        });
    }
    exit(0)
}

/// The lines of the input, by a thread of their own: a read from it can't be given up.
fn input() -> mpsc::UnboundedReceiver<String> {
    let (lines, received) = mpsc::unbounded_channel();
    thread::spawn(move || {
        for line in stdin().lines().map_while(Result::ok) {
            if lines.send(line).is_err() {
                return;
            }
        }
    });
    received
}
