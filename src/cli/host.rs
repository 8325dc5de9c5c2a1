//! A server in this process: its parts put together, started in order, and ended in order.
//!
//! Owns what is said when a part can't be started. Refuses to know why it should end.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

use anyhow::{Context, bail};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::api::{self, ApiOptions};
use crate::clock::{Clock, SystemClock};
use crate::config::{Config, Storage};
use crate::driver::{self, Handle, Joined, Measure};
use crate::event_log::EventLog;
use crate::store::{NullStore, OpenStore, Store, Syncs};

/// A server that has its address and its store, and doesn't answer yet.
pub(super) struct Host {
    listener: TcpListener,
    clock: Arc<dyn Clock>,
    handle: Handle,
    joined: Joined,
    options: ApiOptions,
}

impl Host {
    /// Takes the address first, since that changes nothing, then opens and recovers the store.
    pub async fn start(config: &Config) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(config.listen).await.map_err(|error| refused(config.listen, &error))?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let syncs = Syncs::default();
        let source = source(&config.store, &syncs);
        let options = driver::Options {
            config: config.scheduler.clone(),
            durability: config.durability,
            event_log: config.event_log.as_deref().map(event_log).transpose()?,
            measure: measure(config.measure.as_deref(), &clock, syncs)?,
            ..driver::Options::default()
        };
        let of_driver = Arc::clone(&clock);
        let starting = tokio::task::spawn_blocking(move || driver::start(source, of_driver, options));
        let (handle, joined) = starting.await.context("the store's opening was interrupted")??;
        let options = ApiOptions {
            payload_bytes_max: config.scheduler.payload_bytes_max,
            shutdown_grace: config.shutdown_grace,
            ..ApiOptions::default()
        };
        Ok(Self { listener, clock, handle, joined, options })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until `shutdown` completes, then drains, and closes the store. Fails where the scheduler did.
    pub async fn serve(self, shutdown: impl Future<Output = ()>) -> anyhow::Result<()> {
        let Self { listener, clock, handle, joined, options } = self;
        {
            let mut serving = pin!(api::run(listener, handle.clone(), clock, options, shutdown));
            let mut joining = pin!(joined.join());
            tokio::select! {
                () = &mut serving => {}
                ended = &mut joining => {
                    ended?;
                    bail!("the scheduler ended before it was told to, which is a bug");
                }
            }
            handle.stop().await;
            joining.await?;
        }
        Ok(())
    }
}

/// What opens the store, and counts its syncs.
fn source(storage: &Storage, syncs: &Syncs) -> Box<dyn OpenStore> {
    match storage {
        Storage::Directory(redb) => {
            let (redb, syncs) = (redb.clone(), syncs.clone());
            Box::new(move || redb.open_counting(&syncs))
        }
        Storage::Nowhere => Box::new(|| Ok(Box::new(NullStore::default()) as Box<dyn Store>)),
    }
}

fn measure(path: Option<&Path>, clock: &Arc<dyn Clock>, syncs: Syncs) -> anyhow::Result<Measure> {
    let Some(path) = path else { return Ok(Measure::default()) };
    Measure::append_to(path, Arc::clone(clock), syncs)
        .with_context(|| format!("cannot append measures to {}", path.display()))
}

/// Opens the event log, and opens it again at each SIGHUP, by which whoever moves a log away asks for a new one.
fn event_log(path: &Path) -> anyhow::Result<Arc<EventLog>> {
    let opened = EventLog::open(path).with_context(|| format!("cannot append to the event log {}", path.display()))?;
    let log = Arc::new(opened);
    let mut hangups = signal(SignalKind::hangup())?;
    let reopened = Arc::downgrade(&log);
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            let Some(log) = reopened.upgrade() else { return };
            log.reopen();
        }
    });
    Ok(log)
}

/// Why an address can't be had, and what to do about it.
fn refused(address: SocketAddr, error: &io::Error) -> anyhow::Error {
    let port = address.port();
    let why = match error.kind() {
        io::ErrorKind::AddrInUse => format!(
            "another program listens there, perhaps another sluicegate; `ss -ltnp 'sport = :{port}'` shows which. \
             --listen names another address"
        ),
        io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied: ports below 1024 take a privilege".to_owned(),
        _ => error.to_string(),
    };
    anyhow::anyhow!("cannot listen on {address}: {why}")
}
