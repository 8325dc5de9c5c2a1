//! `sluicegate.v1.QueueService`.

use std::sync::Arc;

use tonic::{Request, Response, Status};

use super::context::Context;
use super::convert::explain::queue;
use super::convert::{At, name, page_size};
use super::page_token;
use super::proto as pb;
use super::proto::queue_service_server::QueueService;
use crate::scheduler::{Command, Reply};

/// Shows, pauses and resumes queues.
pub struct QueueApi(pub Arc<Context>);

impl QueueApi {
    /// Applies a command that is answered with the queue.
    async fn change(&self, command: Command) -> Result<pb::Queue, Status> {
        self.0.accepting()?;
        match self.0.handle.apply(command).await? {
            Reply::Queue(view) => Ok(queue(view, self.0.clock.now())),
            other => unreachable!("a change of a queue is answered with it, not with {other:?}"),
        }
    }
}

#[tonic::async_trait]
impl QueueService for QueueApi {
    async fn list_queues(
        &self,
        request: Request<pb::ListQueuesRequest>,
    ) -> Result<Response<pb::ListQueuesResponse>, Status> {
        let wire = request.into_inner();
        let limit = page_size(&At::Root.field("page_size"), wire.page_size)?;
        let after = page_token::queue(&wire.page_token)?;
        let (page, now) =
            self.0.handle.read(move |view| (view.scheduler.list_queues(after.as_deref(), limit), view.now)).await?;
        let next = page.next_after.as_deref().map(page_token::after_queue);
        let queues = page.items.into_iter().map(|view| queue(view, now));
        Ok(Response::new(pb::ListQueuesResponse {
            queues: queues.collect(),
            next_page_token: next.unwrap_or_default(),
        }))
    }

    async fn pause_queue(
        &self,
        request: Request<pb::PauseQueueRequest>,
    ) -> Result<Response<pb::PauseQueueResponse>, Status> {
        let name = name(&At::Root.field("name"), request.into_inner().name)?;
        let queue = Some(self.change(Command::PauseQueue { queue: name }).await?);
        Ok(Response::new(pb::PauseQueueResponse { queue }))
    }

    async fn resume_queue(
        &self,
        request: Request<pb::ResumeQueueRequest>,
    ) -> Result<Response<pb::ResumeQueueResponse>, Status> {
        let name = name(&At::Root.field("name"), request.into_inner().name)?;
        let queue = Some(self.change(Command::ResumeQueue { queue: name }).await?);
        Ok(Response::new(pb::ResumeQueueResponse { queue }))
    }
}
