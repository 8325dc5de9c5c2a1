//! Commands about jobs and queues.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use sluicegate_client::{CancelMode, Client, Job, JobView, Selection};

use crate::answer;
use crate::failure::Answer;
use crate::request::{FilterIn, JobIn, JobPatchIn};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Enqueue {
    job: JobIn,
    request_id: Option<String>,
}

impl Enqueue {
    pub async fn run(self, client: &Client) -> Answer {
        let job = self.job.into();
        let enqueued = match self.request_id {
            Some(id) => client.enqueue_once(id, job).await?,
            None => client.enqueue(job).await?,
        };
        Ok(json!({ "job": answer::job(&enqueued.job), "existing": enqueued.existing }))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EnqueueMany {
    jobs: Vec<JobIn>,
    request_id: Option<String>,
}

impl EnqueueMany {
    pub async fn run(self, client: &Client) -> Answer {
        let jobs = self.jobs.into_iter().map(Job::from);
        let enqueued = match self.request_id {
            Some(id) => client.enqueue_many_once(id, jobs).await?,
            None => client.enqueue_many(jobs).await?,
        };
        Ok(enqueued.iter().map(|job| json!({ "id": job.id, "existing": job.existing })).collect())
    }
}

#[derive(Deserialize)]
pub(crate) struct Encode {
    job: JobIn,
}

impl Encode {
    pub fn run(self) -> Answer {
        Ok(BASE64_STANDARD.encode(Job::from(self.job).encode_to_vec()).into())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Id {
    job_id: String,
}

impl Id {
    pub async fn get(self, client: &Client) -> Answer {
        Ok(answer::job(&client.get_job(self.job_id).await?))
    }

    pub async fn explain(self, client: &Client) -> Answer {
        let explained = client.explain_job(self.job_id).await?;
        let hold_ups: Value = explained.hold_ups.into_iter().map(answer::hold_up).collect();
        Ok(json!({ "state": explained.state.to_string().to_uppercase(), "holdUps": hold_ups }))
    }

    pub async fn unbind_all(self, client: &Client) -> Answer {
        let job = client.get_job(self.job_id).await?;
        Ok(answer::job(&job.unbind_all(client).await?))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct List {
    filter: FilterIn,
    page_size: Option<u32>,
}

impl List {
    pub async fn run(self, client: &Client) -> Answer {
        let jobs = self.filter.of(client).list_in(JobView::Basic, self.page_size).all().await?;
        Ok(jobs.iter().map(answer::job).collect())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Selected {
    filter: FilterIn,
    #[serde(default)]
    validate_only: bool,
}

impl Selected {
    pub async fn count(self, client: &Client) -> Answer {
        Ok(json!({ "count": self.selection(client).count().await?.to_string() }))
    }

    pub async fn retry(self, client: &Client) -> Answer {
        Ok(answer::changed(&self.selection(client).retry().await?))
    }

    pub async fn delete(self, client: &Client) -> Answer {
        Ok(answer::changed(&self.selection(client).delete().await?))
    }

    pub async fn unbind_all(self, client: &Client) -> Answer {
        Ok(answer::changed(&self.selection(client).unbind_all().await?))
    }

    pub fn selection(self, client: &Client) -> Selection {
        let jobs = self.filter.of(client);
        if self.validate_only { jobs.validate_only() } else { jobs }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cancel {
    #[serde(flatten)]
    selected: Selected,
    #[serde(default)]
    stop_in_flight: bool,
}

impl Cancel {
    pub async fn run(self, client: &Client) -> Answer {
        let mode = if self.stop_in_flight { CancelMode::Force } else { CancelMode::Ask };
        Ok(answer::changed(&self.selected.selection(client).cancel(mode).await?))
    }
}

#[derive(Deserialize)]
pub(crate) struct Update {
    #[serde(flatten)]
    selected: Selected,
    patch: JobPatchIn,
}

impl Update {
    pub async fn run(self, client: &Client) -> Answer {
        Ok(answer::changed(&self.selected.selection(client).update(self.patch.into()).await?))
    }
}

#[derive(Deserialize)]
pub(crate) struct Queues {}

impl Queues {
    pub async fn run(self, client: &Client) -> Answer {
        let queues = client.list_queues().all().await?;
        Ok(queues.iter().map(queue).collect())
    }
}

#[derive(Deserialize)]
pub(crate) struct Queue {
    queue: String,
}

impl Queue {
    pub async fn pause(self, client: &Client) -> Answer {
        Ok(queue(&client.pause_queue(self.queue).await?))
    }

    pub async fn resume(self, client: &Client) -> Answer {
        Ok(queue(&client.resume_queue(self.queue).await?))
    }
}

fn queue(queue: &sluicegate_client::Queue) -> Value {
    json!({ "name": queue.name, "paused": queue.paused, "ready": queue.ready.to_string() })
}
