//! Generates the floor's service; the server's own contract is generated elsewhere.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    tonic_prost_build::configure().compile_fds(protox::compile(["floor.proto"], ["proto"])?)?;
    Ok(())
}
