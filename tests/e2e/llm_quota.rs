//! `examples/llm-quota` shows what its README says: with the real program, and an endpoint in a process of its own that judges.
//!
//! Nothing here depends on how fast the machine is: the share of the tokens that was used is printed, and judged by the example.

#[path = "../../examples/llm-quota/endpoint/mod.rs"]
mod endpoint;
#[path = "../../examples/llm-quota/quota/mod.rs"]
mod quota;

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use libtest_mimic::{Arguments, Failed, Trial};

use endpoint::{Admission, Limit, Refusal, terms};
use quota::{Call, Figures, Mode, Plan, Report};

/// A minute of the endpoint takes six seconds.
const SPEED: u32 = 10;
const JOBS: u32 = 240;
/// So many runs may show what goes wrong without settlement: on a machine that stands still meanwhile, the endpoint recovers.
/// But none of them may refuse anything with it.
const RUNS_MAX: usize = 3;
/// The endpoint's times are this machine's wall clock, the server's are not: they may drift apart by so much.
const DRIFT: f64 = 0.01;

fn main() -> Result<(), Failed> {
    if endpoint::serve_if_asked()? {
        return Ok(());
    }
    let trials = vec![
        Trial::test("the_endpoint_refuses_what_is_beyond_a_limit_to_the_nanosecond", refuses_beyond_a_limit),
        Trial::test("estimates_are_wrong_by_up_to_3_times_either_way", estimates_are_wrong),
        Trial::test("figures_are_read_off_the_log", figures_are_read_off_the_log),
        Trial::test("a_settled_quota_is_never_overrun_and_an_unsettled_one_is_or_lies_idle", side_by_side),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn side_by_side() -> Result<(), Failed> {
    for _ in 0..RUNS_MAX {
        let report = run(Mode::all())?;
        let row = |mode| report.plan.modes.iter().zip(&report.rows).find(|row| *row.0 == mode).expect("it was run").1;
        for (mode, row) in report.plan.modes.iter().zip(&report.rows) {
            assert_eq!(row.served_once, row.calls, "{mode}: every call is served exactly once");
            assert_eq!(row.requests, row.served_once + row.refused_early + row.refused, "{mode}");
        }
        assert_eq!(row(Mode::Both).refused, 0, "with settlement nothing is refused");
        lies_idle(row(Mode::BothReserved), Mode::BothReserved.of(&quota::draw(report.plan.seed, JOBS)));
        let overrun = [Mode::CapOnly, Mode::TokensOnly, Mode::BothUnsettled].map(row);
        if overrun.iter().all(|row| row.refused_early + row.refused > 0) {
            return Ok(());
        }
    }
    Err(format!("none of {RUNS_MAX} runs has overrun the endpoint where it isn't held to its limits").into())
}

/// Where every job reserves its worst case nothing is refused, and the budget promises a least time that this takes, on any
/// machine: it is more than twice that in which the budget would let pass what was really used.
fn lies_idle(row: &Figures, calls: &[Call]) {
    assert_eq!(row.refused, 0, "what reserves its worst case isn't refused");
    let least = quota::budgets::time_for(calls.iter().map(|call| Mode::BothReserved.cost(call)).sum());
    assert!(row.span.as_secs_f64() >= least.as_secs_f64() * (1.0 - DRIFT), "{:?} is less than {least:?}", row.span);
    let needed = quota::budgets::time_for(row.tokens);
    assert!(
        least >= needed * 2,
        "{} tokens are allowed in {needed:?}, and {least:?} were too little for them",
        row.tokens
    );
}

/// Does a run with jobs of its own, and shows its figures.
fn run(modes: Vec<Mode>) -> Result<Report, Failed> {
    let sluicegate = PathBuf::from(env!("CARGO_BIN_EXE_sluicegate"));
    let plan = Plan { modes, jobs: JOBS, speed: SPEED, seed: rand::random(), sluicegate };
    let dir = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match runtime.block_on(quota::run(&plan, dir.path())) {
        Ok(rows) => {
            let report = Report { plan, rows };
            println!("{report}\n{:?}\n", report.missed());
            Ok(report)
        }
        Err(error) => Err(Failed::from(format!("{error:#}\n{plan:?}\nthe logs are in {}", dir.keep().display()))),
    }
}

fn refuses_beyond_a_limit() -> Result<(), Failed> {
    let second = Duration::from_secs(1);
    let beyond = |limit, retry_after| Err(Refusal { limit, retry_after });

    // A minute's tokens are there, and one more is a 40,000th of a minute away.
    let mut endpoint = Admission::new();
    assert_eq!(endpoint.arrive(second, terms::TOKENS_PER_MINUTE), Ok(()));
    let nanosecond = Duration::from_nanos(1);
    let token = Duration::from_micros(1500);
    assert_eq!(endpoint.arrive(second + token - nanosecond, 1), beyond(Limit::Tokens, nanosecond));
    assert_eq!(endpoint.arrive(second + token, 1), Ok(()));

    // Eight at once; one that has left makes room. Twelve requests at a stroke, of which a refused one is none.
    let mut endpoint = Admission::new();
    for _ in 0..terms::CONCURRENCY {
        assert_eq!(endpoint.arrive(second, 1), Ok(()));
    }
    assert_eq!(endpoint.arrive(second, 1), beyond(Limit::Concurrency, terms::CONCURRENCY_RETRY_AFTER));
    for _ in terms::CONCURRENCY..terms::REQUESTS_BURST {
        endpoint.leave();
        assert_eq!(endpoint.arrive(second, 1), Ok(()));
    }
    endpoint.leave();
    assert_eq!(endpoint.arrive(second, 1), beyond(Limit::Requests, second / terms::REQUESTS_PER_S));
    Ok(())
}

fn estimates_are_wrong() -> Result<(), Failed> {
    let seed = rand::random();
    let calls = quota::draw(seed, 1000);
    assert_eq!(calls, quota::draw(seed, 1000), "seed {seed}");
    for call in &calls {
        assert!(call.tokens <= call.estimate * 3 && call.tokens * 3 + 1 >= call.estimate, "seed {seed}: {call:?}");
        assert_eq!(terms::tokens_in(call.prompt().text.as_bytes()), call.tokens, "seed {seed}");
    }
    assert!(calls.iter().any(|call| call.tokens > call.estimate * 2), "seed {seed}");
    assert!(calls.iter().any(|call| call.tokens * 2 < call.estimate), "seed {seed}");
    assert!(calls.is_sorted_by_key(|call| call.due), "seed {seed}");
    Ok(())
}

fn figures_are_read_off_the_log() -> Result<(), Failed> {
    let second = Duration::from_secs(1);
    let call = |number, due| Call { number, estimate: 500, tokens: 1000, due: second * due };
    let calls = [call(0, 0), call(1, 10)];
    let read = |log: &str| Figures::read(10, SystemTime::UNIX_EPOCH + second * 100, &calls, log);

    // Ten times as fast as life: the warm-up ends at 109 s, and 0.3 s later the endpoint would have served 2,000 tokens more.
    let figures = read("100.5 0 1000 requests\n102 1 1000 served\n109.1 0 1000 tokens\n109.3 0 1000 served\n")?;
    assert_eq!((figures.calls, figures.served_once), (2, 2));
    assert_eq!((figures.requests, figures.refused_early, figures.refused), (4, 1, 1));
    assert_eq!((figures.tokens, figures.tokens_measured, figures.span), (2000, 1000, second * 93));
    assert_eq!((figures.wait_max, figures.knocking_max), (second * 93, second * 88));
    assert!((figures.share_used() - 0.5).abs() < 1e-9, "{}", figures.share_used());

    let twice = read("100 0 1000 served\n100 0 1000 served\n")?;
    assert_eq!((twice.requests, twice.served_once), (2, 0), "a call that was served twice wasn't served once");
    for strange in
        ["100 7 1000 served", "100 0 1000 sold", "100 0 1000", "100 0 1000 served twice", "now 0 1000 served"]
    {
        assert!(read(strange).is_err(), "{strange}");
    }
    Ok(())
}
