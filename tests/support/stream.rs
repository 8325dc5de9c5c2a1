//! One Dispatch stream by hand: what is sent and what comes, frame by frame.

use std::collections::VecDeque;

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use super::calls::{Calls, lease_id};
use super::wire::dispatch_request::Frame as Sent;
use super::wire::dispatch_response::Frame;
use super::wire::{self, DispatchRequest, DispatchResponse};
use super::within;

/// Frames that may wait to be sent.
const FRAMES_WAITING: usize = 1024;

/// A stream that is open, or was refused since.
pub struct Stream {
    to_server: Option<mpsc::Sender<DispatchRequest>>,
    frames: Streaming<DispatchResponse>,
    /// Frames that came while another kind was waited for.
    passed_over: VecDeque<Frame>,
}

impl Stream {
    /// Opens a stream and says nothing.
    pub async fn open_silent(calls: &Calls) -> Self {
        let (to_server, sent) = mpsc::channel(FRAMES_WAITING);
        let opening = calls.jobs.clone().dispatch(ReceiverStream::new(sent)).await;
        let frames = opening.expect("a stream opens before its Hello").into_inner();
        Self { to_server: Some(to_server), frames, passed_over: VecDeque::new() }
    }

    /// Opens a stream with a Hello, and doesn't wait for the Welcome.
    pub async fn say_hello(calls: &Calls, hello: wire::WorkerHello) -> Self {
        let stream = Self::open_silent(calls).await;
        stream.send(Sent::Hello(hello)).await;
        stream
    }

    /// Opens a stream that is welcome.
    pub async fn open(calls: &Calls, hello: wire::WorkerHello) -> (Self, wire::Welcome) {
        let mut stream = Self::say_hello(calls, hello).await;
        match stream.next().await {
            Ok(Some(Frame::Welcome(welcome))) => (stream, welcome),
            other => panic!("no Welcome but {other:?}"),
        }
    }

    /// Sends a frame. One that a stream which has ended no longer takes is dropped, as a client's would be.
    pub async fn send(&self, frame: Sent) {
        let to_server = self.to_server.as_ref().expect("this side is open");
        let _ = within("room for a frame", to_server.send(DispatchRequest { frame: Some(frame) })).await;
    }

    /// Sends a frame that names nothing.
    pub async fn send_empty(&self) {
        let to_server = self.to_server.as_ref().expect("this side is open");
        within("room for a frame", to_server.send(DispatchRequest { frame: None })).await.expect("an open stream");
    }

    /// Ends this side.
    pub fn close(&mut self) {
        self.to_server = None;
    }

    /// The next frame, or the stream's end.
    pub async fn next(&mut self) -> Result<Option<Frame>, Status> {
        if let Some(frame) = self.passed_over.pop_front() {
            return Ok(Some(frame));
        }
        self.read().await
    }

    async fn read(&mut self) -> Result<Option<Frame>, Status> {
        let response = within("a frame", self.frames.message()).await?;
        Ok(response.map(|response| response.frame.expect("a frame with a content")))
    }

    /// Waits for the frame that `pick` takes; those that come before it are kept.
    pub async fn wait_for<T>(&mut self, pick: impl Fn(&Frame) -> Option<T>) -> T {
        if let Some((at, found)) = self.passed_over.iter().enumerate().find_map(|(at, frame)| Some((at, pick(frame)?)))
        {
            self.passed_over.remove(at);
            return found;
        }
        loop {
            let frame = match self.read().await {
                Ok(Some(frame)) => frame,
                end => panic!("the stream ended: {end:?}"),
            };
            match pick(&frame) {
                Some(found) => return found,
                None => self.passed_over.push_back(frame),
            }
        }
    }

    /// The end of the stream, whatever comes before it.
    pub async fn end(&mut self) -> Result<(), Status> {
        while self.next().await?.is_some() {}
        Ok(())
    }

    /// Exactly so many jobs, over as many frames as they take.
    pub async fn jobs(&mut self, count: usize) -> Vec<wire::LeasedJob> {
        let mut jobs = Vec::new();
        while jobs.len() < count {
            jobs.extend(self.pushed().await);
        }
        assert_eq!(jobs.len(), count, "more jobs than were waited for");
        jobs
    }

    /// The jobs of the next frame that has some.
    pub async fn pushed(&mut self) -> Vec<wire::LeasedJob> {
        self.wait_for(|frame| match frame {
            Frame::Jobs(pushed) => Some(pushed.jobs.clone()),
            _ => None,
        })
        .await
    }

    /// The lease of the one job that comes.
    pub async fn one_lease(&mut self) -> String {
        lease_id(&self.jobs(1).await[0])
    }

    /// Settles, and returns the answer to each outcome in order.
    pub async fn settle(&mut self, outcomes: Vec<wire::SettleOutcome>) -> Vec<wire::SettleResult> {
        let count = outcomes.len();
        self.send(Sent::Settle(wire::SettleLeases { outcomes })).await;
        let mut results = Vec::new();
        while results.len() < count {
            let some = self.wait_for(|frame| match frame {
                Frame::Settled(settled) => Some(settled.results.clone()),
                _ => None,
            });
            results.extend(some.await);
        }
        results
    }

    /// Extends, and returns the answer to each lease in order.
    pub async fn extend(&mut self, lease_ids: Vec<String>) -> Vec<wire::ExtendResult> {
        self.send(Sent::Extend(wire::ExtendLeases { lease_ids })).await;
        self.wait_for(|frame| match frame {
            Frame::Extended(extended) => Some(extended.results.clone()),
            _ => None,
        })
        .await
    }

    /// Sets the window.
    pub async fn set_window(&self, max_jobs: u64) {
        self.send(Sent::Window(wire::Window { max_jobs, max_bytes: 0 })).await;
    }

    /// Waits for leases to be taken away.
    pub async fn revoked(&mut self) -> (Vec<String>, wire::RevokeReason) {
        self.wait_for(|frame| match frame {
            Frame::Revoked(revoked) => Some((revoked.lease_ids.clone(), revoked.reason())),
            _ => None,
        })
        .await
    }
}

/// A Hello of a worker that serves one queue.
pub fn hello(worker: &str, queue: &str, max_jobs: u64) -> wire::WorkerHello {
    wire::WorkerHello {
        worker_id: worker.to_owned(),
        queues: vec![wire::WorkerQueue { name: queue.to_owned() }],
        window: Some(wire::Window { max_jobs, max_bytes: 0 }),
        ..wire::WorkerHello::default()
    }
}

/// Leases to be taken over.
pub fn held(lease_ids: &[&str]) -> Option<wire::HeldLeases> {
    Some(wire::HeldLeases { lease_ids: lease_ids.iter().map(|id| (*id).to_owned()).collect() })
}
