//! One run: a site with limits, budgets that match them, a job for each file, and two workers that would go far faster.

mod figures;
mod gate;
mod site;
mod wait;

use std::fmt::{self, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::ValueEnum;

pub use figures::Figures;
use gate::{Gate, Worker};
use site::Site;
pub use site::{Page, pages};

const QUEUE: &str = "fetch";
const RATE_BUDGET: &str = "site/rate";
const CONNECTIONS_BUDGET: &str = "site/connections";
/// The most tokens that the budget for the rate may hold. The site serves 11 requests at once after a rest. Up to 4 fetches
/// are dispatched and haven't arrived yet, however long they take: so 7 more may be dispatched at an instant, at any load of
/// this machine. One less leaves 20 ms for the coarse clock of nginx.
const RATE_BURST: u32 = 6;
const WORKERS: usize = 2;
/// Jobs that a worker would do at once: far more than the site allows.
const WINDOW: &str = "64";
/// How often the server is killed where it is.
const KILLS: usize = 9;
/// How long a step may take that isn't bound by the site's rate.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a run shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Nothing is refused, and the rate is used
    WithBudgets,
    /// What the site refuses when nothing holds the workers back
    WithoutBudgets,
    /// With budgets, and the server is killed and restarted, again and again
    #[value(name = "kill-9")]
    Kill9,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_possible_value().expect("no mode is skipped").get_name())
    }
}

/// What is to be run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How.
    pub mode: Mode,
    /// The folder that the site serves.
    pub folder: PathBuf,
    /// How many of its files are fetched.
    pub files: usize,
    /// The `sluicegate` program.
    pub sluicegate: PathBuf,
}

/// What a run needs besides `sluicegate`, and isn't there.
pub fn missing_tool() -> Option<&'static Path> {
    let is_missing = |tool: &Path, argument: &str| {
        Command::new(tool).arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status().is_err()
    };
    let tools = [(site::nginx(), "-v"), (Path::new("curl"), "--version")];
    tools.into_iter().find(|(tool, argument)| is_missing(tool, argument)).map(|(tool, _)| tool)
}

/// Runs the plan with all files of its processes in `dir`, and returns what it came to.
///
/// # Errors
/// Something couldn't be started, ended by itself, or took far too long. That the run doesn't show what it should isn't one:
/// [`Figures::missed`] says so.
pub async fn run(plan: &Plan, dir: &Path) -> anyhow::Result<Figures> {
    if let Some(tool) = missing_tool() {
        bail!("{} is needed, and isn't there", tool.display());
    }
    let at_the_rate = Duration::from_secs(plan.files as u64 / u64::from(site::RATE_PER_S));
    let limit = at_the_rate * 2 + Duration::from_secs(60);
    let run = tokio::time::timeout(limit, run_unbounded(plan, dir)).await;
    run.with_context(|| format!("not done after {limit:?}"))?
}

async fn run_unbounded(plan: &Plan, dir: &Path) -> anyhow::Result<Figures> {
    let folder = plan.folder.canonicalize().with_context(|| format!("cannot serve {}", plan.folder.display()))?;
    let pages = pages(&folder, plan.files)?;
    let [site_port, gate_port] = free_ports()?;
    let mut site = Site::start(dir, &folder, site_port).await?;
    let mut gate = Gate::start(&plan.sluicegate, dir, gate_port).await?;

    let [allocation, burst, connections] = [site::RATE_PER_S, RATE_BURST, site::CONNECTIONS].map(|n| n.to_string());
    let rate = ["--allocation", &allocation, "--per", "1s", "--burst", &burst];
    gate.call(&[&["budget", "create", RATE_BUDGET], &rate[..]].concat()).await?;
    gate.call(&["budget", "create", CONNECTIONS_BUDGET, "--allocation", &connections]).await?;
    gate.call_with_input(&["enqueue", "--queue", QUEUE, "--file", "-"], &job_lines(plan.mode, &site, &pages)).await?;

    let fetch = ["curl", "--silent", "--show-error", "--fail", "--noproxy", "*", "--output", "/dev/null", "{url}"];
    let mut workers = (1..=WORKERS)
        .map(|number| gate.work(&format!("worker-{number}"), QUEUE, WINDOW, &fetch))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let kills = if plan.mode == Mode::Kill9 { KILLS } else { 0 };
    for kill in 1..=kills {
        answers(pages.len() * kill / (KILLS + 1), &mut site, &mut gate, &mut workers).await?;
        gate.kill_and_restart().await?;
    }
    answers(pages.len(), &mut site, &mut gate, &mut workers).await?;
    wait::until(PATIENCE, "no job is left", async || {
        let unfinished = format!("queue={QUEUE} state=scheduled,ready,in_flight");
        Ok(gate.call(&["job", "count", "--where", &unfinished]).await?.trim() == "0")
    })
    .await?;
    for worker in &mut workers {
        worker.stop().await?;
    }
    gate.stop().await?;
    site.stop().await?;
    Figures::read(plan.mode, &pages, &site.access_log()?)
}

/// A line a job, as `sluicegate enqueue --file` reads them. Without budgets a fetch isn't repeated: the first refusal is the
/// end of its job, or the workers would keep on knocking for as long as the backoff of a thousand jobs takes.
fn job_lines(mode: Mode, site: &Site, pages: &[Page]) -> String {
    let terms = match mode {
        Mode::WithBudgets | Mode::Kill9 => format!(r#""bindings": ["{RATE_BUDGET}", "{CONNECTIONS_BUDGET}"]"#),
        Mode::WithoutBudgets => r#""maxAttempts": 1"#.to_owned(),
    };
    let mut lines = String::new();
    for page in pages {
        let url = site.url(page);
        writeln!(lines, r#"{{"payload": {{"url": "{url}"}}, {terms}}}"#).expect("text can be written to");
    }
    lines
}

/// Waits until the site has answered `count` requests, while every process is there.
async fn answers(count: usize, site: &mut Site, gate: &mut Gate, workers: &mut [Worker]) -> anyhow::Result<()> {
    wait::until(Duration::MAX, "the site has answered enough", async || {
        site.check()?;
        gate.check()?;
        workers.iter_mut().try_for_each(Worker::check)?;
        Ok(site.access_log()?.lines().count() >= count)
    })
    .await
}

/// Two ports that nobody listens on, from below those that the system gives to outgoing connections: a fetch can't take the
/// server's port while the server is dead.
fn free_ports() -> anyhow::Result<[u16; 2]> {
    const PORTS: std::ops::Range<u16> = 20_000..32_000;
    let start = PORTS.start + u16::try_from(std::process::id() % u32::try_from(PORTS.len())?)?;
    let mut listeners =
        (start..PORTS.end).chain(PORTS.start..start).filter_map(|port| TcpListener::bind(("127.0.0.1", port)).ok());
    let mut next = || listeners.next().context("no port is free");
    let both = [next()?, next()?];
    Ok([both[0].local_addr()?.port(), both[1].local_addr()?.port()])
}
