//! Looking at many: jobs by a filter, budgets and queues, page by page.
//!
//! A filter that names budgets or queues is answered from their lanes, any other from all lanes if they are few;
//! else the jobs are gone through in id order, a bounded number a page.

use std::collections::BTreeSet;

use super::Scheduler;
use super::job::{JobState, Name};
use super::jobs::Jobs;
use super::lane::Lane;
use super::queue::Queue;
use super::rejection::Rejection;
use super::units::{BudgetId, JobId, LaneId, QueueId, Timestamp};
use super::validate;
use super::view::{BudgetView, Depth, JobFilter, JobView, Page, QueueView};

/// Up to so many lanes are merged for one page; beyond, the jobs are gone through.
const LANES_MERGED_MAX: usize = 4096;
/// How many jobs one page looks at.
const JOBS_LOOKED_AT_MAX: usize = 20_000;
const IDS_MAX: usize = 10_000;
const NAMES_MAX: usize = 100;

/// A filter with its names looked up.
struct Sought<'a> {
    filter: &'a JobFilter,
    queues: Option<BTreeSet<QueueId>>,
    budgets: Option<BTreeSet<BudgetId>>,
    states: BTreeSet<JobState>,
}

impl Scheduler {
    /// Jobs that a filter selects, in id order, those after `after`. At most `limit`, and a page may hold fewer and
    /// still not be the last.
    pub fn list_jobs(
        &self,
        filter: &JobFilter,
        after: Option<JobId>,
        limit: usize,
    ) -> Result<Page<JobView, JobId>, Rejection> {
        let (ids, next_after) = self.select(filter, after, limit)?;
        Ok(Page { items: ids.into_iter().map(|id| self.job_view(id)).collect(), next_after })
    }

    /// [`Self::list_jobs`], by id.
    pub(super) fn select(
        &self,
        filter: &JobFilter,
        after: Option<JobId>,
        limit: usize,
    ) -> Result<(Vec<JobId>, Option<JobId>), Rejection> {
        let sought = self.sought(filter)?;
        Ok(if let Some(ids) = &filter.ids {
            let ids: BTreeSet<JobId> = ids.iter().copied().filter(|id| after.is_none_or(|after| *id > after)).collect();
            let found: Vec<JobId> = ids.into_iter().filter(|id| self.is_sought_id(&sought, *id)).collect();
            cut(found, limit)
        } else if let Some(lanes) = self.sought_lanes(&sought) {
            cut(self.merged(&sought, &lanes, after, limit), limit)
        } else {
            self.gone_through(&sought, after, limit)
        })
    }

    /// How many jobs a filter selects, by state.
    pub fn count_jobs(&self, filter: &JobFilter) -> Result<Depth, Rejection> {
        let sought = self.sought(filter)?;
        let mut depth = Depth::default();
        if let Some(ids) = &filter.ids {
            for id in ids.iter().collect::<BTreeSet<_>>() {
                if self.is_sought_id(&sought, *id) {
                    depth.add(self.jobs.get(*id).state().shown());
                }
            }
            return Ok(depth);
        }
        let by_lane = is_by_lane(filter);
        for lane in self.lanes_of(&sought) {
            let lane = self.lanes.get(lane);
            if !self.is_sought_lane(&sought, lane) {
                continue;
            }
            for state in &sought.states {
                if by_lane {
                    depth.add_many(*state, lane.count(*state));
                } else {
                    let jobs = lane.jobs_in(*state, None).filter(|id| is_sought_job(filter, &self.jobs, *id));
                    depth.add_many(*state, jobs.count() as u64);
                }
            }
        }
        Ok(depth)
    }

    /// Budgets in key order, those after `after`.
    pub fn list_budgets(&self, now: Timestamp, after: Option<&str>, limit: usize) -> Page<BudgetView, Name> {
        let found: Vec<_> = self.budgets.after(after).take(limit + 1).collect();
        let (found, next) = cut(found, limit);
        Page {
            next_after: next.map(|(key, _)| Name::clone(key)),
            items: found.into_iter().map(|(_, id)| self.budget_view(now, id)).collect(),
        }
    }

    /// Queues in the order of their names, those after `after`.
    pub fn list_queues(&self, after: Option<&str>, limit: usize) -> Page<QueueView, Name> {
        let found: Vec<_> = self.queues.after(after).take(limit + 1).collect();
        let (found, next) = cut(found, limit);
        Page {
            next_after: next.map(|queue| Name::clone(&queue.name)),
            items: found.into_iter().map(|queue| self.queue_view(queue)).collect(),
        }
    }

    pub(super) fn queue_view(&self, queue: &Queue) -> QueueView {
        let lanes = || queue.lanes.iter().map(|id| self.lanes.get(*id));
        let mut depth = Depth::default();
        lanes().for_each(|lane| depth.merge(&lane.depth()));
        QueueView {
            name: Name::clone(&queue.name),
            paused: queue.paused,
            depth,
            oldest_ready_at: lanes().filter_map(Lane::oldest_ready_at).min(),
            workers: queue.sessions.len() as u32,
        }
    }

    fn sought<'a>(&self, filter: &'a JobFilter) -> Result<Sought<'a>, Rejection> {
        let names = |field: &str, names: &Option<Vec<Name>>, max: usize| match names {
            Some(names) if names.len() > max => Err(Rejection::invalid(
                format!("filter.{field}"),
                format!("has {}; at most {max} are right", names.len()),
            )),
            Some(names) => {
                names.iter().filter(|n| !n.is_empty()).try_for_each(|n| validate::name(&format!("filter.{field}"), n))
            }
            None => Ok(()),
        };
        names("queues", &filter.queues, NAMES_MAX)?;
        names("types", &filter.kinds, NAMES_MAX)?;
        names("budgets", &filter.budgets, NAMES_MAX)?;
        if filter.ids.as_ref().is_some_and(|ids| ids.len() > IDS_MAX) {
            return Err(Rejection::invalid("filter.ids", format!("has more than {IDS_MAX}")));
        }
        let queues = filter.queues.as_ref();
        let budgets = filter.budgets.as_ref();
        Ok(Sought {
            filter,
            queues: queues.map(|names| names.iter().filter_map(|name| self.queues.find(name)).collect()),
            budgets: budgets.map(|keys| self.budgets.shown_as(keys)),
            states: filter.states.as_deref().unwrap_or(&JobState::ALL).iter().copied().collect(),
        })
    }

    fn is_sought_id(&self, sought: &Sought<'_>, id: JobId) -> bool {
        self.jobs.find(id).is_some_and(|job| {
            sought.states.contains(&job.state().shown())
                && is_sought_job(sought.filter, &self.jobs, id)
                && self.is_sought_lane(sought, self.lanes.get(job.lane))
        })
    }

    fn is_sought_lane(&self, sought: &Sought<'_>, lane: &Lane) -> bool {
        let queue = self.queues.get_gate(lane.key.gate).queue;
        sought.queues.as_ref().is_none_or(|queues| queues.contains(&queue))
            && sought.filter.priority.is_none_or(|(min, max)| (min..=max).contains(&lane.key.priority))
            && sought
                .budgets
                .as_ref()
                .is_none_or(|budgets| lane.key.bindings.iter().any(|binding| budgets.contains(&binding.budget)))
    }

    /// The lanes that may hold what is sought, each once.
    fn lanes_of(&self, sought: &Sought<'_>) -> BTreeSet<LaneId> {
        if let Some(budgets) = &sought.budgets {
            return budgets.iter().flat_map(|id| self.budgets.get(*id).lanes.iter().map(|(_, lane)| *lane)).collect();
        }
        if let Some(queues) = &sought.queues {
            return queues.iter().flat_map(|id| self.queues.get(*id).lanes.iter().copied()).collect();
        }
        self.lanes.iter().map(|(id, _)| id).collect()
    }

    /// The lanes to be merged for a page; `None` where they are too many.
    fn sought_lanes(&self, sought: &Sought<'_>) -> Option<Vec<LaneId>> {
        let named = sought.budgets.is_some() || sought.queues.is_some();
        if !named && self.lanes.len() > LANES_MERGED_MAX {
            return None;
        }
        let lanes = self.lanes_of(sought).into_iter().filter(|id| self.is_sought_lane(sought, self.lanes.get(*id)));
        let lanes: Vec<_> = lanes.collect();
        let jobs: u64 = lanes.iter().map(|id| self.lanes.get(*id).depth().total()).sum();
        let all_looked_at = is_by_lane(sought.filter) || jobs <= JOBS_LOOKED_AT_MAX as u64;
        (lanes.len() <= LANES_MERGED_MAX && all_looked_at).then_some(lanes)
    }

    /// The first `limit` jobs of some lanes, and one more if there is.
    fn merged(&self, sought: &Sought<'_>, lanes: &[LaneId], after: Option<JobId>, limit: usize) -> Vec<JobId> {
        let mut lowest = BTreeSet::new();
        for lane in lanes {
            for state in &sought.states {
                for id in self.lanes.get(*lane).jobs_in(*state, after) {
                    if lowest.len() > limit && lowest.last().is_some_and(|last| id > *last) {
                        break;
                    }
                    if is_sought_job(sought.filter, &self.jobs, id) {
                        lowest.insert(id);
                    }
                    if lowest.len() > limit + 1 {
                        lowest.pop_last();
                    }
                }
            }
        }
        lowest.into_iter().collect()
    }

    fn gone_through(&self, sought: &Sought<'_>, after: Option<JobId>, limit: usize) -> (Vec<JobId>, Option<JobId>) {
        let mut found = Vec::new();
        for (looked_at, (id, _)) in self.jobs.after(after).enumerate() {
            if found.len() == limit || looked_at == JOBS_LOOKED_AT_MAX {
                return (found, Some(JobId(id.0 - 1)));
            }
            if self.is_sought_id(sought, id) {
                found.push(id);
            }
        }
        (found, None)
    }
}

/// Whether a job's lane and state decide all that the filter asks.
fn is_by_lane(filter: &JobFilter) -> bool {
    filter.kinds.is_none() && filter.create_time.is_none() && filter.run_time.is_none()
}

/// Whether a job meets the parts of a filter that its lane doesn't decide.
fn is_sought_job(filter: &JobFilter, jobs: &Jobs, id: JobId) -> bool {
    let job = jobs.get(id);
    let within =
        |range: Option<(Timestamp, Timestamp)>, at| range.is_none_or(|(from, until)| (from..until).contains(&at));
    filter.kinds.as_ref().is_none_or(|kinds| kinds.contains(&jobs.common(job.common).kind))
        && within(filter.create_time, job.create_time)
        && within(filter.run_time, job.ready_at)
}

/// The first `limit`, and the last of them if there are more.
fn cut<T: Clone>(mut found: Vec<T>, limit: usize) -> (Vec<T>, Option<T>) {
    let more = found.len() > limit;
    found.truncate(limit);
    let next_after = found.last().cloned().filter(|_| more);
    (found, next_after)
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::super::command::NewJob;
    use super::super::policy::Policy;
    use super::super::testing::{enqueue, plain_job};
    use super::super::units::Tokens;
    use super::super::{Command, command::NewBinding};
    use super::*;

    const NOW: Timestamp = Timestamp(1_000);

    /// More jobs than one page looks at, in so many lanes, then three of the type `rare` in a queue and a budget of their
    /// own.
    fn crowded(lanes: usize) -> (Scheduler, Vec<JobId>) {
        let mut scheduler = Scheduler::new(Config::default());
        let create = Command::CreateBudget { key: "own".into(), policy: Policy::while_in_flight(9) };
        scheduler.apply(NOW, create).unwrap();
        for number in 0..=JOBS_LOOKED_AT_MAX {
            let priority = u16::try_from(number % lanes).expect("fewer lanes than priorities");
            enqueue(&mut scheduler, NOW, NewJob { priority, kind: "common".into(), ..plain_job() });
        }
        let binding = NewBinding { budget: "own".into(), cost: Tokens(1), create_with: None };
        let (queue, kind) = (Name::from("own"), Name::from("rare"));
        let rare = NewJob { queue, kind, bindings: vec![binding], ..plain_job() };
        let rare = (0..3).map(|_| enqueue(&mut scheduler, NOW, rare.clone())).collect();
        (scheduler, rare)
    }

    fn few(names: &[&str]) -> Option<Vec<Name>> {
        Some(names.iter().map(|name| Name::from(*name)).collect())
    }

    /// The pages' sizes, and all that they hold.
    fn pages(scheduler: &Scheduler, filter: &JobFilter, limit: usize) -> (Vec<usize>, Vec<JobId>) {
        let (mut sizes, mut all, mut after) = (Vec::new(), Vec::new(), None);
        loop {
            let (page, next_after) = scheduler.select(filter, after, limit).unwrap();
            sizes.push(page.len());
            all.extend(page);
            after = next_after;
            if after.is_none() {
                return (sizes, all);
            }
        }
    }

    #[test]
    fn what_names_and_states_decide_is_found_at_once_however_many_others_there_are() {
        for lanes in [1, LANES_MERGED_MAX + 1] {
            let (scheduler, rare) = crowded(lanes);
            let kinds = few(&["rare"]);
            let by_queue = JobFilter { queues: few(&["own"]), kinds: kinds.clone(), ..JobFilter::default() };
            let by_budget = JobFilter { budgets: few(&["own"]), kinds, ..JobFilter::default() };
            for filter in [by_queue, by_budget] {
                assert_eq!(pages(&scheduler, &filter, 2), (vec![2, 1], rare.clone()), "{filter:?}");
                assert_eq!(pages(&scheduler, &filter, 3), (vec![3], rare.clone()), "{filter:?}");
            }
        }
        let (scheduler, _) = crowded(1);
        let all = JobFilter { states: Some(vec![JobState::Ready]), ..JobFilter::default() };
        assert_eq!(pages(&scheduler, &all, 20_000).0, [20_000, 4]);
        let none = JobFilter { states: Some(vec![JobState::Dead]), ..JobFilter::default() };
        assert_eq!(pages(&scheduler, &none, 2), (vec![0], vec![]));
    }

    #[test]
    fn what_must_be_looked_for_is_found_a_bounded_number_of_jobs_a_page() {
        for lanes in [1, LANES_MERGED_MAX + 1] {
            let (scheduler, rare) = crowded(lanes);
            let filter = JobFilter { kinds: few(&["rare"]), ..JobFilter::default() };
            assert_eq!(pages(&scheduler, &filter, 2), (vec![0, 2, 1], rare), "{lanes} lanes");
        }
        let (scheduler, _) = crowded(LANES_MERGED_MAX + 1);
        let (sizes, all) = pages(&scheduler, &JobFilter::default(), 7000);
        assert_eq!(sizes, [7000, 7000, 6004]);
        assert!(all.is_sorted_by(|a, b| a < b), "each once, in id order");
    }

    #[test]
    fn a_filter_names_a_bounded_number() {
        let (scheduler, names) = (Scheduler::new(Config::default()), |count| Some(vec![Name::from("x"); count]));
        let ids = |count| JobFilter { ids: Some(vec![JobId(1); count]), ..JobFilter::default() };
        let queues = |count| JobFilter { queues: names(count), ..JobFilter::default() };
        let counted = |filter: JobFilter| {
            scheduler.count_jobs(&filter).map_err(|refused| match refused {
                Rejection::InvalidField { field, .. } => field,
                other => panic!("{other:?}"),
            })
        };
        assert_eq!((counted(ids(IDS_MAX)), counted(queues(NAMES_MAX))), (Ok(Depth::default()), Ok(Depth::default())));
        assert_eq!(counted(ids(IDS_MAX + 1)), Err("filter.ids".into()));
        assert_eq!(counted(queues(NAMES_MAX + 1)), Err("filter.queues".into()));
    }
}
