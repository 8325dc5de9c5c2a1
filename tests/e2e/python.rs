//! A client from elsewhere: Python code that grpcio-tools generates from the contract.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::server::Server;
use crate::tools::{missing, protos, tool};

#[tokio::test]
async fn a_generated_python_client_works_unchanged() {
    let Some(python) = tool("PYTHON", "python3") else { return };
    let probe = Command::new(&python).args(["-c", "import grpc_tools.protoc, grpc"]).output().expect("python starts");
    if !probe.status.success() {
        return missing("grpcio-tools isn't installed for python3; PYTHON names another one");
    }
    let server = Server::start().await;
    let generated = server.dir().join("generated");
    generate(&python, &generated);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/python_client.py");
    let mut command = tokio::process::Command::new(&python);
    command.arg(script).arg(server.address().to_string()).env("PYTHONPATH", &generated).kill_on_drop(true);
    let output = crate::support::within("the script's end", command.output()).await.expect("python starts");
    let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{complained}");
    assert_eq!(said.trim(), "5 jobs done");
}

fn generate(python: &Path, into: &Path) {
    fs::create_dir(into).expect("a folder");
    let root = protos();
    let mut files: Vec<PathBuf> = fs::read_dir(root.join("sluicegate/v1"))
        .expect("the contract")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "proto"))
        .collect();
    files.sort();
    let mut command = Command::new(python);
    command.args(["-m", "grpc_tools.protoc"]).arg("-I").arg(&root);
    command.arg(format!("--python_out={}", into.display())).arg(format!("--grpc_python_out={}", into.display()));
    let output = command.args(files).output().expect("python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
