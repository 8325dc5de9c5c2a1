//! The machine on which it was measured, in a line.

use std::thread;

use procfs::{CpuInfo, Current, KernelVersion};

/// Processors, memory and kernel.
pub fn description() -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let model = CpuInfo::current().ok().and_then(|cpus| cpus.model_name(0).map(str::to_owned));
    let memory = procfs::Meminfo::current().map_or(0, |memory| memory.mem_total >> 30);
    let kernel = KernelVersion::current().map_or_else(
        |_| "an unknown kernel".to_owned(),
        |kernel| format!("Linux {}.{}.{}", kernel.major, kernel.minor, kernel.patch),
    );
    format!("{cores} cores ({}), {memory} GiB, {kernel}", model.as_deref().unwrap_or("an unknown processor"))
}
