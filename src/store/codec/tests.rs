//! Golden bytes of every row, and round trips of all that a row may hold.

use proptest::prelude::*;

use super::*;
use crate::scheduler::effect::{BudgetRecord, PoolRecord, QueueRecord, RequestRecord};
use crate::scheduler::job::{
    Backoff, Binding, Body, End, Failure, JobOptions, JobRecord, Payload, Phase, ReadyBy, Retention, Unique,
    UniqueScope,
};
use crate::scheduler::lease::{Debit, LeaseRecord, Receipt};
use crate::scheduler::policy::{Policy, ReserveAfter};
use crate::scheduler::units::{BudgetId, JobId, LeaseId, Nanos, Timestamp, Tokens};
use crate::store::intern::Interner;
use crate::store::tables::{budget_key, failure_key, job_key, lease_key, name_key, number_key};
use crate::store::tests::arbitrary;

fn bytes(encode: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    encode(&mut out);
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn plain_job() -> JobRecord {
    JobRecord {
        id: JobId(7),
        queue: "mail".into(),
        kind: "send".into(),
        priority: 100,
        bindings: [].into(),
        options: JobOptions::default(),
        unique: None,
        create_time: Timestamp(1),
        ready_at: Timestamp(2),
        ready_by: ReadyBy::Now,
        run_at: Timestamp(3),
        attempts: 0,
        releases: 0,
        unconfirmed: 0,
        failures: 0,
        phase: Phase::Live,
        body_bytes: 256,
    }
}

fn full_job() -> JobRecord {
    JobRecord {
        bindings: [
            Binding { budget: BudgetId(1), cost: Tokens(2) },
            Binding { budget: BudgetId(300), cost: Tokens::MAX },
        ]
        .into(),
        options: JobOptions {
            max_attempts: 3,
            backoff: Backoff { initial: Nanos(1), max: Nanos(2), multiplier_percent: 150, jitter_percent: 10 },
            retention: Retention { completed: Nanos(4), dead: Nanos(5), cancelled: Nanos(6) },
            timeout: Some(Nanos(7)),
        },
        unique: Some(Unique { key: "k".into(), scope: UniqueScope::Retained }),
        attempts: 1,
        releases: 2,
        unconfirmed: 3,
        failures: 4,
        phase: Phase::Over(End::Cancelled, Timestamp(-1)),
        ..plain_job()
    }
}

fn budget(policy: Policy) -> BudgetRecord {
    BudgetRecord {
        id: BudgetId(1),
        key: "api".into(),
        policy,
        create_time: Timestamp(3),
        update_time: Timestamp(4),
        revision: 5,
        is_deleted: false,
    }
}

fn pool() -> PoolRecord {
    PoolRecord { budget: BudgetId(1), level: -3, at: Timestamp(4), blocked_until: Some(Timestamp::MAX) }
}

fn lease() -> LeaseRecord {
    LeaseRecord {
        id: LeaseId(9),
        job: JobId(7),
        worker: "w1".into(),
        attempt: 1,
        dispatch_time: Timestamp(5),
        expire_time: Timestamp(6),
        duration: Nanos(30),
        receipt: Receipt::Awaited,
        cancelled: true,
        request: Some("r".into()),
        debits: vec![Debit { budget: BudgetId(1), cost: Tokens(2), time_based: true }],
    }
}

/// Rows as they are on disks out there. If one of these fails the format has changed: keep reading what is written
/// here as version 1, and make the new shape the next version.
#[test]
fn rows_are_the_bytes_they_always_were() {
    let jobs = [plain_job(), full_job()].map(|job| hex(&bytes(|out| encode_job(&job, out))));
    assert_eq!(jobs[0], "01046d61696c0473656e64640000000204000600000000008002");
    assert_eq!(
        jobs[1],
        "01046d61696c0473656e6464020102ac0280a094a58d1d0103010296010a040506010701016b02020400060102030403018002"
    );

    let in_flight = budget(Policy::while_in_flight(5));
    assert_eq!(hex(&bytes(|out| encode_budget(&in_flight, out))), "010361706905000006080500");
    let time_based = budget(Policy {
        reserve_after: ReserveAfter::After(Nanos(9)),
        ..Policy::time_based(5, Nanos(7), Some(Tokens(8)))
    });
    assert_eq!(hex(&bytes(|out| encode_budget(&time_based, out))), "01036170690501070108010906080500");
    assert_eq!(hex(&bytes(|out| encode_pool(&pool(), out))), "01050801feffffffffffffffff01");
    let levels = bytes(|out| encode_levels([pool(), pool()].iter(), out));
    assert_eq!(hex(&levels), "010201050801feffffffffffffffff0101050801feffffffffffffffff01");

    let json = Body { payload: Payload::Json("{}".into()), metadata: vec![("a".into(), "b".into())] };
    assert_eq!(hex(&bytes(|out| encode_body(&json, out))), "0100027b7d0101610162");
    let binary = Body { payload: Payload::Binary([1, 0xff].into()), metadata: vec![] };
    assert_eq!(hex(&bytes(|out| encode_body(&binary, out))), "01010201ff00");
    assert_eq!(hex(&bytes(|out| encode_result(&[0, 1], out))), "01020001");
    let failure = Failure { attempt: 1, time: Timestamp(2), error: "no".into() };
    assert_eq!(hex(&bytes(|out| encode_failure(&failure, out))), "010104026e6f");

    assert_eq!(hex(&bytes(|out| encode_lease(&lease(), out))), "0107027731010a0c1e010101017201010201");
    let queue = QueueRecord { name: "mail".into(), paused: true };
    assert_eq!(hex(&bytes(|out| encode_queue(&queue, out))), "0101");
    let request = RequestRecord {
        request: "r".into(),
        number: JobId(7),
        jobs: vec![(JobId(7), false), (JobId(3), true)],
        time: Timestamp(1),
    };
    assert_eq!(hex(&bytes(|out| encode_request(&request, out))), "010172020700030102");
    assert_eq!(hex(&bytes(|out| encode_number(300, out))), "01ac02");
    assert_eq!(hex(&bytes(|out| encode_store_id(1, out))), "0101");
}

#[test]
fn what_is_not_a_row_is_refused_by_table_key_and_expectation() {
    let key = job_key(JobId(7));
    let job = bytes(|out| encode_job(&plain_job(), out));
    let mut interner = Interner::default();
    let mut refusal = |value: &[u8]| decode_job(&key, value, &mut interner).unwrap_err().to_string();

    let start = "table jobs, key 00000000000000000007: expected a job, version 1, found ";
    assert_eq!(refusal(&[]), format!("{start}no bytes"));
    assert_eq!(refusal(&[&[2], &job[1..]].concat()), format!("{start}version 2"));
    assert_eq!(refusal(&[&job[..], &[0]].concat()), format!("{start}1 bytes more than it has"));
    for length in 1..job.len() {
        assert!(refusal(&job[..length]).starts_with(&format!("{start}{length} bytes that aren't one: ")));
    }
}

proptest! {
    #[test]
    fn every_record_is_read_back(
        budget in arbitrary::budget(),
        pool in arbitrary::pool(),
        job in arbitrary::job(),
        body in arbitrary::body(),
        failure in arbitrary::failure(),
        lease in arbitrary::lease(),
        queue in arbitrary::queue(),
        request in arbitrary::request(),
        result in prop::collection::vec(any::<u8>(), 0..100),
        number: u64,
        store_id: u128,
    ) {
        let mut interner = Interner::default();
        let value = bytes(|out| encode_budget(&budget, out));
        prop_assert_eq!(decode_budget(&budget_key(budget.id), &value), Ok(budget));
        let value = bytes(|out| encode_pool(&pool, out));
        prop_assert_eq!(decode_pool(&budget_key(pool.budget), &value), Ok(pool));
        let value = bytes(|out| encode_levels([pool].iter(), out));
        prop_assert_eq!(decode_levels(&number_key(1), &value), Ok(vec![pool]));
        let value = bytes(|out| encode_job(&job, out));
        prop_assert_eq!(decode_job(&job_key(job.id), &value, &mut interner), Ok(job));
        let value = bytes(|out| encode_body(&body, out));
        prop_assert_eq!(decode_body(&[], &value), Ok(body));
        let value = bytes(|out| encode_failure(&failure, out));
        prop_assert_eq!(decode_failure(&[], &value), Ok(failure));
        let value = bytes(|out| encode_lease(&lease, out));
        prop_assert_eq!(decode_lease(&lease_key(lease.id), &value, &mut interner), Ok(lease));
        let value = bytes(|out| encode_queue(&queue, out));
        prop_assert_eq!(decode_queue(&name_key(&queue.name), &value, &mut interner), Ok(queue));
        let value = bytes(|out| encode_request(&request, out));
        prop_assert_eq!(decode_request(&job_key(request.number), &value), Ok(request));
        let value = bytes(|out| encode_result(&result, out));
        prop_assert_eq!(decode_result(&[], &value), Ok(result.into()));
        let value = bytes(|out| encode_number(number, out));
        prop_assert_eq!(decode_number(&[], &value), Ok(number));
        let value = bytes(|out| encode_store_id(store_id, out));
        prop_assert_eq!(decode_store_id(&[], &value), Ok(store_id));
    }

    #[test]
    fn no_bytes_make_a_decoder_panic(rest in prop::collection::vec(any::<u8>(), 0..60)) {
        let value = [&[VERSION], &rest[..]].concat();
        let mut interner = Interner::default();
        let _ = decode_budget(&budget_key(BudgetId(1)), &value);
        let _ = decode_pool(&budget_key(BudgetId(1)), &value);
        let _ = decode_levels(&number_key(1), &value);
        let _ = decode_job(&number_key(1), &value, &mut interner);
        let _ = decode_body(&number_key(1), &value);
        let _ = decode_result(&number_key(1), &value);
        let _ = decode_failure(&failure_key(JobId(1), 0), &value);
        let _ = decode_lease(&number_key(1), &value, &mut interner);
        let _ = decode_queue(&name_key("q"), &value, &mut interner);
        let _ = decode_request(&number_key(1), &value);
        let _ = decode_number(&name_key("format"), &value);
        let _ = decode_store_id(&name_key("store-id"), &value);
    }
}
