//! Turns the contract in `proto/` into Rust, and into the descriptors that server reflection shows. No `protoc` is needed.

use std::error::Error;
use std::path::{Path, PathBuf};

const PROTO_ROOT: &str = "proto";
const PACKAGE: &str = "proto/sluicegate/v1";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={PROTO_ROOT}");

    let mut compiler = protox::Compiler::new([PROTO_ROOT])?;
    compiler.include_imports(true).include_source_info(true);
    compiler.open_files(proto_files(Path::new(PACKAGE))?)?;

    let out_dir = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out_dir.join("sluicegate_descriptor.bin"), compiler.encode_file_descriptor_set())?;

    // `bytes` fields stay `Vec<u8>`: they are copied out of the decode buffer, so that a small payload that is kept
    // doesn't keep a large buffer alive.
    tonic_prost_build::configure()
        .build_client(false)
        .codec_path("crate::api::codec::LeanCodec")
        .btree_map(".sluicegate.v1.JobSpec.metadata")
        .compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}

/// The package's files, in the order of their names, so that builds repeat.
fn proto_files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "proto") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
