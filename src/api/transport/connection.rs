//! TCP connections as the server takes them: bounded in number, given up where they stay silent, and cut when the server ends.
//!
//! HTTP/2 has its own keepalive, but only from its preface on, and the transport's tasks outlive the server that spawned
//! them; what neither of them sees to is seen to here.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};
use tokio_stream::Stream;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::TcpIncoming;

/// How long a client has for the HTTP/2 preface.
const PREFACE_WITHIN: Duration = Duration::from_secs(10);
/// Bytes of the HTTP/2 preface (RFC 9113, 3.4).
const PREFACE_BYTES: usize = 24;
/// How long nothing is accepted after an accept failed, such as for want of file descriptors.
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(100);

/// When connections end that wouldn't end by themselves.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    /// Those that haven't sent their preface end now.
    pub silent: CancellationToken,
    /// All end now.
    pub all: CancellationToken,
}

/// The connections that come in: at most `connections_max` at once, beyond which none is accepted until one ends.
pub fn incoming(listener: TcpListener, connections_max: usize, ends: Ends) -> impl Stream<Item = Connection> {
    let places = Arc::new(Semaphore::new(connections_max));
    let accepted = TcpIncoming::from(listener).with_nodelay(Some(true));
    stream::unfold((accepted, places, ends), async |(mut accepted, places, ends)| {
        loop {
            let place = Arc::clone(&places).acquire_owned().await.expect("the semaphore is never closed");
            match accepted.next().await? {
                Ok(stream) => {
                    let connection = Connection::new(stream, place, &ends);
                    return Some((connection, (accepted, places, ends)));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection can't be accepted");
                    sleep(PAUSE_AFTER_ERROR).await;
                }
            }
        }
    })
}

/// One connection.
pub struct Connection {
    stream: TcpStream,
    /// What is missing of its preface; `None` once it is there.
    preface: Option<Preface>,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Given back when the connection ends.
    _place: OwnedSemaphorePermit,
}

struct Preface {
    bytes_missing: usize,
    late: Pin<Box<Sleep>>,
    given_up: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Connection {
    fn new(stream: TcpStream, place: OwnedSemaphorePermit, ends: &Ends) -> Self {
        Self {
            stream,
            preface: Some(Preface {
                bytes_missing: PREFACE_BYTES,
                late: Box::pin(sleep(PREFACE_WITHIN)),
                given_up: Box::pin(ends.silent.clone().cancelled_owned()),
            }),
            cut: Box::pin(ends.all.clone().cancelled_owned()),
            _place: place,
        }
    }

    /// Whether the connection may go on. Wakes the task when it no longer may.
    fn poll_open(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if self.cut.as_mut().poll(cx).is_ready() {
            return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the server has ended"));
        }
        if let Some(preface) = &mut self.preface
            && (preface.late.as_mut().poll(cx).is_ready() || preface.given_up.as_mut().poll(cx).is_ready())
        {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "no HTTP/2 preface came in time"));
        }
        Ok(())
    }

    fn has_read(&mut self, bytes: usize) {
        if let Some(preface) = &mut self.preface {
            preface.bytes_missing = preface.bytes_missing.saturating_sub(bytes);
            if preface.bytes_missing == 0 {
                self.preface = None;
            }
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.poll_open(cx)?;
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        self.has_read(buf.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_open(cx)?;
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_open(cx)?;
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::SocketAddr;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// A server's side and a client's side of one connection.
    async fn connect(ends: &Ends) -> (Connection, TcpStream) {
        let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
        let listener = TcpListener::bind(loopback).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let mut incoming = Box::pin(incoming(listener, 1, ends.clone()));
        let (accepted, connected) = tokio::join!(incoming.next(), TcpStream::connect(address));
        let accepted = accepted.expect("a connection");
        (accepted, connected.expect("a connected client"))
    }

    #[tokio::test]
    async fn a_silent_connection_ends_with_the_server() {
        let ends = Ends::default();
        let (mut server, _client) = connect(&ends).await;
        let reading = tokio::spawn(async move { server.read_u8().await });
        ends.silent.cancel();
        let error = reading.await.expect("no panic").expect_err("an end");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_connection_with_its_preface_ends_only_when_it_is_cut() {
        let ends = Ends::default();
        let (mut server, mut client) = connect(&ends).await;
        let mut preface = [0; PREFACE_BYTES];
        client.write_all(&preface).await.expect("a write");
        server.read_exact(&mut preface).await.expect("the preface");
        ends.silent.cancel();
        client.write_all(b"x").await.expect("a write");
        assert_eq!(server.read_u8().await.expect("one more byte"), b'x');
        let reading = tokio::spawn(async move { server.read_u8().await });
        ends.all.cancel();
        let error = reading.await.expect("no panic").expect_err("an end");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionAborted);
        assert_eq!(client.read(&mut [0]).await.expect("the end"), 0);
    }

    #[tokio::test]
    async fn part_of_a_preface_is_none() {
        let ends = Ends::default();
        let (mut server, mut client) = connect(&ends).await;
        let mut part = [0; PREFACE_BYTES - 1];
        client.write_all(&part).await.expect("a write");
        server.read_exact(&mut part).await.expect("a part");
        ends.silent.cancel();
        assert!(server.read_u8().await.is_err());
    }
}
