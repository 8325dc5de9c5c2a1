//! A proxy of connections: it carries bytes, until it is told to reset connections, to fall silent on them, or to take none.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::failure::{At, Outcome};

/// One proxy. Ends with this value.
pub(crate) struct Link {
    address: SocketAddr,
    orders: watch::Sender<Orders>,
    accepting: JoinHandle<()>,
}

/// What it was told so far. A connection heeds what came after it.
#[derive(Clone, Copy, Default)]
struct Orders {
    cuts: u64,
    mutes: u64,
    refuses: bool,
}

impl Link {
    /// A proxy to a server.
    pub async fn start(server: SocketAddr) -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.at("a port for the link")?;
        let address = listener.local_addr().at("a port for the link")?;
        let (orders, told) = watch::channel(Orders::default());
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, server, told.clone()));
            }
        });
        Ok(Self { address, orders, accepting })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Resets all connections.
    pub fn cut(&self) {
        self.orders.send_modify(|orders| orders.cuts += 1);
    }

    /// Keeps all connections, and carries nothing more over them.
    pub fn mute(&self) {
        self.orders.send_modify(|orders| orders.mutes += 1);
    }

    /// Resets all connections and those to come, or takes them again.
    pub fn refuse(&self, refuses: bool) {
        self.orders.send_modify(|orders| {
            orders.refuses = refuses;
            orders.cuts += u64::from(refuses);
        });
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Carries one connection to its end.
async fn carry(mut client: TcpStream, server: SocketAddr, mut told: watch::Receiver<Orders>) {
    let first = *told.borrow_and_update();
    let connected = if first.refuses { None } else { TcpStream::connect(server).await.ok() };
    let Some(mut server) = connected else {
        reset(client);
        return;
    };
    let changed = tokio::select! {
        // Either side has ended, and both are dropped.
        _ = copy_bidirectional(&mut client, &mut server) => return,
        changed = told.wait_for(|orders| orders.cuts > first.cuts || orders.mutes > first.mutes) => changed.is_ok(),
    };
    if changed && told.wait_for(|orders| orders.cuts > first.cuts).await.is_ok() {
        reset(client);
        reset(server);
    }
}

/// Ends a connection without a goodbye. One that has ended is left as it is.
fn reset(stream: TcpStream) {
    stream.set_zero_linger().ok();
}
