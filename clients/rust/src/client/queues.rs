//! Calls about queues.

use super::Client;
use crate::convert::required;
use crate::error::Result;
use crate::listing::Listing;
use crate::queue::Queue;
use crate::wire;

impl Client {
    /// Shows the queues that have stored jobs or are paused, in the order of their names.
    pub fn list_queues(&self) -> Listing<Queue> {
        let service = self.queue_service();
        Listing::new(move |page_token| {
            let mut service = service.clone();
            async move {
                let request = wire::ListQueuesRequest { page_size: 0, page_token };
                let page = service.list_queues(request).await?.into_inner();
                Ok((page.queues.into_iter().map(Queue::from_wire).collect(), page.next_page_token))
            }
        })
    }

    /// Dispatches nothing from a queue until it is resumed; what is in flight goes on.
    pub async fn pause_queue(&self, name: impl Into<String>) -> Result<Queue> {
        let request = wire::PauseQueueRequest { name: name.into() };
        let answer = self.queue_service().pause_queue(request).await?.into_inner();
        required(answer.queue, "queue").map(Queue::from_wire)
    }

    /// Dispatches from a queue again.
    pub async fn resume_queue(&self, name: impl Into<String>) -> Result<Queue> {
        let request = wire::ResumeQueueRequest { name: name.into() };
        let answer = self.queue_service().resume_queue(request).await?.into_inner();
        required(answer.queue, "queue").map(Queue::from_wire)
    }
}
