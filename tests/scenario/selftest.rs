//! The runner tried on itself: what it must read, what it must refuse to read, and stories it must find untrue.

use libtest_mimic::{Failed, Trial};
use sluicegate::scheduler::units::{Nanos, Tokens};

use super::parse::{BadLine, parse};
use super::run::play;
use super::story::{Action, Step};
use super::words::{Words, cost, duration, ids, show};

/// The tests, for the harness.
pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 12] = [
        ("durations_are_exact", durations_are_exact),
        ("bad_durations_are_refused", bad_durations_are_refused),
        ("durations_are_shown_as_written", durations_are_shown_as_written),
        ("a_hash_inside_a_word_is_no_comment", a_hash_inside_a_word_is_no_comment),
        ("ids_with_a_star_are_many", ids_with_a_star_are_many),
        ("a_last_number_is_the_cost", a_last_number_is_the_cost),
        ("a_policy_belongs_to_the_longest_key", a_policy_belongs_to_the_longest_key),
        ("a_batch_is_one_step", a_batch_is_one_step),
        ("every_word_of_the_language_is_read", every_word_of_the_language_is_read),
        ("bad_lines_are_refused", bad_lines_are_refused),
        ("all_bad_lines_are_reported", all_bad_lines_are_reported),
        ("untrue_stories_fail", untrue_stories_fail),
    ];
    let trial = |(name, test): (&str, fn())| {
        Trial::test(format!("runner::{name}"), move || {
            test();
            Ok::<(), Failed>(())
        })
    };
    tests.into_iter().map(trial).collect()
}

fn durations_are_exact() {
    let cases = [
        ("0s", 0),
        ("1ns", 1),
        ("10ms", 10_000_000),
        ("1.5s", 1_500_000_000),
        ("0.000000001s", 1),
        ("3m", 180_000_000_000),
        ("2h", 7_200_000_000_000),
        ("7d", 604_800_000_000_000),
        ("9999999999ns", 9_999_999_999),
    ];
    for (word, ns) in cases {
        assert_eq!(duration(word), Ok(Nanos(ns)), "{word}");
    }
}

fn bad_durations_are_refused() {
    let cases =
        ["", "5", "s", "5x", "5 s", "-1s", "1.s", ".5s", "1.5ns", "0.0000000001s", "1.5.5s", "1e3s", "300000000d"];
    for word in cases {
        assert!(duration(word).is_err(), "`{word}` was read as a duration");
    }
}

fn durations_are_shown_as_written() {
    for word in ["0s", "1ns", "2999ms", "3s", "90s", "2m", "48h"] {
        let span = duration(word).expect("it is a duration");
        assert_eq!(duration(&show(span)), Ok(span));
    }
    assert_eq!(show(Nanos::from_millis(2999)), "2999ms");
    assert_eq!(show(Nanos::from_secs(120)), "2m");
}

fn a_hash_inside_a_word_is_no_comment() {
    let mut words = Words::of("settle j1#2 ok #3 was late # for good");
    assert_eq!(words.rest(), ["settle", "j1#2", "ok"]);
    assert!(Words::of("   # nothing").is_empty());
    assert!(Words::of("").is_empty());
}

fn ids_with_a_star_are_many() {
    assert_eq!(ids("j*3"), Ok(["j1", "j2", "j3"].map(str::to_owned).to_vec()));
    assert_eq!(ids("j"), Ok(vec!["j".to_owned()]));
    assert_eq!(ids("j*0"), Ok(Vec::new()));
    for word in ["*", "*3", "j*", "j*x", "j*3*3", "-", "j k", "a=b"] {
        assert!(ids(word).is_err(), "`{word}` was read as ids");
    }
    let steps = parse("settle a*2 ok").expect("it is a step");
    let texts: Vec<_> = steps.iter().map(|step| step.text.as_str()).collect();
    assert_eq!(texts, ["settle a1 ok", "settle a2 ok"]);
}

fn a_last_number_is_the_cost() {
    let cases = [
        ("api", "api", 1),
        ("api:7", "api", 7),
        ("api:v2", "api:v2", 1),
        ("api:v2:3", "api:v2", 3),
        ("a:1:2", "a:1", 2),
        ("api:0", "api", 0),
    ];
    for (word, key, tokens) in cases {
        assert_eq!(cost(word), Ok((key.into(), Tokens(tokens))), "{word}");
    }
}

fn a_policy_belongs_to_the_longest_key() {
    let steps = parse("enqueue j costs=a,a/b create=a/b/5/10s/7 create=a/3").expect("it is a step");
    let [Step { action: Action::Enqueue(jobs), .. }] = &steps[..] else {
        panic!("not one enqueue: {steps:?}");
    };
    let policies: Vec<_> = jobs[0].job.bindings.iter().map(|binding| binding.create_with).collect();
    let allocations: Vec<_> = policies.iter().flatten().map(|policy| policy.allocation.0).collect();
    assert_eq!(allocations, [3, 5]);
    assert_eq!(policies[1].expect("it has one").capacity(), Tokens(7));
}

fn a_batch_is_one_step() {
    let steps = parse("batch\nenqueue a*2\nenqueue b\nend ! INVALID_FIELD").expect("it is a step");
    let [Step { line: 4, action: Action::Batch(jobs), refusal: Some("INVALID_FIELD"), .. }] = &steps[..] else {
        panic!("not one batch: {steps:?}");
    };
    let names: Vec<_> = jobs.iter().map(|job| job.id.as_str()).collect();
    assert_eq!(names, ["a1", "a2", "b"]);
}

fn every_word_of_the_language_is_read() {
    let text = "\
budget create k allocation=5 per=1m burst=7 reserve_after=30s
budget replace k allocation=5 reserve_after=never
budget update k allocation=1 per=2s burst=none reserve_after=never
budget update k strategy=while_in_flight
budget delete k ! BUDGET_IN_USE
budget block k 5s
budget unblock k
budget adjust k 0
enqueue j queue=q type=t priority=1 at=1s costs=k:2,l create=l/1/1s/1 attempts=3 backoff=1s unique=u keep=1d timeout=1s
worker w queues=q,r window=4 lease=1m silent
worker w leaves
worker w drops
worker w resumes
worker w restarts
settle j ok used=k:1
settle j fail delay=1s
settle j#2 discard ! GONE
settle j release throttled=k:30s delay=1s
extend j
cancel j force
cancel j
retry j
pause q
resume q
bind j k
rebind j k:2
cost j k:2
unbind j k
unbind j *
bindings j k:2,l
bulk unbind * where queue=q type=t budget=k state=in_flight -> changed=1 blocked=a,b
bulk bind k:2 where state=ready -> changed=0 blocked=-
bulk cost k:9 where queue=q ! COST_EXCEEDS_CAPACITY
advance 1s
restart
crash
dispatched -
dispatched a*2 b
state j in_flight attempts=0
parked j k
pool k available=-1 in_flight=2 parked=3 bound=4
next k 1s
next k -
held j -
held j k:2,l:1
why j k,l at=1s";
    let steps = parse(text).unwrap_or_else(|bad| panic!("{bad:?}"));
    assert_eq!(steps.len(), text.lines().count());
}

fn bad_lines_are_refused() {
    let cases = [
        ("fly j", "unknown word `fly`"),
        ("enqueue j color=red", "unknown word `color=red`"),
        ("enqueue", "the id is missing"),
        ("enqueue j costs=k:x1,k:99999999999999999999", "costs: `99999999999999999999` is no number below 2^64"),
        ("enqueue j create=k/1", "create: `k/1` begins with no KEY/ of `costs=`"),
        ("enqueue j at=soon", "at: `soon` is no duration (10ms, 1.5s, 3m, 2h, 7d, 1ns)"),
        ("budget create k", "`allocation=` is missing"),
        ("budget create k allocation=1 burst=2", "a burst goes with `per=`"),
        ("budget update k strategy=bucket", "strategy: unknown word `bucket`"),
        ("settle j", "ok, fail, discard or release is missing"),
        ("settle j maybe", "unknown word `maybe`"),
        ("settle j ok delay=1s", "`delay=` goes with fail and release"),
        ("settle j#0 ok", "`j#0`: dispatches count from 1"),
        ("state j asleep", "`asleep` is no state"),
        ("pool k", "`pool` checks nothing"),
        ("pool k avail=1", "unknown word `avail=1`"),
        ("dispatched", "the ids are missing (`-` for none)"),
        ("advance 1s ! LOST", "`advance` can't be refused"),
        ("unbind j k ! NO_WAY", "unknown reason `NO_WAY`"),
        ("worker w window=4 window=5", "unknown word `window=5`"),
        ("worker w drops window=4", "unknown word `window=4`"),
        ("bulk unbind * queue=q", "`where` is missing in front of `queue=q`"),
        ("bulk unbind * where queue=q -> changed=1", "after `->` stand `changed=` and `blocked=`"),
        ("end", "`end` without `batch`"),
        ("batch", "the batch has no `end`"),
    ];
    for (line, problem) in cases {
        let bad = BadLine { line: 1, text: line.to_owned(), problem: problem.to_owned() };
        assert_eq!(parse(line), Err(vec![bad]));
    }
}

fn all_bad_lines_are_reported() {
    let bad = parse("fly\nadvance 1s\nbatch\nadvance 1s\nend\nwalk").expect_err("three are bad");
    let lines: Vec<_> = bad.iter().map(|bad| bad.line).collect();
    assert_eq!(lines, [1, 4, 6]);
}

/// Each story, the line that isn't so, and what must be said of it.
const UNTRUE: [(&str, usize, &str); 11] = [
    ("enqueue j\nworker w\ndispatched -", 3, "    expected: -\n    so:       j"),
    ("enqueue j*3\nworker w window=2\n\ndispatched j2 j1", 4, "    expected: j2 j1\n    so:       j1 j2"),
    (
        "budget create k allocation=1\nbudget create k allocation=1",
        2,
        "    expected: it is done\n    so:       it is refused with BUDGET_ALREADY_EXISTS: ",
    ),
    (
        "budget create k allocation=1 ! BUDGET_NOT_FOUND",
        1,
        "    expected: it is refused with BUDGET_NOT_FOUND\n    so:       it is done",
    ),
    (
        "budget delete k ! BUDGET_IN_USE",
        1,
        "    expected: it is refused with BUDGET_IN_USE\n    so:       it is refused with BUDGET_NOT_FOUND: ",
    ),
    (
        "budget create k allocation=2\nenqueue j costs=k:2\npool k available=1 bound=1",
        3,
        "    expected: available=1 bound=1\n    so:       available=2 bound=1",
    ),
    (
        "budget create k allocation=1 per=3s\nenqueue j costs=k\nworker w\nnext k 2s",
        4,
        "    expected: 2s\n    so:       3s",
    ),
    (
        "budget create k allocation=1\nenqueue j*2 costs=k\nworker w window=2\nwhy j2 -",
        4,
        "    expected: -\n    so:       k",
    ),
    ("enqueue j\nparked j k", 2, "    expected: ready, and held up by k\n    so:       ready, and held up by -"),
    ("enqueue j\nstate j ready attempts=1", 2, "    expected: ready attempts=1\n    so:       ready attempts=0"),
    ("enqueue j\nsettle j ok", 2, "    `j` was dispatched 0 times"),
];

fn untrue_stories_fail() {
    for (story, line, said) in UNTRUE {
        let failures = play(story);
        let [failure] = &failures[..] else {
            panic!("{} failures of {story:?}: {failures:?}", failures.len());
        };
        let trouble = failure.trouble.to_string();
        assert_eq!(failure.line, line, "{story:?}: {trouble}");
        assert!(trouble.starts_with(said), "{story:?} was told so: {trouble}");
    }
}
