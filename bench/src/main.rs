//! Measures a Sluicegate server, in the same run as the floors that it stands on: the disk, gRPC, the store.
//!
//! Figures of one machine at one time say little; their ratios to the floors do. All is run in rounds, floors and workloads
//! in turn, and told by medians and by how far the rounds were apart.

mod floors;
mod lines;
mod load;
mod machine;
mod measured;
mod meter;
mod process;
mod report;
mod results;
mod stock;
mod wire;
mod workloads;

use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::runtime::Builder;
use tokio::task::LocalSet;

use crate::results::Results;
use crate::workloads::{ALL, Bench, Size, Workload};

/// As the server has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures a server beside the floors that it stands on
///
/// Starts a server of its own for every workload, on an empty store, and puts load on it over gRPC from this process, which uses
/// one thread. Prints every figure, and each ratio that the project holds itself to.
#[derive(Parser)]
#[command(bin_name = "cargo xtask bench", max_term_width = 100)]
struct Cli {
    /// The server's program [default: sluicegate, beside this program]
    #[arg(long, value_name = "PATH")]
    server: Option<PathBuf>,

    /// Where data is kept meanwhile: the disk that is measured
    #[arg(long, value_name = "DIR", default_value = "target/bench")]
    place: PathBuf,

    /// About two minutes, with fewer jobs and shorter spans
    #[arg(long, conflicts_with = "tiny")]
    quick: bool,

    /// A few seconds, whose figures mean nothing: whether it works at all
    #[arg(long, hide = true)]
    tiny: bool,

    /// How often everything is run [default: 3; 1 with --quick]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: Option<u32>,

    /// How long the steady churn goes on [default: 3min; 10s with --quick]
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    churn: Option<Duration>,

    /// Only these workloads, by their letters: a,c,disk. Lines whose figures are missing are left out
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,

    /// Writes the report to this file, as Markdown
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Serves the floor of gRPC
    #[command(name = floors::grpc::COMMAND, hide = true)]
    Floor,
}

fn main() -> Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    if env::args().nth(1).as_deref() == Some(floors::grpc::COMMAND) {
        return runtime.block_on(floors::grpc::serve());
    }
    let cli = Cli::parse();
    LocalSet::new().block_on(&runtime, bench(&cli))
}

async fn bench(cli: &Cli) -> Result<()> {
    let mut size = match cli {
        Cli { tiny: true, .. } => Size::TINY,
        Cli { quick: true, .. } => Size::QUICK,
        _ => Size::FULL,
    };
    size.churn = cli.churn.unwrap_or(size.churn);
    let rounds = cli.rounds.unwrap_or(if cli.quick || cli.tiny { 1 } else { 3 });
    let chosen = chosen(&cli.only)?;
    fs::create_dir_all(&cli.place).with_context(|| format!("cannot make {}", cli.place.display()))?;
    let bench = Bench { program: program(cli)?, place: cli.place.clone(), size };
    let progress = ProgressBar::new(u64::from(rounds) * chosen.len() as u64)
        .with_style(ProgressStyle::with_template("{elapsed_precise} {wide_bar} {pos}/{len} {msg}")?);
    let mut results = Results::new(!(cli.quick || cli.tiny));
    for _ in 0..rounds {
        for workload in &chosen {
            progress.set_message(workload.name);
            if progress.is_hidden() {
                eprintln!("{}: {}", workload.name, workload.what);
            }
            let cases = workload.run(&bench, &results).await;
            for (case, run) in cases.with_context(|| format!("workload {}", workload.name))? {
                results.add(&case, run);
            }
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    print!("{}", report::terminal(&results));
    if let Some(path) = &cli.write {
        fs::write(path, report::markdown(&results, rounds))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn program(cli: &Cli) -> Result<PathBuf> {
    let program = match &cli.server {
        Some(path) => path.clone(),
        None => env::current_exe()?.with_file_name("sluicegate"),
    };
    ensure!(program.is_file(), "no server in {}: `cargo build --release` makes it", program.display());
    Ok(program)
}

fn chosen(only: &[String]) -> Result<Vec<&'static Workload>> {
    for name in only {
        let names = || ALL.iter().map(|workload| workload.name).collect::<Vec<_>>().join(", ");
        ensure!(ALL.iter().any(|workload| workload.name == name), "no workload {name}; there are {}", names());
    }
    Ok(ALL.iter().filter(|workload| only.is_empty() || only.iter().any(|name| name == workload.name)).collect())
}
