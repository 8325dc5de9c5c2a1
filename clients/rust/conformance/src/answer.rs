//! The client's values, written as the protocol does.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};
use sluicegate_client::{
    Binding, Budget, Changed, ExtendStatus, HoldUp, LeasedJob, Payload, Policy, ReserveAfter, SettleStatus, StoredJob,
    Strategy,
};

pub(crate) fn budget(budget: &Budget) -> Value {
    let status = &budget.status;
    json!({
        "key": budget.key,
        "policy": budget.policy.as_ref().map(policy),
        "etag": budget.etag,
        "available": status.available.to_string(),
        "capacity": status.capacity.to_string(),
        "inFlightCost": status.in_flight_cost.to_string(),
        "inFlightJobs": status.in_flight_jobs.to_string(),
        "parkedJobs": status.parked_jobs.to_string(),
        "boundJobs": status.bound_jobs.to_string(),
        "blocked": status.blocked,
    })
}

fn policy(policy: &Policy) -> Value {
    let mut strategy = Map::new();
    match policy.strategy {
        Strategy::WhileInFlight => _ = strategy.insert("type".into(), "while_in_flight".into()),
        Strategy::TimeBased(drip) => {
            strategy.insert("type".into(), "time_based".into());
            strategy.insert("durationMs".into(), json!(drip.duration.as_millis() as u64));
            if let Some(burst) = drip.burst {
                strategy.insert("burst".into(), burst.to_string().into());
            }
        }
    }
    let reserve_after = match policy.reserve_after {
        ReserveAfter::ServerDefault => Value::Null,
        ReserveAfter::After(after) => json!({ "afterMs": after.as_millis() as u64 }),
        ReserveAfter::Never => "never".into(),
    };
    json!({ "allocation": policy.allocation.to_string(), "strategy": strategy, "reserveAfter": reserve_after })
}

pub(crate) fn payload(payload: &Payload) -> Value {
    match payload {
        Payload::None => Value::Null,
        Payload::Json(text) => json!({ "json": text }),
        Payload::Binary(bytes) => json!({ "base64": BASE64_STANDARD.encode(bytes) }),
    }
}

pub(crate) fn bindings(bindings: &[Binding]) -> Value {
    bindings.iter().map(|binding| json!({ "key": binding.budget, "cost": binding.cost.to_string() })).collect()
}

pub(crate) fn job(job: &StoredJob) -> Value {
    let error = |error: &sluicegate_client::AttemptError| json!({ "attempt": error.attempt, "error": error.message });
    let result = (!job.result.is_empty()).then(|| BASE64_STANDARD.encode(&job.result));
    json!({
        "id": job.id,
        "queue": job.queue,
        "type": job.job_type,
        "state": state(job),
        "priority": job.priority,
        "attempts": job.attempts,
        "maxAttempts": job.max_attempts,
        "payload": payload(&job.payload),
        "budgets": bindings(&job.bindings),
        "metadata": job.metadata,
        "errors": job.errors.iter().map(error).collect::<Vec<_>>(),
        "resultBase64": result,
    })
}

pub(crate) fn state(job: &StoredJob) -> String {
    job.state.to_string().to_uppercase()
}

/// A leased job has no life to show yet.
pub(crate) fn leased(leased: &LeasedJob) -> Value {
    json!({
        "leaseId": leased.lease_id,
        "job": {
            "id": leased.id,
            "queue": leased.queue,
            "type": leased.job_type,
            "state": "IN_FLIGHT",
            "priority": leased.priority,
            "attempts": leased.attempts,
            "maxAttempts": leased.max_attempts,
            "payload": payload(&leased.payload),
            "budgets": bindings(&leased.bindings),
            "metadata": leased.metadata,
        },
    })
}

pub(crate) fn changed(changed: &Changed) -> Value {
    json!({
        "changed": changed.changed.to_string(),
        "blocked": changed.blocked,
        "blockedCount": changed.blocked_count.to_string(),
    })
}

pub(crate) fn settled(status: SettleStatus) -> Value {
    match status {
        SettleStatus::Settled => "SETTLED".into(),
        SettleStatus::AlreadySettled => "ALREADY_SETTLED".into(),
        SettleStatus::Lost => "LOST".into(),
        SettleStatus::Gone => "GONE".into(),
        SettleStatus::Invalid => "INVALID".into(),
        other => format!("{other:?}").into(),
    }
}

pub(crate) fn extended(status: ExtendStatus) -> Value {
    match status {
        ExtendStatus::Extended => "EXTENDED".into(),
        ExtendStatus::AlreadySettled => "ALREADY_SETTLED".into(),
        ExtendStatus::Lost => "LOST".into(),
        ExtendStatus::Gone => "GONE".into(),
        other => format!("{other:?}").into(),
    }
}

pub(crate) fn hold_up(hold_up: HoldUp) -> Value {
    match hold_up {
        HoldUp::NotReady => "not_ready".into(),
        HoldUp::QueuePaused => "queue_paused".into(),
        HoldUp::NoWorker => "no_worker".into(),
        HoldUp::NoRoom => "no_room".into(),
        HoldUp::TooLarge => "too_large".into(),
        HoldUp::Budget => "budget".into(),
        other => format!("{other:?}").into(),
    }
}
