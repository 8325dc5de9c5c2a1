//! The words that describe a job to enqueue, and those that settle one.

use sluicegate::scheduler::command::{NewBinding, NewJob, Verdict};
use sluicegate::scheduler::job::{Backoff, Body, JobOptions, Name, Retention, Unique, UniqueScope};
use sluicegate::scheduler::units::{Nanos, Tokens};

use super::parse_policy::create_with;
use super::story::{Settlement, StoryJob};
use super::words::{Problem, Words, cost, duration, full_cost, ids, key_duration, listed, name, number, small_number};

/// What an enqueue takes where a story names nothing: the contract's default priority.
const PRIORITY: u16 = 32_768;
/// How long every final state is kept where a story names nothing.
const KEPT: Nanos = Nanos::from_days(1);

/// The rest of an `enqueue` line: as many jobs as its id stands for.
pub fn enqueue(words: &mut Words) -> Result<Vec<StoryJob>, Problem> {
    let ids = ids(words.next("the id")?)?;
    let at = words.read("at", duration)?;
    let priority =
        words.read("priority", |word| u16::try_from(number(word)?).map_err(|_| format!("`{word}` is above 65535")))?;
    let options = JobOptions {
        max_attempts: words.read("attempts", small_number)?.unwrap_or(JobOptions::default().max_attempts),
        backoff: words.read("backoff", duration)?.map_or_else(Backoff::default, constant),
        retention: kept(words.read("keep", duration)?.unwrap_or(KEPT)),
        timeout: words.read("timeout", duration)?,
    };
    let unique = words.read("unique", name)?.map(|key| Unique { key, scope: UniqueScope::Unfinished });
    let job = NewJob {
        queue: words.read("queue", name)?.unwrap_or("default".into()),
        kind: words.read("type", name)?.unwrap_or("story".into()),
        body: Body::default(),
        priority: priority.unwrap_or(PRIORITY),
        run_time: None,
        bindings: bindings(words)?,
        options,
        unique,
    };
    let named = |id| StoryJob { id, at, job: job.clone() };
    Ok(ids.into_iter().map(named).collect())
}

/// The same delay before every retry.
fn constant(delay: Nanos) -> Backoff {
    Backoff { initial: delay, max: delay, multiplier_percent: 100, jitter_percent: 0 }
}

fn kept(span: Nanos) -> Retention {
    Retention { completed: span, dead: span, cancelled: span }
}

fn bindings(words: &mut Words) -> Result<Vec<NewBinding>, Problem> {
    let costs = words.read("costs", |list| list.split(',').map(cost).collect::<Result<Vec<_>, _>>())?;
    let mut bindings: Vec<_> = costs.unwrap_or_default().into_iter().map(unadorned).collect();
    add_policies(&mut bindings, words)?;
    Ok(bindings)
}

fn unadorned((budget, cost): (Name, Tokens)) -> NewBinding {
    NewBinding { budget, cost, create_with: None }
}

/// Takes each `create=KEY/…`; keys may hold slashes, so the key is the longest one that is bound.
fn add_policies(bindings: &mut [NewBinding], words: &mut Words) -> Result<(), Problem> {
    while let Some(create) = words.pair("create") {
        let policy_of =
            |binding: &NewBinding| create.strip_prefix(&*binding.budget).and_then(|rest| rest.strip_prefix('/'));
        let binding = bindings
            .iter_mut()
            .filter(|binding| policy_of(binding).is_some())
            .max_by_key(|binding| binding.budget.len())
            .ok_or_else(|| format!("create: `{create}` begins with no KEY/ of `costs=`"))?;
        let policy = policy_of(binding).expect("only such bindings are left");
        let policy = create_with(policy).map_err(|problem| format!("create: {problem}"))?;
        if binding.create_with.replace(policy).is_some() {
            return Err(format!("create: `{}` has two policies", binding.budget));
        }
    }
    Ok(())
}

/// `KEY[:N]`, and the policy that may go with it.
pub fn new_binding(word: &str, words: &mut Words) -> Result<NewBinding, Problem> {
    let mut binding = unadorned(cost(word)?);
    add_policies(std::slice::from_mut(&mut binding), words)?;
    Ok(binding)
}

/// The rest of a `settle` line.
pub fn settlement(words: &mut Words) -> Result<Settlement, Problem> {
    let verb = words.next("ok, fail, discard or release")?;
    let delay = words.read("delay", duration)?;
    let failure = |discard| Verdict::Failure { error: "the story says so".into(), retry_after: delay, discard };
    let verdict = match verb {
        "ok" => Verdict::Success { result: None },
        "fail" => failure(false),
        "discard" => failure(true),
        "release" => Verdict::Release { delay: delay.unwrap_or(Nanos::ZERO) },
        _ => return Err(format!("unknown word `{verb}`")),
    };
    if delay.is_some() && !matches!(verb, "fail" | "release") {
        return Err("`delay=` goes with fail and release".to_owned());
    }
    Ok(Settlement {
        verdict,
        used: listed(words.pair("used"), full_cost)?,
        throttled: listed(words.pair("throttled"), key_duration)?,
    })
}
