//! From the text of a scenario to its steps.
//!
//! Owns the grammar. Refuses every word it doesn't know, and says on which line.

use sluicegate::scheduler::command::{BindingOperation, NewBinding};
use sluicegate::scheduler::job::JobState;

use super::parse_jobs::{enqueue, new_binding, settlement};
use super::parse_policy::budget;
use super::reasons;
use super::story::{Action, Bulk, Check, LeaseRef, PoolWords, Step, WorkerDeed, WorkerWords};
use super::words::{
    Problem, Words, cost, costs, duration, full_cost, id, id_list, ids, name, names, number, signed, small_number,
};

/// A line that isn't a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    pub line: usize,
    pub text: String,
    pub problem: Problem,
}

/// All steps of a scenario, or all its bad lines.
pub fn parse(text: &str) -> Result<Vec<Step>, Vec<BadLine>> {
    let mut parser = Parser::default();
    for (index, line) in text.lines().enumerate() {
        parser.line(index + 1, line);
    }
    if let Some(open) = &parser.batch {
        let problem = "the batch has no `end`".to_owned();
        parser.bad.push(BadLine { line: open.line, text: open.text.clone(), problem });
    }
    if parser.bad.is_empty() { Ok(parser.steps) } else { Err(parser.bad) }
}

#[derive(Default)]
struct Parser {
    steps: Vec<Step>,
    bad: Vec<BadLine>,
    /// The batch that is open.
    batch: Option<Step>,
}

impl Parser {
    fn line(&mut self, line: usize, text: &str) {
        let words = Words::of(text);
        if words.is_empty() {
            return;
        }
        let taken = words.expanded().and_then(|lines| lines.iter().try_for_each(|text| self.step(line, text)));
        if let Err(problem) = taken {
            let text = text.trim().to_owned();
            self.bad.push(BadLine { line, text, problem });
        }
    }

    fn step(&mut self, line: usize, text: &str) -> Result<(), Problem> {
        let mut words = Words::of(text);
        let refusal = words.refusal().map(reasons::known).transpose()?;
        let verb = words.next("the verb")?;
        let mut step = Step { line, text: text.trim().to_owned(), action: Action::Batch(Vec::new()), refusal };
        match (verb, self.batch.take()) {
            ("batch", None) => {
                words.end()?;
                self.batch = Some(step);
                return Ok(());
            }
            ("end", Some(batch)) => {
                words.end()?;
                step.action = batch.action;
            }
            ("end", None) => return Err("`end` without `batch`".to_owned()),
            ("enqueue", Some(mut batch)) => {
                if refusal.is_some() {
                    return Err("in a batch the refusal stands after `end`".to_owned());
                }
                if let Action::Batch(jobs) = &mut batch.action {
                    jobs.extend(enqueue(&mut words)?);
                }
                self.batch = Some(batch);
                return words.end();
            }
            (_, Some(batch)) => {
                self.batch = Some(batch);
                return Err(format!("`{verb}` in a batch, which holds only `enqueue`"));
            }
            (_, None) => {
                step.action = action(verb, &mut words)?;
                words.end()?;
            }
        }
        if refusal.is_some() && !can_be_refused(&step.action) {
            return Err(format!("`{verb}` can't be refused"));
        }
        self.steps.push(step);
        Ok(())
    }
}

fn can_be_refused(action: &Action) -> bool {
    !matches!(action, Action::Advance(_) | Action::Restart | Action::Crash | Action::Check(_))
}

fn action(verb: &str, words: &mut Words) -> Result<Action, Problem> {
    Ok(match verb {
        "budget" => budget(words)?,
        "enqueue" => Action::Enqueue(enqueue(words)?),
        "worker" => worker(words)?,
        "settle" => {
            let lease = lease_ref(words.next("the id")?)?;
            Action::Settle(lease, settlement(words)?)
        }
        "extend" => Action::Extend(lease_ref(words.next("the id")?)?),
        "cancel" => Action::Cancel { job: id(words.next("the id")?)?, force: words.flag("force") },
        "retry" => Action::Retry(id(words.next("the id")?)?),
        "pause" => Action::PauseQueue(name(words.next("the queue")?)?),
        "resume" => Action::ResumeQueue(name(words.next("the queue")?)?),
        "bind" | "rebind" | "cost" | "unbind" | "bindings" => {
            let job = id(words.next("the id")?)?;
            Action::Modify(job, operation(verb, words)?)
        }
        "bulk" => Action::Bulk(bulk(words)?),
        "advance" => Action::Advance(duration(words.next("the duration")?)?),
        "restart" => Action::Restart,
        "crash" => Action::Crash,
        _ => Action::Check(check(verb, words)?),
    })
}

fn check(verb: &str, words: &mut Words) -> Result<Check, Problem> {
    Ok(match verb {
        "dispatched" => Check::Dispatched(dispatched(words)?),
        "state" => Check::State {
            job: id(words.next("the id")?)?,
            state: state(words.next("the state")?)?,
            attempts: words.read("attempts", small_number)?,
        },
        "parked" => Check::Parked { job: id(words.next("the id")?)?, budget: name(words.next("the key")?)? },
        "pool" => Check::Pool(name(words.next("the key")?)?, pool(words)?),
        "next" => Check::Next {
            budget: name(words.next("the key")?)?,
            span: match words.next("the duration")? {
                "-" => None,
                span => Some(duration(span)?),
            },
        },
        "held" => Check::Held { job: id(words.next("the id")?)?, bindings: costs(words.next("the bindings")?)? },
        "why" => Check::Why {
            job: id(words.next("the id")?)?,
            budgets: match words.next("the keys")? {
                "-" => Vec::new(),
                keys => names(keys)?,
            },
            not_before: words.read("at", duration)?,
        },
        _ => return Err(format!("unknown word `{verb}`")),
    })
}

fn pool(words: &mut Words) -> Result<PoolWords, Problem> {
    let pool = PoolWords {
        available: words.read("available", signed)?,
        in_flight: words.read("in_flight", number)?,
        parked: words.read("parked", number)?,
        bound: words.read("bound", number)?,
    };
    if pool == PoolWords::default() {
        words.end()?;
        return Err("`pool` checks nothing".to_owned());
    }
    Ok(pool)
}

fn dispatched(words: &mut Words) -> Result<Vec<String>, Problem> {
    match words.rest()[..] {
        [] => Err("the ids are missing (`-` for none)".to_owned()),
        ["-"] => Ok(Vec::new()),
        ref list => {
            let lists: Result<Vec<_>, _> = list.iter().map(|word| ids(word)).collect();
            Ok(lists?.concat())
        }
    }
}

fn state(word: &str) -> Result<JobState, Problem> {
    let found = reasons::STATES.iter().find(|(_, name)| *name == word);
    found.map(|(state, _)| *state).ok_or_else(|| format!("`{word}` is no state"))
}

fn worker(words: &mut Words) -> Result<Action, Problem> {
    let worker = id(words.next("the worker")?)?;
    let verbs = ["leaves", "drops", "resumes", "restarts"];
    let verb = verbs.into_iter().find(|verb| words.flag(verb));
    if matches!(verb, Some("leaves" | "drops")) {
        let deed = match verb {
            Some("leaves") => WorkerDeed::Leave,
            _ => WorkerDeed::Drop,
        };
        return Ok(Action::Worker(worker, deed));
    }
    let named = WorkerWords {
        queues: words.read("queues", names)?,
        window: words.read("window", small_number)?,
        lease: words.read("lease", duration)?,
        silent: words.flag("silent"),
    };
    let deed = match verb {
        Some("resumes") => WorkerDeed::Resume(named),
        Some(_) => WorkerDeed::Restart(named),
        None => WorkerDeed::Connect(named),
    };
    Ok(Action::Worker(worker, deed))
}

fn lease_ref(word: &str) -> Result<LeaseRef, Problem> {
    let (job, dispatch) = match word.split_once('#') {
        Some((job, dispatch)) => (job, Some(number(dispatch)?)),
        None => (word, None),
    };
    if dispatch == Some(0) {
        return Err(format!("`{word}`: dispatches count from 1"));
    }
    Ok(LeaseRef { job: id(job)?, dispatch })
}

fn operation(verb: &str, words: &mut Words) -> Result<BindingOperation, Problem> {
    let what = words.next("the key")?;
    let binding = |(budget, cost)| NewBinding { budget, cost, create_with: None };
    Ok(match (verb, what) {
        ("bind", _) => BindingOperation::Bind(new_binding(what, words)?),
        ("rebind", _) => BindingOperation::Rebind(new_binding(what, words)?),
        ("cost", _) => {
            let (budget, cost) = full_cost(what)?;
            BindingOperation::SetCost(budget, cost)
        }
        ("unbind", "*") => BindingOperation::UnbindAll,
        ("unbind", _) => BindingOperation::Unbind(name(what)?),
        ("bindings", "-") => BindingOperation::ReplaceAll(Vec::new()),
        ("bindings", _) => {
            let list: Result<Vec<_>, _> = what.split(',').map(cost).collect();
            BindingOperation::ReplaceAll(list?.into_iter().map(binding).collect())
        }
        _ => return Err(format!("unknown word `{verb}`")),
    })
}

fn bulk(words: &mut Words) -> Result<Bulk, Problem> {
    let verb = words.next("the operation")?;
    let operation = operation(verb, words)?;
    match words.next("`where`")? {
        "where" => {}
        word => return Err(format!("`where` is missing in front of `{word}`")),
    }
    let outcome = if words.flag("->") {
        let changed = words.read("changed", number)?;
        let blocked = words.read("blocked", id_list)?;
        Some(changed.zip(blocked).ok_or("after `->` stand `changed=` and `blocked=`")?)
    } else {
        None
    };
    Ok(Bulk {
        operation,
        queue: words.read("queue", name)?,
        kind: words.read("type", name)?,
        budget: words.read("budget", name)?,
        state: words.read("state", state)?,
        outcome,
    })
}
