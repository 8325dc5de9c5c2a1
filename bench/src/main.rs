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
mod peers;
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

use crate::peers::Peer;
use crate::results::Results;
use crate::workloads::{ALL, Bench, Cases, Size, Workload};

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

    /// Only these workloads, by their letters, and peers, by their names: a,c,disk,beanstalkd. Lines whose figures are missing
    /// are left out
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,

    /// With --quick, too: puts part of the work on other job servers, its peers, as well
    ///
    /// beanstalkd, and BullMQ on redis, are looked for on PATH (`apt-get install beanstalkd redis-server`; BullMQ needs node as
    /// well, and --bullmq). They are started with the same durability as ours: what is answered is synced. One that isn't there
    /// is skipped, and the report says why.
    #[arg(long)]
    peers: bool,

    /// The directory in which `npm install bullmq ioredis` was run
    #[arg(long, value_name = "DIR", env = peers::BULLMQ_VARIABLE)]
    bullmq: Option<PathBuf>,

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
    let (chosen, peers) = (chosen(&cli.only)?, chosen_peers(cli));
    fs::create_dir_all(&cli.place).with_context(|| format!("cannot make {}", cli.place.display()))?;
    let bench = Bench { program: program(cli)?, place: cli.place.clone(), size };
    let progress = ProgressBar::new(u64::from(rounds) * (chosen.len() + peers.len()) as u64)
        .with_style(ProgressStyle::with_template("{elapsed_precise} {wide_bar} {pos}/{len} {msg}")?);
    let mut results = Results::new(!(cli.quick || cli.tiny));
    for _ in 0..rounds {
        for workload in &chosen {
            show(&progress, workload.name, workload.what);
            let cases = workload.run(&bench, &results).await;
            add(&mut results, cases.with_context(|| format!("workload {}", workload.name))?);
            progress.inc(1);
        }
        for peer in &peers {
            show(&progress, peer.name(), "part of the same work on another server");
            let cases = peer.run(&bench).await;
            add(&mut results, cases.with_context(|| format!("peer {}", peer.name()))?);
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    print!("{}", report::terminal(&results, &peers));
    if let Some(path) = &cli.write {
        fs::write(path, report::markdown(&results, &peers, rounds))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn show(progress: &ProgressBar, name: &'static str, what: &str) {
    progress.set_message(name);
    if progress.is_hidden() {
        eprintln!("{name}: {what}");
    }
}

fn add(results: &mut Results, cases: Cases) {
    for (case, run) in cases {
        results.add(&case, run);
    }
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
        let known = || ALL.iter().map(|workload| workload.name).chain(peers::NAMES);
        let list = || known().collect::<Vec<_>>().join(", ");
        ensure!(known().any(|known| known == name), "no workload or peer {name}; there are {}", list());
    }
    Ok(ALL.iter().filter(|workload| only.is_empty() || only.iter().any(|name| name == workload.name)).collect())
}

/// Those that are named or, where nothing is, all that this size has.
fn chosen_peers(cli: &Cli) -> Vec<Peer> {
    let all = cli.peers || cli.only.is_empty() && !(cli.quick || cli.tiny);
    let chosen = peers::NAMES.into_iter().filter(|name| all || cli.only.iter().any(|only| only == name));
    chosen.map(|name| Peer::find(name, cli.bullmq.as_deref())).collect()
}
