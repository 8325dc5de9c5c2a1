//! BullMQ on redis. BullMQ is a library of Node.js, so its producers and workers are those of a script, in a process of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use futures_util::future::{FutureExt, LocalBoxFuture};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::{BULLMQ_VARIABLE, Server, Work};
use crate::load::{CONNECTIONS, PAYLOAD_BYTES};
use crate::process::Process;
use crate::results::{Figure, Run};
use crate::workloads::Bench;
use crate::workloads::batch::CALLERS;
use crate::workloads::cycle::BATCH;

pub(super) const NAME: &str = "bullmq";

/// What puts the work on it.
const SCRIPT: &str = include_str!("bullmq.mjs");
/// The line that the script says when it begins to measure.
const BEGAN: &str = "began";
/// How long the script may take for all of a work.
const PATIENCE: Duration = Duration::from_secs(600);

const WORKERS: usize = 4;
/// Jobs that a worker has at a time: more made it slower.
const CONCURRENCY: usize = 100;
/// Workers where times are measured, each of which has one job at a time. A worker fetches jobs of a short queue one after the
/// other, so that few workers, however many jobs each may have, let jobs wait for longer; more workers didn't help.
const DELIVERY_WORKERS: usize = 16;

/// Node.js compiles what it executes often, so it is warmed up so many times longer than ours, and with one part in so many of
/// a cycle's jobs.
const WARM_FACTOR: u32 = 5;

/// All that it takes.
pub(super) struct BullMq {
    redis: PathBuf,
    node: PathBuf,
    /// The directory in which npm has installed BullMQ.
    directory: PathBuf,
    versions: String,
}

/// What the script has measured.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Told {
    jobs: u64,
    seconds: f64,
    load_cpu_us: f64,
    times: Option<Times>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Times {
    p50_ns: u64,
    p99_ns: u64,
    max_ns: u64,
}

impl BullMq {
    /// Looks for redis and Node.js on PATH, and for BullMQ in `directory`.
    ///
    /// # Errors
    /// One of them isn't there.
    pub(super) fn find(directory: Option<&Path>) -> Result<Self> {
        let (redis, node) = (super::on_path("redis-server")?, super::on_path("node")?);
        let directory = directory.with_context(|| {
            format!(
                "neither --bullmq nor {BULLMQ_VARIABLE} names a directory in which `npm install bullmq ioredis` was run"
            )
        })?;
        let directory = directory.canonicalize().with_context(|| format!("no directory {}", directory.display()))?;
        let versions = format!(
            "BullMQ {} (ioredis {}, Node.js {}) on redis {}",
            installed(&directory, "bullmq")?,
            installed(&directory, "ioredis")?,
            super::version(&node, "--version")?.trim_start_matches('v'),
            redis_version(&super::version(&redis, "--version")?)?,
        );
        Ok(Self { redis, node, directory, versions })
    }

    async fn measure(&self, bench: &Bench, work: Work) -> Result<Run> {
        let dir = tempfile::tempdir_in(&bench.place)?;
        let args = |port: u16| {
            let (port, data) = (port.to_string(), dir.path().display().to_string());
            let flags = ["--bind", "127.0.0.1", "--port", &port, "--dir", &data, "--save", ""];
            let durability = ["--appendonly", "yes", "--appendfsync", "always"];
            flags.iter().chain(&durability).map(|arg| (*arg).to_owned()).collect()
        };
        let redis = Process::start_at_port(&self.redis, args, &dir.path().join("redis.log"))?;
        let log = dir.path().join("script.log");
        let mut script = self.start(dir.path(), &log, &self.orders(bench, work, redis.address.port()))?;
        let told = tokio::time::timeout(PATIENCE, follow(&mut script, &redis)).await.context("it takes too long")?;
        told.with_context(|| format!("the script logged:\n{}", fs::read_to_string(&log).unwrap_or_default()))
    }

    fn start(&self, dir: &Path, log: &Path, orders: &Value) -> Result<Child> {
        let script = dir.join("bullmq.mjs");
        fs::write(&script, SCRIPT)?;
        let mut command = Command::new(&self.node);
        command.arg(script).arg(orders.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(fs::File::create(log)?).kill_on_drop(true);
        command.spawn().with_context(|| format!("cannot start {}", self.node.display()))
    }

    /// What the script is told.
    fn orders(&self, bench: &Bench, work: Work, port: u16) -> Value {
        let (workers, concurrency) = match work {
            Work::Delivery { .. } => (DELIVERY_WORKERS, 1),
            Work::Unary { .. } | Work::Cycle => (WORKERS, CONCURRENCY),
        };
        let work = match work {
            Work::Unary { callers } => json!({ "kind": "unary", "callers": callers }),
            Work::Cycle => {
                let jobs = super::cycle_jobs(bench);
                let warm_jobs = jobs.div_ceil(u64::from(WARM_FACTOR));
                json!({ "kind": "cycle", "callers": CALLERS, "batch": BATCH, "warmJobs": warm_jobs, "jobs": jobs })
            }
            Work::Delivery { per_second } => json!({ "kind": "delivery", "perSecond": per_second }),
        };
        json!({
            "directory": self.directory,
            "port": port,
            "queues": CONNECTIONS,
            "workers": workers,
            "concurrency": concurrency,
            "payloadBytes": PAYLOAD_BYTES,
            "warmMs": (bench.size.warm * WARM_FACTOR).as_secs_f64() * 1e3,
            "lengthMs": bench.size.length.as_secs_f64() * 1e3,
            "work": work,
        })
    }
}

impl Server for BullMq {
    fn description(&self) -> String {
        format!(
            "{}, started with `appendonly yes` and `appendfsync always`, without snapshots: redis syncs its log once for all \
             commands that have come meanwhile, before it answers them. Producers and workers are one process of Node.js, as the \
             load of ours is one thread; the CPU of the server is that of redis, where BullMQ's scripts are executed. In (c) \
             {CALLERS} producers add {BATCH} jobs at a time (`addBulk`) over {CONNECTIONS} connections, and {WORKERS} workers \
             have a `concurrency` of {CONCURRENCY}: they complete a job and get the next one in one call. In (a) each caller has \
             one `add` on its way, and in (e) {DELIVERY_WORKERS} workers have one job at a time, with which its times were the best. Before anything is measured, it is warmed up for longer than ours. Jobs are removed once they are completed.",
            self.versions
        )
    }

    fn run<'a>(&'a self, bench: &'a Bench, work: Work) -> LocalBoxFuture<'a, Result<Run>> {
        self.measure(bench, work).boxed_local()
    }
}

/// Listens to the script, and looks at redis when it begins and has ended.
async fn follow(script: &mut Child, redis: &Process) -> Result<Run> {
    let mut lines = BufReader::new(script.stdout.take().expect("a piped output")).lines();
    match lines.next_line().await?.as_deref() {
        Some(BEGAN) => {}
        other => bail!("the script doesn't begin: {other:?}"),
    }
    let before = redis.cpu()?;
    let told = lines.next_line().await?.context("the script has ended")?;
    let cpu = redis.cpu()?.saturating_sub(before);
    let told: Told = serde_json::from_str(&told).with_context(|| format!("the script said {told:?}"))?;
    Ok(told.run(cpu).with_memory(redis.memory_bytes()?))
}

impl Told {
    fn run(&self, cpu: Duration) -> Run {
        let jobs = self.jobs.max(1) as f64;
        let run = Run::default()
            .with(Figure::Rate, self.jobs as f64 / self.seconds)
            .with(Figure::Cpu, cpu.as_secs_f64() * 1e6 / jobs)
            .with(Figure::LoadCpu, self.load_cpu_us / jobs);
        let Some(times) = &self.times else { return run };
        let us = |nanos: u64| nanos as f64 / 1e3;
        run.with(Figure::P50, us(times.p50_ns)).with(Figure::P99, us(times.p99_ns)).with(Figure::Max, us(times.max_ns))
    }
}

/// The version of what npm has installed.
fn installed(directory: &Path, package: &str) -> Result<String> {
    #[derive(Deserialize)]
    struct Package {
        version: String,
    }
    let path = directory.join("node_modules").join(package).join("package.json");
    let missing = || format!("no {package} in {}: `npm install bullmq ioredis` there", directory.display());
    let package: Package = serde_json::from_str(&fs::read_to_string(path).with_context(missing)?)?;
    Ok(package.version)
}

/// The version in what redis says of itself: `Redis server v=7.0.15 sha=…`.
fn redis_version(said: &str) -> Result<&str> {
    let version = said.split_ascii_whitespace().find_map(|word| word.strip_prefix("v="));
    version.with_context(|| format!("no version in {said:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_script_tells_becomes_figures() {
        let told =
            r#"{"jobs":200,"seconds":0.5,"load_cpu_us":400,"times":{"p50_ns":1000,"p99_ns":2500,"max_ns":9000}}"#;
        let run = serde_json::from_str::<Told>(told).unwrap().run(Duration::from_micros(100));
        let expected = [
            (Figure::Rate, 400.0),
            (Figure::Cpu, 0.5),
            (Figure::LoadCpu, 2.0),
            (Figure::P50, 1.0),
            (Figure::P99, 2.5),
            (Figure::Max, 9.0),
        ];
        for (figure, value) in expected {
            assert_eq!(run.value(figure), Some(value), "{figure:?}");
        }
        let without = serde_json::from_str::<Told>(r#"{"jobs":1,"seconds":1,"load_cpu_us":1,"times":null}"#).unwrap();
        assert_eq!(without.run(Duration::ZERO).value(Figure::P50), None);
    }

    #[test]
    fn the_version_of_redis_is_found() {
        assert_eq!(redis_version("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0").unwrap(), "7.0.15");
        assert!(redis_version("another program").is_err());
    }

    #[test]
    fn what_is_missing_is_said() {
        let place = tempfile::tempdir().unwrap();
        let refusal = installed(place.path(), "bullmq").unwrap_err().to_string();
        assert!(refusal.contains("npm install bullmq"), "{refusal}");
    }
}
