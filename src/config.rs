//! What a server is started with: flags and their environment variables, checked once, and then a [`Config`] that holds.
//!
//! Owns the bounds and defaults of every flag of `serve`. Refuses to open, bind or start anything.

use std::fmt;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::scheduler;
use crate::scheduler::policy::ReserveAfter;
use crate::scheduler::units::Nanos;
use crate::store::{Durability, RedbConfig};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// As the policy of a budget bounds it.
const RESERVE_AFTER_MAX: Duration = Duration::from_secs(366 * DAY.as_secs());
const SHUTDOWN_GRACE_MAX: Duration = DAY;
const PAYLOAD_BYTES: RangeInclusive<u64> = 1..=16 << 20;
/// What fits into the memory of any machine this runs on is the operator's to judge; these keep the numbers countable.
const BUDGETS: RangeInclusive<u64> = 1..=1_000_000;
const JOBS: RangeInclusive<u64> = 1..=1_000_000_000;
const REQUEST_IDS: RangeInclusive<u64> = 1..=100_000_000;
const SESSIONS: RangeInclusive<u64> = 1..=1_000_000;
const CACHE_MB: RangeInclusive<u64> = 1..=65_536;
const THREADS: RangeInclusive<u64> = 1..=256;

/// The flags of `serve`, as they were given.
#[derive(Args, Clone, Debug)]
pub struct ServeArgs {
    /// The address to listen on; port 0 takes a free one. One that other machines can reach needs --insecure
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:7654")]
    pub listen: SocketAddr,

    /// Listens on an address that isn't loopback, though whoever reaches it can read and change everything
    #[arg(long)]
    pub insecure: bool,

    /// The directory that holds the jobs, the budgets and their levels. Made where it doesn't exist; one server at a time
    #[arg(long, value_name = "DIR", default_value = "./sluicegate-data")]
    pub data: PathBuf,

    /// A file to which every change of a budget, every enqueue, dispatch, reported use and end of a lease is appended, a JSON
    /// object a line; made where it doesn't exist. Nothing is served while it can't be written. SIGHUP opens it again
    #[arg(long, value_name = "FILE")]
    pub event_log: Option<PathBuf>,

    /// When a call is answered
    #[arg(long, value_enum, default_value_t = DurabilityArg::Immediate)]
    pub durability: DurabilityArg,

    /// The most budgets, 1 to 1,000,000
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = within(BUDGETS))]
    pub max_budgets: u64,

    /// The most stored jobs, finished ones that are retained included, 1 to 1,000,000,000
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = within(JOBS))]
    pub max_jobs: u64,

    /// The most remembered request ids, 1 to 100,000,000. Each is kept 10 minutes; beyond this the oldest go first
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = within(REQUEST_IDS))]
    pub max_request_ids: u64,

    /// The most open Dispatch streams and waiting LeaseJobs calls together, 1 to 1,000,000
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = within(SESSIONS))]
    pub max_sessions: u64,

    /// The largest payload of a job, 1 byte to 16 MiB: a number of bytes, or of KiB or MiB, such as 4MiB
    #[arg(long, value_name = "BYTES", default_value = "1MiB", value_parser = payload_bytes)]
    pub max_payload_bytes: u32,

    /// When a job that smaller ones have passed over on a budget is protected there, unless the budget's policy says otherwise:
    /// a duration up to 366d (0s: as soon as it has to wait), or never
    #[arg(long, value_name = "DURATION|never", default_value = "30s")]
    pub reserve_after: ReserveAfterArg,

    /// How long a shutdown waits for jobs in flight to be settled, up to 1d; then it ends all the same, and their leases live on
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = shutdown_grace)]
    pub shutdown_grace: Duration,

    /// Memory for pages of the store, in MiB, 1 to 65,536. More than the default has shown no gain
    #[arg(long, value_name = "MIB", default_value_t = 32, value_parser = within(CACHE_MB))]
    pub cache_mb: u64,

    /// Threads that serve calls, besides the one that schedules, 1 to 256 [default: one less than the machine has cores, 1 to 8]
    #[arg(long, value_name = "N", value_parser = within(THREADS))]
    pub runtime_threads: Option<u64>,

    /// For the bench only: stores nothing, so that what is left is what the rest of the server costs
    #[arg(long, hide = true, conflicts_with = "data")]
    pub null_store: bool,

    /// For the bench only: a file to which the scheduler's thread appends what it does and how long that takes, a JSON object a
    /// line, at most ten a second; made where it doesn't exist
    #[arg(long, value_name = "FILE", hide = true)]
    pub measure: Option<PathBuf>,
}

/// When a call is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DurabilityArg {
    /// Once it is on disk: nothing acknowledged is ever lost
    Immediate,
    /// Before it is on disk, which follows within 50 ms: a power loss may take that much, debits of budgets included; the end
    /// of the process takes nothing
    Relaxed,
}

/// When the passed-over are protected: `30s`, `never`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReserveAfterArg(pub ReserveAfter);

impl FromStr for ReserveAfterArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "never" {
            return Ok(Self(ReserveAfter::Never));
        }
        let after = duration_up_to(text, RESERVE_AFTER_MAX)?;
        let nanos = u64::try_from(after.as_nanos()).expect("366 days are less than 2^64 ns");
        Ok(Self(ReserveAfter::After(Nanos(nanos))))
    }
}

/// Where a server stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In a directory.
    Directory(RedbConfig),
    /// Nowhere: the end of the process is the end of everything.
    Nowhere,
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(redb) => redb.dir.display().fmt(f),
            Self::Nowhere => f.write_str("nowhere"),
        }
    }
}

/// What a server is started with, all of it within its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Where it listens; port 0 stands for any free one.
    pub listen: SocketAddr,
    /// Where and how it stores.
    pub store: Storage,
    /// Where what happens is told.
    pub event_log: Option<PathBuf>,
    /// Where it is told how long the scheduler's work takes.
    pub measure: Option<PathBuf>,
    /// When a commit may be answered (semantics 10.4).
    pub durability: Durability,
    /// The scheduler's bounds and defaults.
    pub scheduler: scheduler::Config,
    /// How long a shutdown waits for open calls and streams.
    pub shutdown_grace: Duration,
    /// Threads that serve calls. 1: everything but the scheduler on one.
    pub runtime_threads: NonZeroUsize,
}

/// Flags that contradict each other, or what is safe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Others could reach the server, and nobody said that they may.
    #[error(
        "{listen} can be reached from other machines, and there is neither encryption nor authentication: whoever connects could \
         read and change everything. Listen on 127.0.0.1 or [::1], or say --insecure if the network is yours alone"
    )]
    NotLoopback {
        /// The address.
        listen: SocketAddr,
    },
}

impl TryFrom<ServeArgs> for Config {
    type Error = ConfigError;

    fn try_from(args: ServeArgs) -> Result<Self, ConfigError> {
        let listen = args.listen;
        if !listen.ip().to_canonical().is_loopback() && !args.insecure {
            return Err(ConfigError::NotLoopback { listen });
        }
        let cache_bytes = usize::try_from(args.cache_mb << 20).unwrap_or(usize::MAX);
        Ok(Self {
            listen,
            store: if args.null_store {
                Storage::Nowhere
            } else {
                Storage::Directory(RedbConfig { cache_bytes, ..RedbConfig::new(args.data) })
            },
            event_log: args.event_log,
            measure: args.measure,
            durability: match args.durability {
                DurabilityArg::Immediate => Durability::Immediate,
                DurabilityArg::Relaxed => Durability::Relaxed,
            },
            scheduler: scheduler::Config {
                budgets_max: args.max_budgets,
                jobs_max: args.max_jobs,
                requests_max: args.max_request_ids,
                sessions_max: args.max_sessions,
                payload_bytes_max: args.max_payload_bytes,
                reserve_after: args.reserve_after.0,
            },
            shutdown_grace: args.shutdown_grace,
            runtime_threads: args.runtime_threads.map_or_else(default_threads, threads),
        })
    }
}

/// On few cores the calls run best on one thread beside the scheduler's; more cores carry more.
fn default_threads() -> NonZeroUsize {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    threads(cores.saturating_sub(1).clamp(1, 8) as u64)
}

fn threads(count: u64) -> NonZeroUsize {
    usize::try_from(count).ok().and_then(NonZeroUsize::new).expect("between 1 and 256")
}

fn within(range: RangeInclusive<u64>) -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(range)
}

fn duration_up_to(text: &str, max: Duration) -> Result<Duration, String> {
    let duration =
        humantime::parse_duration(text).map_err(|error| format!("{error}; a duration is, say, 30s or 1h 30m"))?;
    if duration > max {
        return Err(format!("at most {}", humantime::format_duration(max)));
    }
    Ok(duration)
}

fn shutdown_grace(text: &str) -> Result<Duration, String> {
    duration_up_to(text, SHUTDOWN_GRACE_MAX)
}

fn payload_bytes(text: &str) -> Result<u32, String> {
    let (digits, unit) = match text.find(|c: char| !c.is_ascii_digit()) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let factor = match unit.trim() {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        other => return Err(format!("`{other}` is no unit of bytes: KiB or MiB")),
    };
    let number: u64 = digits.parse().map_err(|_| "not a number of bytes".to_owned())?;
    let bytes = number.saturating_mul(factor);
    if !PAYLOAD_BYTES.contains(&bytes) {
        return Err(format!("{bytes} bytes are not between 1 and 16 MiB"));
    }
    Ok(u32::try_from(bytes).expect("16 MiB are less than 2^32 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, Parser};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        serve: ServeArgs,
    }

    fn parse(flags: &[&str]) -> Result<ServeArgs, String> {
        let line = std::iter::once("serve").chain(flags.iter().copied());
        Line::try_parse_from(line).map(|line| line.serve).map_err(|error| error.to_string())
    }

    fn config(flags: &[&str]) -> Config {
        Config::try_from(parse(flags).expect("valid flags")).expect("a valid configuration")
    }

    #[test]
    fn without_flags_the_scheduler_has_its_own_defaults() {
        let config = config(&[]);
        assert_eq!(config.scheduler, scheduler::Config::default());
        assert_eq!(config.store, Storage::Directory(RedbConfig::new("./sluicegate-data")));
        assert_eq!(config.listen.to_string(), "127.0.0.1:7654");
        assert_eq!(config.durability, Durability::Immediate);
        assert_eq!((config.event_log, config.measure), (None, None));
        assert_eq!(config.shutdown_grace, Duration::from_secs(30));
        assert!((1..=8).contains(&config.runtime_threads.get()));
    }

    #[test]
    fn every_flag_arrives() {
        let config = config(&[
            "--listen=[::1]:0",
            "--data=/d",
            "--durability=relaxed",
            "--event-log=/e",
            "--max-budgets=1",
            "--max-jobs=2",
            "--max-request-ids=3",
            "--max-sessions=4",
            "--max-payload-bytes=5",
            "--reserve-after=never",
            "--shutdown-grace=0s",
            "--cache-mb=7",
            "--runtime-threads=8",
            "--measure=/m",
        ]);
        let scheduler = scheduler::Config {
            budgets_max: 1,
            jobs_max: 2,
            requests_max: 3,
            sessions_max: 4,
            payload_bytes_max: 5,
            reserve_after: ReserveAfter::Never,
        };
        assert_eq!(config.scheduler, scheduler);
        assert_eq!(config.store, Storage::Directory(RedbConfig { dir: "/d".into(), cache_bytes: 7 << 20 }));
        assert_eq!(config.durability, Durability::Relaxed);
        assert_eq!(config.event_log, Some("/e".into()));
        assert_eq!(config.measure, Some("/m".into()));
        assert_eq!(config.shutdown_grace, Duration::ZERO);
        assert_eq!(config.runtime_threads.get(), 8);
        assert!(config.listen.is_ipv6());
    }

    #[test]
    fn who_stores_nothing_stores_nowhere() {
        assert_eq!(config(&["--null-store"]).store, Storage::Nowhere);
        let error = parse(&["--null-store", "--data=/d"]).expect_err("a contradiction");
        assert!(error.contains("--data"), "{error}");
    }

    #[test]
    fn what_is_for_the_bench_is_not_offered_to_others() {
        let help = Line::command().render_long_help().to_string();
        assert!(help.contains("--event-log"), "{help}");
        assert!(!help.contains("--null-store") && !help.contains("--measure"), "{help}");
    }

    #[test]
    fn only_loopback_is_safe_without_saying_so() {
        for listen in ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
            assert_eq!(config(&["--listen", listen]).listen.to_string(), listen);
        }
        for listen in ["0.0.0.0:1", "[::]:1", "192.168.0.1:1", "[::ffff:10.0.0.1]:1"] {
            let args = parse(&["--listen", listen]).expect("an address");
            let error = Config::try_from(args).expect_err("it isn't loopback");
            assert!(error.to_string().contains("--insecure"), "{error}");
            assert_eq!(config(&["--insecure", "--listen", listen]).listen.to_string(), listen);
        }
    }

    #[test]
    fn bounds_are_met_on_both_sides() {
        let good = [
            ("--max-budgets", "1000000"),
            ("--max-payload-bytes", "16MiB"),
            ("--max-payload-bytes", "16777216"),
            ("--max-payload-bytes", "1 KiB"),
            ("--shutdown-grace", "1d"),
            ("--reserve-after", "366d"),
            ("--reserve-after", "0s"),
            ("--cache-mb", "65536"),
            ("--runtime-threads", "256"),
        ];
        for (flag, value) in good {
            assert!(parse(&[flag, value]).is_ok(), "{flag} {value}");
        }
        let bad = [
            ("--max-budgets", "0"),
            ("--max-budgets", "1000001"),
            ("--max-jobs", "-1"),
            ("--max-request-ids", "many"),
            ("--max-sessions", "0"),
            ("--max-payload-bytes", "0"),
            ("--max-payload-bytes", "16777217"),
            ("--max-payload-bytes", "99999999999999999999"),
            ("--max-payload-bytes", "18446744073709551615MiB"),
            ("--max-payload-bytes", "1MB"),
            ("--max-payload-bytes", "MiB"),
            ("--shutdown-grace", "86401s"),
            ("--shutdown-grace", "30"),
            ("--reserve-after", "367d"),
            ("--reserve-after", "-1s"),
            ("--reserve-after", "Never"),
            ("--cache-mb", "0"),
            ("--runtime-threads", "257"),
            ("--listen", "localhost"),
            ("--durability", "none"),
        ];
        for (flag, value) in bad {
            let error = parse(&[&format!("{flag}={value}")]).expect_err(value);
            assert!(error.contains(flag), "{flag} {value}: {error}");
        }
    }

    #[test]
    fn an_instant_protection_and_none_are_not_the_same() {
        let instant = config(&["--reserve-after", "0s"]).scheduler.reserve_after;
        assert_eq!(instant, ReserveAfter::After(Nanos(0)));
        assert_eq!(config(&["--reserve-after", "never"]).scheduler.reserve_after, ReserveAfter::Never);
    }
}
