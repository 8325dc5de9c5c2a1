//! Carries answers from the owner thread to those who wait for them, all of a commit at once.
//!
//! Whoever wakes a runtime from another thread makes a system call for it. A task in the runtime, which one call wakes, then
//! wakes all others for nothing.

use tokio::runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::handle::Refusal;
use super::mailbox::Answer;
use crate::scheduler::Reply;

/// An answer, and who waits for it.
pub(super) type Delivery = (Answer, Result<Reply, Refusal>);

/// The owner thread's side. There are no more deliveries on their way than there were letters.
#[derive(Debug)]
pub(super) struct Porter(UnboundedSender<Vec<Delivery>>);

impl Porter {
    /// A porter that delivers in this runtime, until the owner thread has ended and all is delivered.
    pub(super) fn start(runtime: &runtime::Handle) -> Self {
        let (deliveries, arriving) = unbounded_channel();
        runtime.spawn(carry(arriving));
        Self(deliveries)
    }

    /// Delivers these, in order.
    pub(super) fn carry(&self, deliveries: Vec<Delivery>) {
        if !deliveries.is_empty() {
            // A runtime that has ended has nobody who waits.
            let _ = self.0.send(deliveries);
        }
    }
}

async fn carry(mut arriving: UnboundedReceiver<Vec<Delivery>>) {
    while let Some(deliveries) = arriving.recv().await {
        for (answer, outcome) in deliveries {
            // Who gave up waiting doesn't hear the answer.
            let _ = answer.send(outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn everybody_hears_the_own_answer_though_one_gave_up() {
        let porter = Porter::start(&runtime::Handle::current());
        let (one, hears_one) = oneshot::channel();
        let (gone, hears_nothing) = oneshot::channel();
        let (two, hears_two) = oneshot::channel();
        drop(hears_nothing);
        porter.carry(Vec::new());
        porter.carry(vec![(one, Ok(Reply::Done)), (gone, Ok(Reply::Done))]);
        porter.carry(vec![(two, Err(Refusal::Overloaded { limit: 7 }))]);
        drop(porter);
        assert_eq!(hears_one.await, Ok(Ok(Reply::Done)));
        assert_eq!(hears_two.await, Ok(Err(Refusal::Overloaded { limit: 7 })));
    }
}
