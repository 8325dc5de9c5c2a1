//! Whether the bench works, at a size whose figures mean nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The server's program, which a run of all tests builds beside the bench.
fn server() -> PathBuf {
    let server = Path::new(env!("CARGO_BIN_EXE_sluicegate-bench")).with_file_name("sluicegate");
    assert!(
        server.is_file(),
        "build {} first: cargo build --bin sluicegate, as these tests are built",
        server.display()
    );
    server
}

#[test]
fn every_workload_ends_and_is_reported() {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory");
    let report = place.path().join("report.md");
    let mut bench = Command::new(env!("CARGO_BIN_EXE_sluicegate-bench"));
    bench.arg("--tiny").arg("--peers").arg("--server").arg(server());
    bench.arg("--place").arg(place.path()).arg("--write").arg(&report);
    let output = bench.output().expect("the bench starts");
    let (told, complaints) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{told}\n{complaints}");
    let report = std::fs::read_to_string(report).expect("a report");
    for heading in ["## Where", "## Lines", "## Beside other servers", "## Figures", "## Spread", "## Workloads"] {
        assert!(report.contains(heading), "no {heading} in\n{report}");
    }
    for workload in 'a'..='n' {
        assert!(report.contains(&format!("| {workload}: ")), "no case of workload {workload} in\n{report}");
    }
    for peer in ["beanstalkd", "bullmq"] {
        let is_skipped = report.contains(&format!("- **{peer}**: skipped, since "));
        for work in ["a: 1 callers", "a: 64 callers", "c: whole cycle", "e: 1000 a second"] {
            let is_measured = report.contains(&format!("| {work}, {peer} "));
            assert!(is_measured != is_skipped, "{work} on {peer} in\n{report}");
        }
    }
}
