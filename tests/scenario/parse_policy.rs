//! The words that name a budget's policy, or change one.

use sluicegate::scheduler::policy::{Policy, PolicyPatch, ReserveAfter, Strategy, StrategyPatch};
use sluicegate::scheduler::units::{Nanos, Tokens};

use super::story::{Action, BudgetDeed};
use super::words::{Problem, Words, duration, name, tokens};

/// The rest of a `budget` line.
pub fn budget(words: &mut Words) -> Result<Action, Problem> {
    let verb = words.next("what to do with the budget")?;
    let key = name(words.next("the key")?)?;
    let deed = match verb {
        "create" => BudgetDeed::Create(policy(words)?),
        "replace" => BudgetDeed::Replace(policy(words)?),
        "update" => BudgetDeed::Update(patch(words)?),
        "delete" => BudgetDeed::Delete,
        "block" => BudgetDeed::Block(duration(words.next("the duration")?)?),
        "unblock" => BudgetDeed::Unblock,
        "adjust" => BudgetDeed::Adjust(tokens(words.next("the level")?)?),
        _ => return Err(format!("unknown word `{verb}`")),
    };
    Ok(Action::Budget(key, deed))
}

fn policy(words: &mut Words) -> Result<Policy, Problem> {
    let allocation = words.read("allocation", tokens)?.ok_or("`allocation=` is missing")?;
    let per = words.read("per", duration)?;
    let burst = words.read("burst", tokens)?;
    Ok(Policy {
        allocation,
        strategy: strategy(per, burst)?,
        reserve_after: words.read("reserve_after", reserve_after)?.unwrap_or_default(),
    })
}

fn strategy(per: Option<Nanos>, burst: Option<Tokens>) -> Result<Strategy, Problem> {
    match (per, burst) {
        (Some(duration), burst) => Ok(Strategy::TimeBased { duration, burst }),
        (None, None) => Ok(Strategy::WhileInFlight),
        (None, Some(_)) => Err("a burst goes with `per=`".to_owned()),
    }
}

fn patch(words: &mut Words) -> Result<PolicyPatch, Problem> {
    let duration = words.read("per", duration)?;
    let burst = words.read("burst", |word| match word {
        "none" => Ok(None),
        burst => tokens(burst).map(Some),
    })?;
    let strategy = match (words.pair("strategy"), duration, burst) {
        (None, None, None) => None,
        (None, duration, burst) => Some(StrategyPatch::Fields { duration, burst }),
        (Some("while_in_flight"), None, None) => Some(StrategyPatch::WhileInFlight),
        (Some("while_in_flight"), ..) => {
            return Err("while_in_flight has neither `per` nor `burst`".to_owned());
        }
        (Some(word), ..) => return Err(format!("strategy: unknown word `{word}`")),
    };
    Ok(PolicyPatch {
        allocation: words.read("allocation", tokens)?,
        strategy,
        reserve_after: words.read("reserve_after", reserve_after)?,
    })
}

fn reserve_after(word: &str) -> Result<ReserveAfter, Problem> {
    match word {
        "never" => Ok(ReserveAfter::Never),
        span => duration(span).map(ReserveAfter::After),
    }
}

/// `/ALLOCATION[/PER[/BURST]]`, what stands after the key in `create=`.
pub fn create_with(word: &str) -> Result<Policy, Problem> {
    let parts: Vec<_> = word.split('/').collect();
    let (allocation, per, burst) = match parts[..] {
        [allocation] => (allocation, None, None),
        [allocation, per] => (allocation, Some(per), None),
        [allocation, per, burst] => (allocation, Some(per), Some(burst)),
        _ => return Err(format!("`{word}` isn't ALLOCATION[/PER[/BURST]]")),
    };
    let per = per.map(duration).transpose()?;
    let burst = burst.map(tokens).transpose()?;
    Ok(Policy {
        allocation: tokens(allocation)?,
        strategy: strategy(per, burst)?,
        reserve_after: ReserveAfter::Default,
    })
}
