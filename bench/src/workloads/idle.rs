//! (j, k) Streams on which nothing happens: what they take from those on which something does, and what they take at rest.

use anyhow::{Result, bail};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;

use super::{Bench, Cases, cycle};
use crate::load::{self, Load, Shape};
use crate::meter::Meter;
use crate::process::Server;
use crate::results::{Figure, Results, Run};
use crate::wire::lean::DispatchRequest;
use crate::wire::lean::dispatch_request::Frame as ToServer;
use crate::wire::lean::dispatch_response::Frame;

/// Streams beside the cycle.
const BESIDE_MAX: u64 = 1000;
const STREAMS_A_CONNECTION: u64 = 100;

pub(super) async fn beside(bench: &Bench, _: &Results) -> Result<Cases> {
    let server = bench.server(&[])?;
    let streams = BESIDE_MAX.min(bench.size.idle_streams);
    let idle = open(&server, streams).await?;
    let span = cycle::cycle(&server, bench.size.cycle_jobs).await?;
    drop(idle);
    let run = span.run_with(&server.stop()?).with(Figure::Own("idle streams"), streams as f64);
    Ok(vec![("j: beside idle streams".to_owned(), run)])
}

pub(super) async fn at_rest(bench: &Bench, _: &Results) -> Result<Cases> {
    let server = bench.server(&[])?;
    let process = server.process();
    let (streams, empty_bytes) = (bench.size.idle_streams, process.memory_bytes()?);
    let mut idle = open(&server, streams).await?;
    let span = idle.measure(process, &Meter::new(), bench.size.warm, bench.size.length).await?;
    let bytes = process.memory_bytes()?.saturating_sub(empty_bytes);
    let run = Run::default()
        .with_memory(process.memory_bytes()?)
        .with(Figure::Own("idle streams"), streams as f64)
        .with(Figure::Own("RSS kB a stream"), bytes as f64 / 1e3 / streams as f64)
        .with(Figure::Own("CPU %"), span.cpu.as_secs_f64() / span.elapsed.as_secs_f64() * 100.0);
    Ok(vec![("k: idle streams".to_owned(), run)])
}

/// Streams of workers that all wait for jobs of queues of their own, and are welcomed.
async fn open(server: &Server, streams: u64) -> Result<Load> {
    let connections = streams.div_ceil(STREAMS_A_CONNECTION);
    let channels = load::connections(server.process().address, connections as usize).await?;
    let (mut load, welcomed) = (Load::new(), Meter::new());
    welcomed.open();
    for number in 0..streams {
        let channel = channels[(number % connections) as usize].clone();
        load.add(wait(channel, number, welcomed.clone()));
    }
    load.until(welcomed.reaches(streams)).await?;
    Ok(load)
}

/// A worker that never gets anything. It asks for no pings.
async fn wait(channel: Channel, number: u64, welcomed: Meter) -> Result<()> {
    let shape = Shape { name: format!("idle-{number}"), queue: format!("idle-{number}"), window: 1, one_by_one: false };
    let (to_server, requests) = mpsc::channel(1);
    to_server.send(DispatchRequest { frame: Some(ToServer::Hello(load::encoded(&load::hello(&shape)))) }).await?;
    let mut frames = load::jobs(channel).dispatch(ReceiverStream::new(requests)).await?.into_inner();
    while let Some(response) = frames.message().await? {
        match response.frame {
            Some(Frame::Welcome(_)) => welcomed.add_jobs(1),
            other => bail!("an idle stream was sent {other:?}"),
        }
    }
    bail!("the server has ended an idle stream")
}
