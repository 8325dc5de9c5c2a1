//! A command on a terminal of its own: a person's, as far as it can tell.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;
use std::thread;

use nix::pty::openpty;

use super::cli::{Ended, command};
use crate::support::server::Server;
use crate::support::within;

/// What a question ends with.
const ASKS: &str = "[y/N] ";
/// Ctrl-D: the end of what a terminal says.
pub const END: &str = "\u{4}";

/// Runs a command whose input and errors are a terminal, and types the answer once it asks. `err`: what the screen showed.
pub async fn answering(server: &Server, args: &[&str], answer: &str) -> Ended {
    let pair = openpty(None, None).expect("a terminal");
    let slave = || Stdio::from(pair.slave.try_clone().expect("a descriptor"));
    let mut command = command(server, args);
    command.stdin(slave()).stderr(slave()).stdout(Stdio::piped());
    let child = command.spawn().expect("a start");
    // The screen ends when nobody has the other side any more.
    drop(command);
    drop(pair.slave);
    let (screen, answer) = (File::from(pair.master), answer.to_owned());
    let watcher = thread::spawn(move || watch(screen, &answer));
    let output = within("the command's end", child.wait_with_output()).await.expect("an end");
    let err = watcher.join().expect("the screen is read to its end");
    Ended { code: output.status.code(), out: String::from_utf8(output.stdout).expect("text"), err }
}

fn watch(mut screen: File, answer: &str) -> String {
    let mut seen = Vec::new();
    let mut has_answered = false;
    let mut bytes = [0; 4096];
    // Linux ends it with an error.
    while let Ok(count @ 1..) = screen.read(&mut bytes) {
        seen.extend_from_slice(&bytes[..count]);
        if !has_answered && String::from_utf8_lossy(&seen).ends_with(ASKS) {
            screen.write_all(answer.as_bytes()).expect("an answer can be typed");
            has_answered = true;
        }
    }
    String::from_utf8_lossy(&seen).replace("\r\n", "\n")
}
