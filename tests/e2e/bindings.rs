//! ModifyBindings and ExplainJob: what holds a job up, and taking it away.

use std::time::Duration;

use tonic::Code;

use crate::support::calls::{binding, bound_job, job_in, kept, seconds, success, time_based, while_in_flight};
use crate::support::refusal::{assert_invalid, assert_refused};
use crate::support::server::Server;
use crate::support::stream::{Stream, hello};
use crate::support::until;
use crate::support::wire::binding_operation::Operation;
use crate::support::wire::{self, HoldUp, JobState};

fn modify(job: &str, operation: Operation) -> wire::ModifyBindingsRequest {
    let operation = Some(wire::BindingOperation { operation: Some(operation) });
    wire::ModifyBindingsRequest { job_id: job.to_owned(), operation }
}

fn set_cost(budget: &str, cost: u64) -> Operation {
    Operation::SetCost(wire::SetBindingCost { budget: budget.to_owned(), cost })
}

fn unbind(budget: &str) -> Operation {
    Operation::Unbind(wire::Unbind { budget: budget.to_owned() })
}

fn replace_all(bindings: Vec<wire::Binding>) -> Operation {
    Operation::ReplaceAll(wire::ReplaceBindings { bindings })
}

/// What a job is bound to, in the order of the keys.
fn bound(job: &wire::Job) -> Vec<(String, u64)> {
    let bindings = &job.spec.as_ref().expect("a spec").bindings;
    let mut bound: Vec<_> = bindings.iter().map(|one| (one.budget.clone(), one.cost())).collect();
    bound.sort();
    bound
}

#[tokio::test]
async fn each_operation_returns_the_changed_job() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("a", while_in_flight(5)).await;
    calls.create_budget("b", while_in_flight(5)).await;
    let job = calls.enqueue(job_in("q")).await;
    let create_with = wire::Binding { create_with: Some(while_in_flight(2)), ..binding("c", 2) };
    let steps: Vec<(Operation, Vec<(&str, u64)>)> = vec![
        (Operation::Bind(binding("a", 1)), vec![("a", 1)]),
        (Operation::Rebind(binding("a", 3)), vec![("a", 3)]),
        (Operation::Rebind(binding("b", 2)), vec![("a", 3), ("b", 2)]),
        (set_cost("a", 5), vec![("a", 5), ("b", 2)]),
        (unbind("a"), vec![("b", 2)]),
        (replace_all(vec![binding("a", 1), create_with]), vec![("a", 1), ("c", 2)]),
        (Operation::UnbindAll(wire::UnbindAll {}), vec![]),
    ];
    for (operation, expected) in steps {
        let shown = format!("{operation:?}");
        let answer = calls.jobs.modify_bindings(modify(&job, operation)).await.expect(&shown).into_inner();
        let expected: Vec<_> = expected.into_iter().map(|(budget, cost)| (budget.to_owned(), cost)).collect();
        assert_eq!(bound(&answer.job.expect("a job")), expected, "{shown}");
        assert_eq!(bound(&calls.job(&job).await), expected, "{shown}");
    }
}

#[tokio::test]
async fn what_cant_be_changed_says_why() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("a", while_in_flight(5)).await;
    let job = calls.enqueue(kept(bound_job("q", &[("a", 1)]))).await;
    let not_found = Code::NotFound;
    let failed = Code::FailedPrecondition;
    for (operation, code, reason) in [
        (Operation::Bind(binding("a", 1)), Code::AlreadyExists, "ALREADY_BOUND"),
        (set_cost("b", 1), not_found, "NOT_BOUND"),
        (unbind("b"), not_found, "NOT_BOUND"),
        (Operation::Bind(binding("b", 1)), failed, "BUDGET_NOT_FOUND"),
        (Operation::Rebind(binding("a", 6)), failed, "COST_EXCEEDS_CAPACITY"),
        (set_cost("a", 6), failed, "COST_EXCEEDS_CAPACITY"),
    ] {
        let refusal = assert_refused(calls.jobs.modify_bindings(modify(&job, operation.clone())).await, code, reason);
        assert!(["a", "b"].contains(&refusal.fact("budget")), "{operation:?}");
    }
    for (request, field) in [
        (modify(&job, set_cost("a", 0)), "operation.set_cost.cost"),
        (modify(&job, Operation::Bind(binding("b b", 1))), "operation.bind.budget"),
        (modify(&job, replace_all(vec![binding("a", 1), binding("a", 1)])), "operation.replace_all.bindings[1].budget"),
        (wire::ModifyBindingsRequest { job_id: job.clone(), operation: None }, "operation"),
        (modify("", unbind("a")), "job_id"),
    ] {
        assert_invalid(calls.jobs.modify_bindings(request).await, field);
    }
    assert_refused(calls.jobs.modify_bindings(modify("none", unbind("a"))).await, not_found, "JOB_NOT_FOUND");

    let lease = calls.lease_one("w", "q").await;
    let in_flight = calls.jobs.modify_bindings(modify(&job, unbind("a"))).await;
    assert_eq!(assert_refused(in_flight, failed, "JOB_IN_FLIGHT").fact("job_id"), job);
    calls.settle_one(success(&lease)).await;
    let finished = calls.jobs.modify_bindings(modify(&job, unbind("a"))).await;
    assert_eq!(assert_refused(finished, failed, "JOB_FINISHED").fact("state"), "COMPLETED");
}

#[tokio::test]
async fn taking_away_what_holds_a_job_dispatches_it() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("slot", while_in_flight(1)).await;
    let (mut stream, _) = Stream::open(&calls, hello("w", "q", 9)).await;
    let first = calls.enqueue(bound_job("q", &[("slot", 1)])).await;
    let second = calls.enqueue(bound_job("q", &[("slot", 1)])).await;
    assert_eq!(stream.jobs(1).await[0].job.as_ref().expect("a job").id, first);
    calls.jobs.modify_bindings(modify(&second, unbind("slot"))).await.expect("a change");
    assert_eq!(stream.jobs(1).await[0].job.as_ref().expect("a job").id, second);
}

#[tokio::test]
async fn an_explanation_names_all_that_holds_a_job_up() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    calls.create_budget("slot", while_in_flight(1)).await;
    calls.create_budget("rate", time_based(1, Duration::from_secs(3600), None)).await;
    let holder = calls.enqueue(bound_job("q", &[("slot", 1), ("rate", 1)])).await;
    let explained = calls.explain(&holder).await;
    assert_eq!(explained.hold_ups().collect::<Vec<_>>(), [HoldUp::NoWorker]);
    assert_eq!(explained.queue.expect("a queue").workers, 0);

    let (mut stream, _) = Stream::open(&calls, hello("w", "q", 1)).await;
    stream.jobs(1).await;
    let explained = calls.explain(&holder).await;
    assert_eq!(explained.state(), JobState::InFlight);
    assert_eq!(explained.lease.expect("a lease").worker_id, "w");

    let waiter = calls.enqueue(bound_job("q", &[("slot", 1), ("rate", 1)])).await;
    let free = calls.enqueue(job_in("q")).await;
    let explained = calls.explain(&free).await;
    assert_eq!(explained.hold_ups().collect::<Vec<_>>(), [HoldUp::NoRoom]);

    stream.set_window(2).await;
    stream.jobs(1).await;
    let explained = calls.explain(&waiter).await;
    assert_eq!(explained.hold_ups().collect::<Vec<_>>(), [HoldUp::NoRoom, HoldUp::Budget]);
    assert_eq!(explained.not_before, None, "the slot's holder has to end");
    let [rate, slot] = explained.budgets.as_slice() else { panic!("two budgets in {explained:?}") };
    assert_eq!((slot.budget.as_str(), slot.cost, slot.available, slot.holds_up), ("slot", 1, 0, true));
    assert_eq!((slot.held_by_job_ids.as_slice(), slot.held_by_total), (&[holder][..], 1));
    assert_eq!((rate.budget.as_str(), rate.holds_up, rate.held_by_total), ("rate", true, 0));
    let (from, to) = (explained.explain_time.expect("an instant"), rate.not_before.expect("an instant"));
    assert!((1..=3600).contains(&(to.seconds - from.seconds)), "an hour at most: {from:?} {to:?}");

    let in_an_hour = prost_types::Timestamp { seconds: from.seconds + 3600, nanos: 0 };
    let later = calls.enqueue(wire::JobSpec { run_time: Some(in_an_hour), ..job_in("q") }).await;
    let explained = calls.explain(&later).await;
    assert_eq!(explained.hold_ups().next(), Some(HoldUp::NotReady));
    let missing = calls.jobs.explain_job(wire::ExplainJobRequest { job_id: "none".into() }).await;
    assert_refused(missing, Code::NotFound, "JOB_NOT_FOUND");
}

#[tokio::test]
async fn a_job_too_large_for_its_workers_says_so() {
    let server = Server::start().await;
    let mut calls = server.calls().await;
    let small = wire::WorkerHello { max_message_bytes: 64 << 10, ..hello("w", "q", 9) };
    let (mut stream, _) = Stream::open(&calls, small).await;
    let payload = Some(wire::job_spec::Payload::Binary(vec![0; 64 << 10].into()));
    let large = calls.enqueue(wire::JobSpec { payload, ..job_in("q") }).await;
    let fits = calls.enqueue(job_in("q")).await;
    assert_eq!(stream.jobs(1).await[0].job.as_ref().expect("a job").id, fits);
    let explained = calls.explain(&large).await;
    assert_eq!(explained.hold_ups().collect::<Vec<_>>(), [HoldUp::TooLarge]);
    assert_eq!(explained.queue.expect("a queue").workers_too_small, 1);

    let wide = wire::WorkerHello { lease_duration: Some(seconds(5)), ..hello("wide", "q", 9) };
    let (mut stream, _) = Stream::open(&calls, wide).await;
    assert_eq!(stream.jobs(1).await[0].job.as_ref().expect("a job").id, large);
    until("the holder", async || (calls.job_state(&large).await == JobState::InFlight).then_some(())).await;
}
