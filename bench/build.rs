//! Generates the floor's service, and the load's own part of the contract; the whole of it is generated elsewhere.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    tonic_prost_build::configure().compile_fds(protox::compile(["floor.proto"], ["proto"])?)?;
    let lean = protox::compile(["lean.proto"], ["proto"])?;
    tonic_prost_build::configure().bytes(".").build_server(false).compile_fds(lean)?;
    Ok(())
}
