//! A client at the level of HTTP/2: it chooses its windows, sends what it likes of a message, and reads what it likes.

use std::net::SocketAddr;

use h2::client::{ResponseFuture, SendRequest};
use h2::{Reason, RecvStream, SendStream};
use prost::Message;
use prost::bytes::Bytes;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tonic::codegen::http::{Request, Response};

use crate::support::within;

/// One connection.
pub struct Peer {
    requests: SendRequest<Bytes>,
    carrying: JoinHandle<Result<(), h2::Error>>,
}

impl Peer {
    /// A connection whose streams let the server send so many bytes.
    pub async fn connect(address: SocketAddr, window_bytes: u32) -> Self {
        let stream = TcpStream::connect(address).await.expect("a connection");
        let mut builder = h2::client::Builder::new();
        builder.initial_window_size(window_bytes).initial_connection_window_size(1 << 30);
        let (requests, connection) = within("a handshake", builder.handshake(stream)).await.expect("a handshake");
        Self { requests, carrying: tokio::spawn(connection) }
    }

    /// Begins a call of this method.
    pub async fn call(&mut self, method: &str) -> Result<Call, h2::Error> {
        self.call_with(method, &[]).await
    }

    /// The same with more headers.
    pub async fn call_with(&mut self, method: &str, headers: &[(&str, &str)]) -> Result<Call, h2::Error> {
        let mut requests = within("room for a stream", self.requests.clone().ready()).await?;
        let mut request = Request::post(format!("http://localhost{method}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (answer, sending) = requests.send_request(request.body(()).expect("a request"), false)?;
        Ok(Call { answer, sending })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.carrying.abort();
    }
}

/// One call that has begun.
pub struct Call {
    answer: ResponseFuture,
    pub sending: SendStream<Bytes>,
}

impl Call {
    /// Sends bytes as they are, as the server takes them.
    pub async fn send(&mut self, mut bytes: Bytes) -> Result<(), h2::Error> {
        while !bytes.is_empty() {
            self.sending.reserve_capacity(bytes.len());
            let capacity = std::future::poll_fn(|cx| self.sending.poll_capacity(cx)).await;
            let Some(capacity) = capacity else { return Err(Reason::STREAM_CLOSED.into()) };
            let piece = bytes.split_to(capacity?.min(bytes.len()));
            self.sending.send_data(piece, false)?;
        }
        Ok(())
    }

    /// Sends a message.
    pub async fn send_message(&mut self, message: &impl Message) -> Result<(), h2::Error> {
        self.send(framed(message)).await
    }

    /// Sends nothing more.
    pub fn close(&mut self) {
        let _ = self.sending.send_data(Bytes::new(), true);
    }

    /// The answer, while this side stays open.
    pub async fn stays_open(self) -> Result<(RecvStream, SendStream<Bytes>), h2::Error> {
        Ok((within("an answer", self.answer).await?.into_body(), self.sending))
    }

    /// The beginning of the answer.
    pub async fn answer(self) -> Result<Response<RecvStream>, h2::Error> {
        within("an answer", self.answer).await
    }
}

/// A message with its prefix.
pub fn framed(message: &impl Message) -> Bytes {
    let message = message.encode_to_vec();
    let mut bytes = prefix(message.len());
    bytes.extend(message);
    bytes.into()
}

/// What comes before a message of so many bytes.
pub fn prefix(bytes: usize) -> Vec<u8> {
    let mut prefix = vec![0];
    prefix.extend(u32::try_from(bytes).expect("a length").to_be_bytes());
    prefix
}

/// The status of an answer, wherever it stands.
pub async fn status(answer: Result<Response<RecvStream>, h2::Error>) -> Result<String, h2::Error> {
    let answer = answer?;
    if let Some(status) = answer.headers().get("grpc-status") {
        return Ok(status.to_str().expect("a number").to_owned());
    }
    let mut body = answer.into_body();
    while let Some(data) = within("data", body.data()).await {
        let _ = body.flow_control().release_capacity(data?.len());
    }
    let trailers = within("trailers", body.trailers()).await?.expect("trailers");
    Ok(trailers.get("grpc-status").expect("a status").to_str().expect("a number").to_owned())
}
