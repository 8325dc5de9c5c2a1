//! Enqueueing: one job or a batch, all or none, and the answers that are remembered for a repeat.

use std::collections::BTreeMap;

use super::Scheduler;
use super::bindings::Plan;
use super::command::{Enqueued, NewJob, Reply};
use super::config::Config;
use super::effect::{Change, RequestRecord};
use super::event::{self, Happened};
use super::job::{Name, ReadyBy};
use super::jobs::{Common, Job, State};
use super::lane::LaneKey;
use super::queue::SizeClass;
use super::rejection::{Rejection, Within};
use super::units::{JobId, Timestamp};
use super::validate;

/// What becomes of one job of a batch.
enum Planned {
    /// Its unique key is held: it is answered with the holder.
    Existing(JobId),
    /// Its unique key is held by an earlier job of the batch.
    Twin(usize),
    /// It is new, with these bindings.
    New(Vec<super::bindings::PlannedBinding>),
}

impl Scheduler {
    pub(super) fn enqueue(
        &mut self,
        now: Timestamp,
        request: Option<Name>,
        jobs: Vec<NewJob>,
    ) -> Result<Reply, Rejection> {
        validate::jobs(&jobs, now, self.config.payload_bytes_max)?;
        if let Some(request) = &request {
            validate::request_id(request)?;
            if let Some(remembered) = self.requests.find(request, now) {
                if remembered.jobs.len() != jobs.len() {
                    let (then, now) = (remembered.jobs.len(), jobs.len());
                    let problem = format!("it named a call with {then} jobs, this one has {now}");
                    return Err(Rejection::invalid("request_id", problem));
                }
                return Ok(self.answer(&remembered.jobs));
            }
        }
        let (plan, planned) = self.plan_jobs(&jobs)?;
        let more = planned.iter().filter(|planned| matches!(planned, Planned::New(_))).count();
        let limit = self.config.jobs_max;
        if (self.jobs.len() + more) as u64 > limit {
            return Err(Rejection::Overloaded { what: "jobs", limit });
        }
        let created = self.carry_out(now, plan);
        let mut ids: Vec<(JobId, bool)> = Vec::with_capacity(jobs.len());
        for (job, planned) in jobs.into_iter().zip(planned) {
            ids.push(match planned {
                Planned::Existing(id) => (id, true),
                Planned::Twin(index) => (ids[index].0, true),
                Planned::New(bindings) => (self.insert_job(now, job, created.bind(bindings)), false),
            });
        }
        if let Some(request) = request {
            let number = JobId(self.ids.next(&mut self.journal));
            let record = RequestRecord { request, number, jobs: ids.clone(), time: now };
            self.requests.remember(record.clone(), self.config.requests_max, &mut self.journal.given);
            self.journal.given.push(Change::PutRequest(record));
        }
        Ok(self.answer(&ids))
    }

    /// The jobs by id; a lone one is shown, too.
    fn answer(&self, ids: &[(JobId, bool)]) -> Reply {
        let is_lone = ids.len() == 1;
        let enqueued = ids.iter().map(|&(id, existing)| Enqueued {
            id,
            existing,
            job: if is_lone { self.job(id).map(Box::new) } else { None },
        });
        Reply::Enqueued(enqueued.collect())
    }

    /// Decides what becomes of each job, in order, and which budgets have to be created for that (semantics 3.4).
    fn plan_jobs(&self, jobs: &[NewJob]) -> Result<(Plan, Vec<Planned>), Rejection> {
        let mut plan = Plan::default();
        let mut planned = Vec::with_capacity(jobs.len());
        let mut keys: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, job) in jobs.iter().enumerate() {
            if let Some(unique) = &job.unique {
                if let Some(holder) = self.jobs.holder(&unique.key) {
                    planned.push(Planned::Existing(holder));
                    continue;
                }
                if let Some(twin) = keys.get(&*unique.key) {
                    planned.push(Planned::Twin(*twin));
                    continue;
                }
                keys.insert(&unique.key, index);
            }
            let bindings = self.plan_bindings(&mut plan, &job.bindings).within_item("jobs", index)?;
            planned.push(Planned::New(bindings));
        }
        self.check_budget_room(plan.creations())?;
        Ok((plan, planned))
    }

    fn insert_job(&mut self, now: Timestamp, new: NewJob, bindings: Vec<super::job::Binding>) -> JobId {
        let id = JobId(self.ids.next(&mut self.journal));
        let body_bytes = new.body.bytes();
        let queue = self.queues.named(&new.queue);
        let gate = self.queues.gate(queue, SizeClass::of(body_bytes));
        let lane = self.lane_for(LaneKey { gate, priority: new.priority, bindings: bindings.into() });
        let ready_at = new.run_time.map_or(now, |run_time| run_time.max(now));
        let state = if ready_at > now { State::Scheduled } else { State::Ready };
        let job = Job {
            lane,
            common: self.jobs.share(Common { kind: new.kind, options: new.options }),
            unique: new.unique.map(Box::new),
            create_time: now,
            ready_at,
            ready_by: if ready_at > now { ReadyBy::Caller } else { ReadyBy::Now },
            run_at: ready_at,
            attempts: 0,
            releases: 0,
            unconfirmed: 0,
            failures: 0,
            body_bytes,
            state: state.into(),
        };
        self.add_job(id, job);
        self.journal.jobs.push(id);
        self.journal.given.push(Change::PutBody(id, new.body));
        self.journal.note(now, || Happened::Enqueued {
            job: id,
            queue: new.queue,
            bindings: event::bound(&self.budgets, &self.lanes.get(lane).key.bindings),
        });
        id
    }
}

/// The answered enqueues that a repeat would get again.
#[derive(Debug, Default)]
pub struct Requests {
    by_name: BTreeMap<Name, RequestRecord>,
    /// Their numbers grow with time.
    names: BTreeMap<JobId, Name>,
}

impl Requests {
    /// The first answer, if it isn't forgotten.
    fn find(&self, request: &str, now: Timestamp) -> Option<&RequestRecord> {
        self.by_name.get(request).filter(|record| record.time + Config::REQUEST_KEPT > now)
    }

    /// Remembers an answer, and forgets the oldest ones that are too old, or too many.
    pub fn remember(&mut self, record: RequestRecord, max: u64, changes: &mut Vec<Change>) {
        if let Some(before) = self.by_name.get(&record.request) {
            self.forget(before.number, changes);
        }
        while let Some((&oldest, name)) = self.names.first_key_value() {
            let is_old = self.by_name[name].time + Config::REQUEST_KEPT <= record.time;
            if !is_old && (self.by_name.len() as u64) < max {
                break;
            }
            self.forget(oldest, changes);
        }
        self.names.insert(record.number, Name::clone(&record.request));
        self.by_name.insert(Name::clone(&record.request), record);
    }

    fn forget(&mut self, number: JobId, changes: &mut Vec<Change>) {
        if let Some(name) = self.names.remove(&number) {
            self.by_name.remove(&name);
            changes.push(Change::DeleteRequest(number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::units::Nanos;

    fn record(number: u64, name: &str, seconds: u64) -> RequestRecord {
        let time = Timestamp(0) + Nanos::from_secs(seconds);
        RequestRecord { request: name.into(), number: JobId(number), jobs: Vec::new(), time }
    }

    #[test]
    fn the_oldest_are_forgotten_first_and_each_row_once() {
        let (mut requests, mut changes) = (Requests::default(), Vec::new());
        for (number, name) in [(1, "a"), (2, "b"), (3, "c")] {
            requests.remember(record(number, name, 0), 2, &mut changes);
        }
        assert_eq!(changes, [Change::DeleteRequest(JobId(1))]);
        // The same name again, after its time and with the clock set back in between.
        requests.remember(record(4, "c", 601), 2, &mut changes);
        requests.remember(record(5, "d", 600), 2, &mut changes);
        let forgotten = [1, 3, 2].map(|number| Change::DeleteRequest(JobId(number)));
        assert_eq!(changes, forgotten);
        assert_eq!((requests.by_name.len(), requests.names.len()), (2, 2));
        assert!(requests.find("c", Timestamp(0) + Nanos::from_secs(1200)).is_some());
        assert!(requests.find("c", Timestamp(0) + Nanos::from_secs(1201)).is_none());
    }
}
