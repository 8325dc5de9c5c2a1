//! What tonic costs by itself: a server that answers and pushes without knowing what, in a process of its own.

use std::env;
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use anyhow::{Result, bail};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Response, Status, Streaming};

use crate::load::{self, Load};
use crate::meter::Meter;
use crate::process::Process;
use crate::results::Run;
use crate::wire::floor::floor_client::FloorClient;
use crate::wire::floor::floor_server::{Floor, FloorServer};
use crate::wire::floor::{Acknowledged, Parcel};

/// Bytes of a parcel: about what a job takes on the wire.
const PARCEL_BYTES: usize = 300;
/// Parcels that a stream has on their way.
const WINDOW: usize = 1024;
/// The hidden command by which this program becomes the floor's server.
pub const COMMAND: &str = "floor";

struct Service;

#[tonic::async_trait]
impl Floor for Service {
    async fn echo(&self, request: Request<Parcel>) -> Result<Response<Parcel>, Status> {
        Ok(Response::new(request.into_inner()))
    }

    type PushStream = Pin<Box<dyn Stream<Item = Result<Parcel, Status>> + Send>>;

    async fn push(&self, request: Request<Streaming<Acknowledged>>) -> Result<Response<Self::PushStream>, Status> {
        let mut acknowledged = request.into_inner();
        let (parcels, pushed) = mpsc::channel(WINDOW);
        tokio::spawn(async move {
            let mut room = WINDOW;
            loop {
                for _ in 0..room {
                    if parcels.send(Ok(parcel())).await.is_err() {
                        return;
                    }
                }
                let Some(Ok(more)) = acknowledged.next().await else { return };
                room = more.parcels as usize;
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(pushed))))
    }
}

fn parcel() -> Parcel {
    Parcel { content: vec![b'x'; PARCEL_BYTES] }
}

/// Serves the floor on one thread, as a server on two cores serves its calls, until it is killed.
///
/// # Errors
/// There is no port.
pub async fn serve() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on {}", listener.local_addr()?);
    let incoming = TcpListenerStream::new(listener).map(|stream| {
        stream.and_then(|stream| {
            stream.set_nodelay(true)?;
            Ok(stream)
        })
    });
    tonic::transport::Server::builder()
        .initial_stream_window_size(load::STREAM_WINDOW_BYTES)
        .initial_connection_window_size(load::CONNECTION_WINDOW_BYTES)
        .add_service(FloorServer::new(Service))
        .serve_with_incoming(incoming)
        .await?;
    Ok(())
}

fn start(place: &Path) -> Result<Process> {
    let program = env::current_exe()?;
    Process::start(&program, &[COMMAND], &place.join("floor.log"))
}

/// Unary calls of so many callers.
///
/// # Errors
/// The floor's server fails.
pub async fn echo(place: &Path, callers: usize, warm: Duration, length: Duration) -> Result<Run> {
    let server = start(place)?;
    let channels = load::connections(server.address, load::CONNECTIONS.min(callers)).await?;
    let (mut load, meter) = (Load::new(), Meter::new());
    load.add_callers(
        callers,
        &meter,
        |number| FloorClient::new(channels[number % channels.len()].clone()),
        async |client| {
            client.echo(parcel()).await?;
            Ok(1)
        },
    );
    Ok(load.measure(&server, &meter, warm, length).await?.run())
}

/// Parcels pushed over so many streams, each acknowledged by a message of its own.
///
/// # Errors
/// As [`echo`].
pub async fn stream(place: &Path, streams: usize, warm: Duration, length: Duration) -> Result<Run> {
    let server = start(place)?;
    let (mut load, meter) = (Load::new(), Meter::new());
    for channel in load::connections(server.address, streams).await? {
        let meter = meter.clone();
        load.add(async move {
            let (acknowledge, acknowledged) = mpsc::channel(WINDOW);
            let opened = FloorClient::new(channel).push(ReceiverStream::new(acknowledged)).await?;
            let mut parcels = opened.into_inner();
            while parcels.message().await?.is_some() {
                meter.add_jobs(1);
                acknowledge.send(Acknowledged { parcels: 1 }).await?;
            }
            bail!("the floor's stream has ended")
        });
    }
    Ok(load.measure(&server, &meter, warm, length).await?.run())
}
