//! (j, k) Streams on which nothing happens.

use anyhow::Result;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::{Bench, Cases, cycle};
use crate::load::{self, Load, Shape};
use crate::meter::Meter;
use crate::process::Server;
use crate::results::{Figure, Results, Run};
use crate::wire::lean::DispatchRequest;
use crate::wire::lean::dispatch_request::Frame;

/// Beside a load.
const BESIDE: usize = 1000;
const CONNECTIONS: usize = 100;

pub(super) async fn beside(bench: &Bench, _: &Results) -> Result<Cases> {
    let server = bench.server(&[])?;
    let mut idle = Load::new();
    open(&mut idle, &server, BESIDE).await?;
    let span = cycle::cycle(&server, bench.size.cycle_jobs).await?;
    idle.check()?;
    drop(idle);
    Ok(vec![("j: whole cycle beside 1000 idle streams".to_owned(), span.run_with(&server.stop()?))])
}

pub(super) async fn at_rest(bench: &Bench, _: &Results) -> Result<Cases> {
    let server = bench.server(&[])?;
    let (mut idle, meter, empty) = (Load::new(), Meter::new(), server.process().memory_bytes()?);
    open(&mut idle, &server, bench.size.idle_streams).await?;
    let grown = server.process().memory_bytes()?.saturating_sub(empty);
    let span = idle.measure(server.process(), &meter, bench.size.warm, bench.size.length).await?;
    let run = Run::default()
        .with(Figure::Own("KiB a stream"), grown as f64 / 1024.0 / bench.size.idle_streams as f64)
        .with(Figure::Own("CPU %"), span.cpu.as_secs_f64() / span.elapsed.as_secs_f64() * 100.0);
    Ok(vec![("k: idle streams".to_owned(), run)])
}

/// Opens so many streams, each on a queue of its own, and waits until all are welcome.
async fn open(idle: &mut Load, server: &Server, count: usize) -> Result<()> {
    let channels = load::connections(server.process().address, CONNECTIONS).await?;
    for number in 0..count {
        let shape =
            Shape { name: format!("idle-{number}"), queue: format!("idle-{number}"), window: 1, one_by_one: false };
        let (to_server, requests) = mpsc::channel(1);
        let hello = Frame::Hello(load::encoded(&load::hello(&shape)));
        to_server.send(DispatchRequest { frame: Some(hello) }).await?;
        let mut client = load::jobs(channels[number % channels.len()].clone());
        let mut frames = client.dispatch(ReceiverStream::new(requests)).await?.into_inner();
        frames.message().await?;
        idle.add(async move {
            while frames.message().await?.is_some() {}
            drop(to_server);
            Ok(())
        });
    }
    Ok(())
}
