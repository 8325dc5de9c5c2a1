//! A worker without a server: what drains, stops and ends, and in which order.

use std::time::Duration;

use super::*;
use crate::worker::context::JobContext;
use crate::worker::outcome::HandlerError;
use crate::{Client, Worker};

fn engine(window: usize, shutdown: &CancellationToken) -> Engine {
    let client = Client::connect_lazy("http://127.0.0.1:1").expect("a URI");
    let worker = Worker::builder(client)
        .queue("q")
        .worker_id("w")
        .window(window)
        .handler_for_all(|context: JobContext| async move {
            context.cancelled().await;
            Err::<(), _>(HandlerError::failure("stopped"))
        })
        .build()
        .expect("it has a queue and a handler");
    Engine::new(worker.settings, worker.handlers, worker.stats, shutdown.clone())
}

fn push(engine: &mut Engine, lease_ids: &[&str], now: Instant) {
    let leased = |lease_id: &&str| wire::LeasedJob {
        lease: Some(wire::Lease { id: lease_id.to_string(), ..Default::default() }),
        job: Some(wire::Job {
            spec: Some(wire::JobSpec {
                bindings: vec![wire::Binding { budget: "b".into(), ..Default::default() }],
                ..Default::default()
            }),
            ..Default::default()
        }),
    };
    engine.pushed(lease_ids.iter().map(leased).collect(), now);
}

fn confirm_all(engine: &mut Engine, now: Instant) -> Vec<wire::SettleOutcome> {
    let outcomes = engine.inflight.take_settlements(1000, usize::MAX);
    let settled = |outcome: &wire::SettleOutcome| wire::SettleResult {
        lease_id: outcome.lease_id.clone(),
        status: wire::SettleStatus::Settled.into(),
        ..Default::default()
    };
    engine.settled(&outcomes.iter().map(settled).collect::<Vec<_>>(), now);
    outcomes
}

async fn finish_one(engine: &mut Engine, now: Instant) {
    let event = engine.next_event().await;
    assert!(matches!(event, LocalEvent::Finished(_)));
    engine.apply(event, now);
}

#[tokio::test]
async fn a_drain_gives_back_what_waits_then_stops_handlers_then_is_over() {
    let (shutdown, now) = (CancellationToken::new(), Instant::now());
    let mut engine = engine(1, &shutdown);
    push(&mut engine, &["a", "b"], now);
    assert_eq!((engine.inflight.started(), engine.stats.in_hand()), (1, 2));
    assert!(!engine.is_done());

    shutdown.cancel();
    let event = engine.next_event().await;
    assert!(matches!(event, LocalEvent::Shutdown));
    engine.apply(event, now);
    assert_eq!((engine.window(), engine.hello().window.map(|window| window.max_jobs)), (0, Some(0)));
    let released = confirm_all(&mut engine, now);
    let usage = vec![wire::BudgetUsage { budget: "b".into(), cost: 0 }];
    assert_eq!((released.len(), &released[0].lease_id, &released[0].usage), (1, &"b".to_owned(), &usage));
    assert!(!engine.is_done(), "a handler is at work");

    engine.apply(LocalEvent::PhaseOver, now);
    finish_one(&mut engine, now).await;
    assert!(!engine.is_done(), "its settlement isn't confirmed");
    let outcome = confirm_all(&mut engine, now).pop().and_then(|outcome| outcome.outcome);
    assert!(
        matches!(outcome, Some(wire::settle_outcome::Outcome::Release(_))),
        "a failure of a handler that had to stop is a release: {outcome:?}"
    );
    assert!(engine.is_done());
    assert_eq!((engine.stats.released(), engine.stats.failed(), engine.stats.in_hand()), (2, 0, 0));
}

#[tokio::test]
async fn a_job_that_comes_while_draining_goes_back_unused() {
    let (shutdown, now) = (CancellationToken::new(), Instant::now());
    let mut engine = engine(2, &shutdown);
    engine.apply(LocalEvent::Shutdown, now);
    assert!(engine.is_done(), "it holds nothing");
    push(&mut engine, &["late"], now);
    assert_eq!(engine.inflight.started(), 0);
    assert_eq!(confirm_all(&mut engine, now)[0].usage.len(), 1);
    assert!(engine.is_done());
}

#[tokio::test]
async fn after_both_graces_nothing_is_waited_for() {
    let (shutdown, now) = (CancellationToken::new(), Instant::now());
    let mut engine = engine(1, &shutdown);
    push(&mut engine, &["a"], now);
    engine.apply(LocalEvent::Shutdown, now);
    engine.apply(LocalEvent::PhaseOver, now);
    assert!(!engine.is_done());
    engine.apply(LocalEvent::PhaseOver, now);
    assert!(engine.is_done());
    assert_eq!(engine.inflight.lease_ids(), ["a"], "leaving releases it");
}

#[tokio::test]
async fn a_handler_whose_lease_is_lost_takes_a_place_until_it_ends() {
    let (shutdown, now) = (CancellationToken::new(), Instant::now());
    let mut engine = engine(3, &shutdown);
    push(&mut engine, &["a", "b"], now);
    assert_eq!(engine.window(), 3);
    let lost = wire::LeasesRevoked { lease_ids: vec!["a".into()], reason: wire::RevokeReason::Expired.into() };
    engine.revoked(&lost, now);
    assert_eq!((engine.window(), engine.inflight.len()), (2, 1));

    finish_one(&mut engine, now).await;
    assert_eq!(engine.window(), 3);
    assert_eq!((engine.stats.lost(), engine.stats.failed(), engine.stats.in_hand()), (1, 0, 1));
    assert!(confirm_all(&mut engine, now).is_empty(), "its outcome is dropped");
}

#[tokio::test]
async fn a_hello_names_what_is_held_even_if_that_is_nothing() {
    let (shutdown, now) = (CancellationToken::new(), Instant::now());
    let mut engine = engine(2, &shutdown);
    let hello = engine.hello();
    assert_eq!(hello.held_leases, Some(wire::HeldLeases { lease_ids: Vec::new() }));
    assert!(hello.confirms_receipt);
    assert_eq!((hello.worker_id.as_str(), hello.queues[0].name.as_str()), ("w", "q"));

    push(&mut engine, &["a", "b"], now);
    engine.welcomed(&["a".into()], now);
    finish_one(&mut engine, now).await;
    assert_eq!(engine.hello().held_leases.map(|held| held.lease_ids), Some(vec!["b".into()]));
}

#[tokio::test]
async fn abandoned_handlers_learn_that_their_leases_are_lost() {
    let shutdown = CancellationToken::new();
    let mut engine = engine(2, &shutdown);
    push(&mut engine, &["a", "b", "waits"], Instant::now());
    engine.abandon().await;
    assert_eq!((engine.runner.busy(), engine.stats.in_hand()), (0, 0));
}

#[tokio::test]
async fn a_worker_without_queue_handler_or_window_is_refused() {
    let client = Client::connect_lazy("http://127.0.0.1:1").expect("a URI");
    let handled = |_: JobContext| async { Ok(()) };
    let builder = || Worker::builder(client.clone());
    assert!(builder().handler_for_all(handled).build().is_err());
    assert!(builder().queue("q").build().is_err());
    assert!(builder().queue("q").handler("t", handled).window(0).build().is_err());
    let worker = builder().queue("q").handler("t", handled).build().expect("it has all it needs");
    let other = builder().queue("q").handler("t", handled).build().expect("it has all it needs");
    assert_ne!(worker.worker_id(), other.worker_id());
    assert_eq!(worker.settings.lease_duration, None::<Duration>);
}
