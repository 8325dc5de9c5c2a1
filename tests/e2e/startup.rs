//! What keeps a server from starting, and that it says so: with the cause, and a code that isn't 0.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::support::calls::while_in_flight;
use crate::support::server::{Server, ended, program};
use crate::support::until;

/// How a server that can't start ends: its exit code, and what it says.
async fn refused(flags: &[&str]) -> (Option<i32>, String) {
    let log = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a file");
    let output = log.reopen().expect("a file");
    let mut command = program();
    command.arg("serve").args(flags).stdin(Stdio::null()).stdout(Stdio::null()).stderr(output);
    let mut child = command.spawn().expect("the program starts");
    let status = ended(&mut child).await;
    (status.code(), fs::read_to_string(log.path()).expect("what it said"))
}

#[tokio::test]
async fn one_server_has_a_store_at_a_time() {
    let server = Server::start().await;
    let data = server.data();
    let data = data.to_str().expect("a path");
    let (code, said) = refused(&["--listen=127.0.0.1:0", "--data", data]).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains(data), "{said}");
    let mut calls = server.calls().await;
    calls.assert_serving().await;
    calls.create_budget("b", while_in_flight(1)).await;
}

#[tokio::test]
async fn an_address_that_is_taken_is_named() {
    let server = Server::start().await;
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let data = dir.path().join("data");
    let listen = server.address().to_string();
    let (code, said) = refused(&["--listen", &listen, "--data", data.to_str().expect("a path")]).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains(&listen) && said.contains("another program"), "{said}");
    assert!(!data.exists(), "a refused bind leaves nothing behind");
}

#[tokio::test]
async fn what_others_can_reach_needs_to_be_asked_for() {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let data = dir.path().join("data");
    let data = data.to_str().expect("a path");
    for listen in ["0.0.0.0:0", "[::]:0"] {
        let (code, said) = refused(&["--listen", listen, "--data", data]).await;
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("--insecure"), "{said}");
    }
    for flags in [&["--listen=localhost"][..], &["--max-budgets=0"], &["--no-such-flag"], &["--log=a=loud"]] {
        let (code, said) = refused(flags).await;
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(flags[0].split('=').next().expect("a flag")), "{said}");
    }
}

#[tokio::test]
async fn a_corrupt_store_is_named_and_left_alone() {
    let mut server = Server::start().await;
    server.calls().await.create_budget("b", while_in_flight(1)).await;
    server.kill();
    for name in ["sluicegate.journal2", "sluicegate.journal", "sluicegate.redb"] {
        let file = server.data().join(name);
        let before = fs::read(&file).ok();
        let garbage = vec![0x5a; 100_000];
        fs::write(&file, &garbage).expect("garbage");
        assert_refused(&server, &file).await;
        assert_eq!(fs::read(&file).expect("the file"), garbage, "what may be rescued stays");
        match before {
            Some(bytes) => fs::write(&file, bytes).expect("the file as it was"),
            None => fs::remove_file(&file).expect("no such file"),
        }
    }
}

#[tokio::test]
async fn a_torn_store_is_named_too() {
    let mut server = Server::start().await;
    let mut calls = server.calls().await;
    calls.enqueue_all(vec![crate::support::calls::job_in("q"); 2000]).await;
    server.kill();
    let path = server.data().join("sluicegate.redb");
    let file = fs::OpenOptions::new().write(true).open(&path).expect("the store");
    let bytes = file.metadata().expect("its size").len();
    file.set_len(bytes / 2).expect("a shorter file");
    assert_refused(&server, &path).await;
}

/// A server doesn't start on these files, and says which of them is at fault.
async fn assert_refused(server: &Server, file: &Path) {
    let data = server.data();
    let (code, said) = refused(&["--listen=127.0.0.1:0", "--data", data.to_str().expect("a path")]).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains(&format!("cannot open {}: ", file.display())), "{said}");
    assert!(!said.contains("panicked"), "{said}");
}

#[tokio::test]
async fn a_server_starts_on_what_a_kill_left() {
    let mut server = Server::start().await;
    let mut calls = server.calls().await;
    let ids = calls.enqueue_all(vec![crate::support::calls::job_in("q"); 1000]).await;
    for _ in 0..3 {
        server.crash().await;
        let mut calls = server.calls().await;
        calls.assert_serving().await;
        until("all jobs", async || {
            (calls.count(crate::support::calls::of_queue("q")).await == ids.len() as u64).then_some(())
        })
        .await;
    }
}
