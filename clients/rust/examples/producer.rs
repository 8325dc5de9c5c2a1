//! Declares a budget and enqueues jobs bound to it, one for each argument.

use std::env;
use std::time::Duration;

use sluicegate_client::{Client, Error, Job, Policy, TimeBased};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let server = env::var("SLUICEGATE_SERVER").unwrap_or_else(|_| "127.0.0.1:7654".into());
    let client = Client::connect(format!("http://{server}")).await?;

    // 100 a minute, at most 8 at a stroke. Every instance may declare it on boot.
    let rate = Policy::time_based(100, TimeBased::per(Duration::from_secs(60)).burst(8));
    match client.create_budget("smtp", rate).await {
        Ok(_) | Err(Error::BudgetAlreadyExists { .. }) => {}
        Err(error) => return Err(error),
    }

    let mut jobs = Vec::new();
    for to in env::args().skip(1) {
        // At most 4 at once for each receiver; the budget comes with its first job.
        let per_receiver = Policy::while_in_flight(4);
        let job = Job::new("emails", "welcome")
            .json(&to)?
            .bind("smtp", 1)
            .bind_with(format!("to:{to}"), 1, per_receiver)
            .unique(format!("welcome:{to}"));
        jobs.push(job);
    }
    for job in client.enqueue_many(jobs).await? {
        let what = if job.existing { "was there" } else { "enqueued" };
        println!("{} {what}", job.id);
    }
    Ok(())
}
