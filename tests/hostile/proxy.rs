//! A proxy that cuts a connection when no DATA has passed for a while, as load balancers do with streams that look idle: pings
//! and settings of HTTP/2 don't count.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use tonic::transport::{Channel, Endpoint};

use crate::support::within;

const PREFACE_BYTES: usize = 24;
const HEAD_BYTES: usize = 9;
const DATA: u8 = 0;

pub struct Proxy {
    address: SocketAddr,
    cuts: Arc<AtomicUsize>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// A proxy in front of `server` that cuts after this silence.
    pub async fn start(server: SocketAddr, silence: Duration) -> Self {
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let cuts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&cuts);
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let cuts = Arc::clone(&counted);
                tokio::spawn(async move {
                    let Ok(server) = TcpStream::connect(server).await else { return };
                    if carry(client, server, silence).await {
                        cuts.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        Self { address, cuts, accepting }
    }

    /// How many connections it has cut.
    pub fn cuts(&self) -> usize {
        self.cuts.load(Ordering::Relaxed)
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A connection through it.
    pub async fn channel(&self) -> Channel {
        let endpoint = Endpoint::from_shared(self.url()).expect("an address");
        within("a connection", endpoint.connect()).await.expect("a connection")
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Carries frames both ways; whether it was silence that ended it.
async fn carry(client: TcpStream, server: TcpStream, silence: Duration) -> bool {
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let data = Arc::new(Notify::new());
    let mut up = tokio::spawn(copy(from_client, to_server, PREFACE_BYTES, Arc::clone(&data)));
    let mut down = tokio::spawn(copy(from_server, to_client, 0, Arc::clone(&data)));
    let is_silent = async {
        let mut until = Instant::now() + silence;
        while timeout_at(until, data.notified()).await.is_ok() {
            until = Instant::now() + silence;
        }
    };
    let cut = tokio::select! {
        _ = &mut up => false,
        _ = &mut down => false,
        () = is_silent => true,
    };
    up.abort();
    down.abort();
    cut
}

/// Copies frames, and tells of DATA.
async fn copy(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    preface: usize,
    data: Arc<Notify>,
) -> std::io::Result<()> {
    let mut bytes = vec![0; preface];
    from.read_exact(&mut bytes).await?;
    to.write_all(&bytes).await?;
    loop {
        let mut head = [0; HEAD_BYTES];
        from.read_exact(&mut head).await?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        bytes.resize(length, 0);
        from.read_exact(&mut bytes).await?;
        if head[3] == DATA && length > 0 {
            data.notify_one();
        }
        to.write_all(&[&head[..], &bytes].concat()).await?;
    }
}
