//! Any record there can be.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::scheduler::effect::{BudgetRecord, Change, PoolRecord, QueueRecord, RequestRecord};
use crate::scheduler::job::{
    Backoff, Binding, Body, End, Failure, JobOptions, JobRecord, Name, Payload, Phase, ReadyBy, Retention, Unique,
    UniqueScope,
};
use crate::scheduler::lease::{Debit, LeaseRecord, Receipt};
use crate::scheduler::policy::{Policy, ReserveAfter, Strategy as Refill};
use crate::scheduler::units::{BudgetId, JobId, LeaseId, Nanos, Timestamp, Tokens};

fn name() -> impl Strategy<Value = Name> {
    ".{0,12}".prop_map(Name::from)
}

fn time() -> impl Strategy<Value = Timestamp> {
    any::<i64>().prop_map(Timestamp)
}

fn span() -> impl Strategy<Value = Nanos> {
    any::<u64>().prop_map(Nanos)
}

fn tokens() -> impl Strategy<Value = Tokens> {
    any::<u64>().prop_map(Tokens)
}

pub(in crate::store) fn budget() -> impl Strategy<Value = BudgetRecord> {
    let refill = prop_oneof![
        Just(Refill::WhileInFlight),
        (span(), option::of(tokens())).prop_map(|(duration, burst)| Refill::TimeBased { duration, burst }),
    ];
    let reserve_after =
        prop_oneof![Just(ReserveAfter::Default), span().prop_map(ReserveAfter::After), Just(ReserveAfter::Never)];
    (any::<u64>(), name(), tokens(), refill, reserve_after, time(), time(), any::<u64>()).prop_map(
        |(id, key, allocation, strategy, reserve_after, create_time, update_time, revision)| BudgetRecord {
            id: BudgetId(id),
            key,
            policy: Policy { allocation, strategy, reserve_after },
            create_time,
            update_time,
            revision,
            is_deleted: revision % 2 == 1,
        },
    )
}

pub(in crate::store) fn pool() -> impl Strategy<Value = PoolRecord> {
    (any::<u64>(), any::<i128>(), time(), option::of(time())).prop_map(|(budget, level, at, blocked_until)| {
        PoolRecord { budget: BudgetId(budget), level, at, blocked_until }
    })
}

fn options() -> impl Strategy<Value = JobOptions> {
    let backoff =
        (span(), span(), any::<u32>(), any::<u32>()).prop_map(|(initial, max, multiplier_percent, jitter_percent)| {
            Backoff { initial, max, multiplier_percent, jitter_percent }
        });
    let retention =
        (span(), span(), span()).prop_map(|(completed, dead, cancelled)| Retention { completed, dead, cancelled });
    let any_options = (any::<u32>(), backoff, retention, option::of(span())).prop_map(
        |(max_attempts, backoff, retention, timeout)| JobOptions { max_attempts, backoff, retention, timeout },
    );
    prop_oneof![Just(JobOptions::default()), any_options]
}

fn unique() -> impl Strategy<Value = Unique> {
    let scope = prop_oneof![Just(UniqueScope::Queued), Just(UniqueScope::Unfinished), Just(UniqueScope::Retained)];
    (name(), scope).prop_map(|(key, scope)| Unique { key, scope })
}

fn phase() -> impl Strategy<Value = Phase> {
    let end = prop_oneof![Just(End::Completed), Just(End::Dead), Just(End::Cancelled)];
    prop_oneof![Just(Phase::Live), (end, time()).prop_map(|(end, since)| Phase::Over(end, since))]
}

fn ready_by() -> impl Strategy<Value = ReadyBy> {
    prop_oneof![Just(ReadyBy::Now), Just(ReadyBy::Caller), Just(ReadyBy::Backoff)]
}

pub(in crate::store) fn job() -> impl Strategy<Value = JobRecord> {
    let binding = (any::<u64>(), tokens()).prop_map(|(budget, cost)| Binding { budget: BudgetId(budget), cost });
    let asked = (any::<u64>(), name(), name(), any::<u16>(), vec(binding, 0..4), options(), option::of(unique()));
    let became = (time(), time(), ready_by(), time(), any::<[u32; 5]>(), phase());
    (asked, became).prop_map(
        |(
            (id, queue, kind, priority, bindings, options, unique),
            (create_time, ready_at, ready_by, run_at, counts, phase),
        )| {
            let [attempts, releases, unconfirmed, failures, body_bytes] = counts;
            JobRecord {
                id: JobId(id),
                queue,
                kind,
                priority,
                bindings: bindings.into(),
                options,
                unique,
                create_time,
                ready_at,
                ready_by,
                run_at,
                attempts,
                releases,
                unconfirmed,
                failures,
                phase,
                body_bytes,
            }
        },
    )
}

pub(in crate::store) fn body() -> impl Strategy<Value = Body> {
    let payload = prop_oneof![
        ".{0,40}".prop_map(|text| Payload::Json(text.into())),
        vec(any::<u8>(), 0..40).prop_map(|bytes| Payload::Binary(bytes.into())),
    ];
    (payload, vec((".{0,8}", ".{0,8}"), 0..4)).prop_map(|(payload, metadata)| Body { payload, metadata })
}

pub(in crate::store) fn failure() -> impl Strategy<Value = Failure> {
    (any::<u32>(), time(), ".{0,40}").prop_map(|(attempt, time, error)| Failure { attempt, time, error: error.into() })
}

pub(in crate::store) fn lease() -> impl Strategy<Value = LeaseRecord> {
    let receipt = prop_oneof![Just(Receipt::Unneeded), Just(Receipt::Awaited), Just(Receipt::Confirmed)];
    let debit = (any::<u64>(), tokens(), any::<bool>()).prop_map(|(budget, cost, time_based)| Debit {
        budget: BudgetId(budget),
        cost,
        time_based,
    });
    let whose = (any::<u64>(), any::<u64>(), name(), any::<u32>(), option::of(name()));
    let terms = (time(), time(), span(), receipt, any::<bool>(), vec(debit, 0..4));
    (whose, terms).prop_map(
        |((id, job, worker, attempt, request), (dispatch_time, expire_time, duration, receipt, cancelled, debits))| {
            LeaseRecord {
                id: LeaseId(id),
                job: JobId(job),
                worker,
                attempt,
                dispatch_time,
                expire_time,
                duration,
                receipt,
                cancelled,
                request,
                debits,
            }
        },
    )
}

pub(in crate::store) fn queue() -> impl Strategy<Value = QueueRecord> {
    (name(), any::<bool>()).prop_map(|(name, paused)| QueueRecord { name, paused })
}

pub(in crate::store) fn request() -> impl Strategy<Value = RequestRecord> {
    (name(), any::<u64>(), vec((any::<u64>().prop_map(JobId), any::<bool>()), 0..5), time())
        .prop_map(|(request, number, jobs, time)| RequestRecord { request, number: JobId(number), jobs, time })
}

/// Changes that meet: few ids, so that what one puts another replaces or deletes.
pub(in crate::store) fn change() -> impl Strategy<Value = Change> {
    const IDS: u64 = 8;
    let id = 0..IDS;
    prop_oneof![
        budget().prop_map(|record| Change::PutBudget(BudgetRecord { id: BudgetId(record.id.0 % 8), ..record })),
        pool().prop_map(|record| Change::PutPool(PoolRecord { budget: BudgetId(record.budget.0 % 8), ..record })),
        job().prop_map(|record| Change::PutJob(JobRecord { id: JobId(record.id.0 % IDS), ..record })),
        (id.clone(), body()).prop_map(|(id, body)| Change::PutBody(JobId(id), body)),
        (id.clone(), 0_u32..25, failure())
            .prop_map(|(id, number, failure)| { Change::PutFailure(JobId(id), number, failure) }),
        (id.clone(), vec(any::<u8>(), 0..40)).prop_map(|(id, result)| Change::PutResult(JobId(id), result.into())),
        (id.clone(), 0_u32..25).prop_map(|(id, failures)| Change::DeleteJob { id: JobId(id), failures }),
        lease().prop_map(|record| Change::PutLease(LeaseRecord { id: LeaseId(record.id.0 % IDS), ..record })),
        id.clone().prop_map(|id| Change::DeleteLease(LeaseId(id))),
        ("[ab]", any::<bool>()).prop_map(|(name, paused)| Change::PutQueue(QueueRecord { name: name.into(), paused })),
        request().prop_map(|record| {
            Change::PutRequest(RequestRecord { number: JobId(record.number.0 % IDS), ..record })
        }),
        id.prop_map(|id| Change::DeleteRequest(JobId(id))),
        any::<u64>().prop_map(Change::ReserveIds),
    ]
}
