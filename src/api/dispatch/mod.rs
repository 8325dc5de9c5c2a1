//! The Dispatch stream: a worker's side of the scheduler.
//!
//! One task a stream does all: it reads frames and hands their commands to the driver without waiting for the commits,
//! gathers answers and pushes, and sends them as fast as the worker takes them. What it holds is bounded: by the window what
//! is pushed, and by a number of unanswered frames what is asked for, beyond which nothing more is read.

mod asks;
mod outbox;
mod outlet;
mod pings;
mod stream;

use std::sync::Arc;
use std::time::Duration;

use tonic::{Status, Streaming};
use tracing::Instrument;

pub use asks::{extend, settle};
pub use outlet::Outlet;

use super::context::Context;
use super::convert::At;
use super::convert::session::{hello, welcome};
use super::errors;
use super::proto as pb;
use super::transport::cut::Cut;
use crate::ids;
use crate::scheduler::Reply;
use outlet::{Inlet, outlet};
use stream::{Conversation, Opened};

/// How long a worker has for its Hello.
const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// How long a worker has to take what is left for it once its stream has ended.
const TAKEN_WITHIN: Duration = Duration::from_secs(10);

/// Begins a stream: it is served by a task of its own, and what is to be sent comes out of the outlet.
pub fn begin(context: &Arc<Context>, inbound: Streaming<pb::DispatchRequest>) -> Outlet {
    let (inlet, outlet) = outlet();
    let cut = Cut::current();
    let context = Arc::clone(context);
    let calls = context.calls.clone();
    let serving = async move {
        serve(context, inbound, inlet).await;
        cut.after(TAKEN_WITHIN);
    };
    calls.spawn(serving.in_current_span());
    outlet
}

async fn serve(context: Arc<Context>, mut inbound: Streaming<pb::DispatchRequest>, inlet: Inlet) {
    let end = match open(&context, &mut inbound, &inlet).await {
        Ok(Some(opened)) => Box::new(Conversation::new(context, inbound, inlet.frames.clone(), opened)).run().await,
        Ok(None) => return,
        Err(status) => Err(status),
    };
    if let Err(status) = end {
        tracing::debug!(code = ?status.code(), message = status.message(), "a stream ends");
        inlet.end_with(status);
    }
}

/// Reads the Hello and opens the session; `None` where the worker went away meanwhile.
async fn open(
    context: &Context,
    inbound: &mut Streaming<pb::DispatchRequest>,
    inlet: &Inlet,
) -> Result<Option<Opened>, Status> {
    let at = At::Root.field("hello");
    let first = tokio::select! {
        biased;
        () = inlet.frames.closed() => return Ok(None),
        () = context.draining.cancelled() => return Err(errors::draining()),
        first = tokio::time::timeout(HELLO_WITHIN, inbound.message()) => first,
    };
    let frame = first.map_err(|_| at.invalid("must come within 10 s"))??;
    let frame = frame.ok_or_else(|| at.invalid("is required; the stream ended without one"))?;
    let Some(pb::dispatch_request::Frame::Hello(wire)) = frame.frame else {
        return Err(at.invalid("must come first").into());
    };
    let hello = hello(&at, wire)?;
    let opened = context.handle.open_session(hello.open.clone()).await;
    let (session, reply) = opened.map_err(|refusal| errors::relocate(refusal, in_hello))?;
    let Reply::Opened { resumed, lost } = reply else {
        unreachable!("an opening is answered with what it took over, not with {reply:?}");
    };
    tracing::debug!(
        session = ids::session_text(session.id),
        worker = &*hello.open.worker,
        client = hello.client.name,
        version = hello.client.version,
        resumed = resumed.len(),
        lost = lost.len(),
        "a worker opens a stream"
    );
    let welcome = welcome(session.id, &hello, (resumed.clone(), lost), context.limits());
    Ok(Some(Opened { session, hello, resumed, welcome }))
}

/// What the scheduler calls by its own place was written inside the Hello, where a queue is a message with a name.
fn in_hello(path: &str) -> String {
    let is_queue = path.starts_with("queues[") && path.ends_with(']');
    format!("hello.{path}{}", if is_queue { ".name" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_hello() {
        assert_eq!(in_hello("queues[2]"), "hello.queues[2].name");
        assert_eq!(in_hello("queues[2].name"), "hello.queues[2].name");
        assert_eq!(in_hello("lease_duration"), "hello.lease_duration");
    }
}
