//! `--where`: which jobs, in words. The one way in which commands select jobs that aren't named by their ids.
//!
//! Owns the words, their parsing and printing. What they select is the server's to find.

use std::fmt;
use std::time::{Duration, SystemTime};

use clap::Args;
use sluicegate_client::{JobFilter, JobState};

use crate::cli::usage;
use crate::cli::values::{When, rfc3339};

/// The most ids in one selection, and in one command.
pub(super) const IDS_MAX: usize = 10_000;
/// The most queues, types or budgets in one selection.
const NAMES_MAX: usize = 100;
/// The most bytes of a name.
const NAME_BYTES_MAX: usize = 128;

const FIELDS: &str = "id, queue, type, state, budget, priority, created, ready, or all alone";

const LONG_HELP: &str = "\
Which jobs: those that meet all conditions. Conditions stand side by side, set apart by spaces, in one --where or in several; \
each field stands once.

  id=JOB,JOB          one of these
  queue=NAME,NAME     in one of these queues
  type=TYPE,TYPE      of one of these types; type= for those without one
  state=STATE,STATE   scheduled, ready, in_flight, completed, dead or cancelled
  budget=KEY,KEY      bound to one of these budgets
  priority>=N         this number or a larger one, which is less urgent; also > = < <=
  created>=INSTANT    enqueued then or later; also > < <=
  ready<INSTANT       became ready, or will, before then; also >= > <=
  all                 every job; stands alone

An instant is 2030-01-31T12:00:00Z, now, or from now: -1h, +5m. Quote conditions: the shell has its own use for < and >.";

/// The flag that selects jobs.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::cli) struct WhereArgs {
    /// Which jobs: conditions such as 'queue=emails state=dead,cancelled created<-1h'; all of them are met
    #[arg(long = "where", value_name = "CONDITIONS", long_help = LONG_HELP)]
    conditions: Vec<String>,
}

impl WhereArgs {
    /// What they select; every job where the flag isn't there.
    pub(super) fn selection(&self, now: SystemTime) -> anyhow::Result<Selection> {
        Selection::parse(&self.conditions, now).map_err(|problem| usage(format!("--where: {problem}")))
    }
}

/// The jobs that meet all conditions. Empty lists and missing bounds are no conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    all: bool,
    /// There and empty, it selects none.
    ids: Option<Vec<String>>,
    queues: Vec<String>,
    /// An empty one stands for jobs without a type.
    types: Vec<String>,
    states: Vec<JobState>,
    budgets: Vec<String>,
    /// Both bounds belong to it.
    priority: Bounds<u16>,
    created: Bounds<SystemTime>,
    ready: Bounds<SystemTime>,
}

/// A range. Of instants, the lower bound belongs to it and the upper one doesn't.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds<T> {
    lower: Option<T>,
    upper: Option<T>,
}

impl<T> Default for Bounds<T> {
    fn default() -> Self {
        Self { lower: None, upper: None }
    }
}

/// How a field is compared with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Test {
    Is,
    AtLeast,
    Above,
    AtMost,
    Below,
}

impl Selection {
    /// Reads conditions; instants are told from `now`.
    fn parse(texts: &[String], now: SystemTime) -> Result<Self, String> {
        let mut selection = Self::default();
        for text in texts {
            let mut conditions = text.split_whitespace().peekable();
            if conditions.peek().is_none() {
                return Err("names no condition; all selects every job".to_owned());
            }
            for condition in conditions {
                selection.add(condition, now)?;
            }
        }
        if selection.all && selection != (Self { all: true, ..Self::default() }) {
            return Err("all excludes every other condition".to_owned());
        }
        selection.is_sound()?;
        Ok(selection)
    }

    fn add(&mut self, condition: &str, now: SystemTime) -> Result<(), String> {
        if condition == "all" {
            self.all = true;
            return Ok(());
        }
        let (field, test, value) = split(condition)?;
        match (field, test) {
            ("id", Test::Is) => set_ids(&mut self.ids, value),
            ("queue", Test::Is) => set_names(&mut self.queues, field, value),
            ("type", Test::Is) => set_names(&mut self.types, field, value),
            ("state", Test::Is) => set_states(&mut self.states, value),
            ("budget", Test::Is) => set_names(&mut self.budgets, field, value),
            ("priority", _) => bound_priority(&mut self.priority, test, value),
            ("created", _) => bound_time(&mut self.created, field, (test, value), now),
            ("ready", _) => bound_time(&mut self.ready, field, (test, value), now),
            ("id" | "queue" | "type" | "state" | "budget", _) => {
                Err(format!("`{condition}`: {field} is compared by = alone"))
            }
            _ => Err(format!("`{condition}`: `{field}` is no field; these are: {FIELDS}")),
        }
    }

    /// Refuses ranges that nothing is in: they are meant otherwise.
    fn is_sound(&self) -> Result<(), String> {
        let is_empty = |bounds: Bounds<SystemTime>| matches!(bounds, Bounds { lower: Some(from), upper: Some(until) } if until <= from);
        if let Bounds { lower: Some(min), upper: Some(max) } = self.priority
            && min > max
        {
            return Err(format!("no priority is {min} or more and {max} or less"));
        }
        for (field, bounds) in [("created", self.created), ("ready", self.ready)] {
            if is_empty(bounds) {
                return Err(format!("{field}: the later bound has to be later than the earlier one"));
            }
        }
        Ok(())
    }

    /// Whether it says anything: commands that change jobs want that.
    pub fn is_unconditional(&self) -> bool {
        *self == Self::default()
    }

    /// The filter of the contract.
    pub fn filter(&self) -> JobFilter {
        if self.all {
            return JobFilter::all();
        }
        let mut filter = JobFilter::new();
        if let Some(ids) = &self.ids {
            filter = filter.ids(ids);
        }
        filter = self.queues.iter().fold(filter, JobFilter::queue);
        filter = self.types.iter().fold(filter, JobFilter::job_type);
        filter = self.states.iter().copied().fold(filter, JobFilter::state);
        filter = self.budgets.iter().fold(filter, JobFilter::budget);
        filter = self.priority.lower.into_iter().fold(filter, JobFilter::priority_min);
        filter = self.priority.upper.into_iter().fold(filter, JobFilter::priority_max);
        filter = self.created.lower.into_iter().fold(filter, JobFilter::created_from);
        filter = self.created.upper.into_iter().fold(filter, JobFilter::created_until);
        filter = self.ready.lower.into_iter().fold(filter, JobFilter::run_from);
        self.ready.upper.into_iter().fold(filter, JobFilter::run_until)
    }
}

/// The conditions as they could be written again, with instants for what was told from now.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |field: &str, names: &[String]| (!names.is_empty()).then(|| format!("{field}={}", names.join(",")));
        let states: Vec<String> = self.states.iter().map(JobState::to_string).collect();
        let number = |test: &str, bound: Option<u16>| bound.map(|bound| format!("priority{test}{bound}"));
        let time = |test: &str, bound: Option<SystemTime>| bound.map(|bound| format!("{test}{}", rfc3339(bound)));
        let conditions = [
            self.all.then(|| "all".to_owned()),
            self.ids.as_ref().map(|ids| format!("id={}", ids.join(","))),
            list("queue", &self.queues),
            list("type", &self.types),
            list("state", &states),
            list("budget", &self.budgets),
            number(">=", self.priority.lower),
            number("<=", self.priority.upper),
            time("created>=", self.created.lower),
            time("created<", self.created.upper),
            time("ready>=", self.ready.lower),
            time("ready<", self.ready.upper),
        ];
        f.write_str(&conditions.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}

/// The field, the comparison, and what it is compared with.
fn split(condition: &str) -> Result<(&str, Test, &str), String> {
    const TESTS: [(&str, Test); 5] =
        [(">=", Test::AtLeast), ("<=", Test::AtMost), (">", Test::Above), ("<", Test::Below), ("=", Test::Is)];
    let at = condition.find(['<', '>', '=']).ok_or_else(|| {
        format!(
            "`{condition}` is no condition such as queue=emails; conditions stand side by side, and all of them are met"
        )
    })?;
    let (field, rest) = condition.split_at(at);
    let (test, value) = TESTS
        .iter()
        .find_map(|(sign, test)| rest.strip_prefix(sign).map(|value| (*test, value)))
        .expect("it begins with one of the signs that were looked for");
    Ok((field, test, value))
}

fn set_ids(ids: &mut Option<Vec<String>>, value: &str) -> Result<(), String> {
    let named: Vec<String> = value.split(',').filter(|id| !id.is_empty()).map(str::to_owned).collect();
    if named.len() > IDS_MAX {
        return Err(format!("id: {} ids; {IDS_MAX} is the most", named.len()));
    }
    match ids.replace(named) {
        None => Ok(()),
        Some(_) => Err(twice("id")),
    }
}

fn set_names(names: &mut Vec<String>, field: &str, value: &str) -> Result<(), String> {
    if !names.is_empty() {
        return Err(twice(field));
    }
    for name in value.split(',') {
        let is_type_of_none = field == "type" && name.is_empty();
        if !is_type_of_none && !is_name(name) {
            return Err(format!("{field}: `{name}` isn't 1 to {NAME_BYTES_MAX} of A-Z a-z 0-9 . _ : / @ -"));
        }
        names.push(name.to_owned());
    }
    if names.len() > NAMES_MAX {
        return Err(format!("{field}: {} names; {NAMES_MAX} is the most", names.len()));
    }
    Ok(())
}

fn is_name(text: &str) -> bool {
    (1..=NAME_BYTES_MAX).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._:/@-".contains(&byte))
}

fn set_states(states: &mut Vec<JobState>, value: &str) -> Result<(), String> {
    if !states.is_empty() {
        return Err(twice("state"));
    }
    for name in value.split(',') {
        states.push(name.parse().map_err(|unknown| format!("state: {unknown}"))?);
    }
    Ok(())
}

fn bound_priority(bounds: &mut Bounds<u16>, test: Test, value: &str) -> Result<(), String> {
    let number: u16 = value.parse().map_err(|_| format!("priority: `{value}` is no number from 0 to 65535"))?;
    let beyond = || format!("priority: none is beyond {number}");
    match test {
        Test::Is => {
            set(&mut bounds.lower, number, "priority")?;
            set(&mut bounds.upper, number, "priority")
        }
        Test::AtLeast => set(&mut bounds.lower, number, "priority"),
        Test::Above => set(&mut bounds.lower, number.checked_add(1).ok_or_else(beyond)?, "priority"),
        Test::AtMost => set(&mut bounds.upper, number, "priority"),
        Test::Below => set(&mut bounds.upper, number.checked_sub(1).ok_or_else(beyond)?, "priority"),
    }
}

fn bound_time(
    bounds: &mut Bounds<SystemTime>,
    field: &str,
    (test, value): (Test, &str),
    now: SystemTime,
) -> Result<(), String> {
    let when: When = value.parse().map_err(|problem| format!("{field}: {problem}"))?;
    let time = when.instant(now);
    let next = time + Duration::from_nanos(1);
    match test {
        Test::Is => Err(format!("{field}: no instant is hit exactly; a range is {field}>=… {field}<…")),
        Test::AtLeast => set(&mut bounds.lower, time, field),
        Test::Above => set(&mut bounds.lower, next, field),
        Test::AtMost => set(&mut bounds.upper, next, field),
        Test::Below => set(&mut bounds.upper, time, field),
    }
}

fn set<T>(bound: &mut Option<T>, value: T, field: &str) -> Result<(), String> {
    match bound.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("{field} is bounded twice on the same side")),
    }
}

fn twice(field: &str) -> String {
    format!("{field} is named twice; {field}=A,B selects either")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::{SizeRange, vec};
    use proptest::option;
    use proptest::prelude::*;

    const NOW: SystemTime = SystemTime::UNIX_EPOCH;

    fn parse(text: &str) -> Result<Selection, String> {
        Selection::parse(&[text.to_owned()], NOW)
    }

    fn filter(text: &str) -> JobFilter {
        parse(text).expect("conditions").filter()
    }

    #[test]
    fn conditions_make_a_filter() {
        let expected = JobFilter::new()
            .ids(["j1", "j2"])
            .queue("a")
            .queue("b")
            .job_type("t")
            .job_type("")
            .state(JobState::InFlight)
            .state(JobState::Dead)
            .budget("tenant:7")
            .priority_min(1)
            .priority_max(2)
            .created_from(NOW - Duration::from_secs(3600))
            .run_until(NOW);
        let text = "id=j1,j2 queue=a,b type=t, state=in_flight,dead budget=tenant:7 priority>=1 priority<=2 \
                    created>=-1h ready<1970-01-01T00:00:00Z";
        assert_eq!(filter(text), expected);
        let apart: Vec<String> = text.split(' ').map(str::to_owned).collect();
        assert_eq!(Selection::parse(&apart, NOW).expect("conditions").filter(), expected);
        assert_eq!(filter("all"), JobFilter::all());
        assert_eq!(Selection::parse(&[], NOW), Ok(Selection::default()));
        assert!(Selection::default().is_unconditional() && !parse("all").expect("all").is_unconditional());
    }

    #[test]
    fn bounds_are_exact_on_both_sides() {
        let tick = Duration::from_nanos(1);
        assert_eq!(filter("priority=5"), JobFilter::new().priority_min(5).priority_max(5));
        assert_eq!(filter("priority>4 priority<6"), filter("priority>=5 priority<=5"));
        assert_eq!(filter("created>now"), JobFilter::new().created_from(NOW + tick));
        assert_eq!(filter("ready<=now"), JobFilter::new().run_until(NOW + tick));
        assert!(parse("created>=now created<=now").is_ok(), "one instant");
        for nothing in [
            "priority>65535",
            "priority<0",
            "priority>5 priority<6",
            "created>=now created<now",
            "ready>now ready<=now",
        ] {
            assert!(parse(nothing).is_err(), "{nothing}");
        }
    }

    #[test]
    fn a_list_of_ids_may_be_empty_and_then_selects_none() {
        assert_eq!(filter("id="), JobFilter::new().ids(Vec::<String>::new()));
        assert_ne!(filter("id="), JobFilter::new());
        assert!(parse(&format!("id={}", ["j"; IDS_MAX].join(","))).is_ok());
        assert!(parse(&format!("id={}", ["j"; IDS_MAX + 1].join(","))).is_err());
        assert!(parse(&format!("queue={}", ["q"; NAMES_MAX + 1].join(","))).is_err());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("", "no condition"),
            ("emails", "queue=emails"),
            ("queue=a and state=dead", "`and`"),
            ("queue=", "queue: ``"),
            ("queue=a;b", "`a;b`"),
            ("queue>a", "by = alone"),
            ("queue=a queue=b", "queue=A,B"),
            ("state=parked", "`parked` is no state"),
            ("state!=dead", "`state!` is no field"),
            ("colour=red", "priority, created"),
            ("priority=high", "0 to 65535"),
            ("priority>=65536", "0 to 65535"),
            ("priority>=1 priority=1", "twice"),
            ("created=now", "created>="),
            ("created>=yesterday", "2030-01-31T12:00:00Z"),
            ("created>=", "created: "),
            ("all queue=a", "all excludes"),
        ];
        for (text, part) in cases {
            let problem = parse(text).expect_err(text);
            assert!(problem.contains(part), "{text}: {problem}");
        }
    }

    fn names(min: usize) -> impl Strategy<Value = Vec<String>> {
        vec("[A-Za-z0-9._:/@-]{1,128}", SizeRange::from(min..4))
    }

    fn priorities() -> impl Strategy<Value = Bounds<u16>> {
        (option::of(0..=30_000_u16), option::of(30_000..=u16::MAX)).prop_map(|(lower, upper)| Bounds { lower, upper })
    }

    fn times() -> impl Strategy<Value = Bounds<SystemTime>> {
        let time = |seconds: std::ops::Range<u64>| {
            option::of((seconds, 0..1_000_000_000_u32).prop_map(|(s, ns)| NOW + Duration::new(s, ns)))
        };
        (time(0..2_000_000_000), time(2_000_000_000..9_000_000_000)).prop_map(|(lower, upper)| Bounds { lower, upper })
    }

    fn selections() -> impl Strategy<Value = Selection> {
        let lists = (option::of(names(0)), names(0), names(0), names(0), vec(0..6_usize, 0..3));
        (lists, any::<bool>(), priorities(), times(), times()).prop_map(
            |((ids, queues, mut types, budgets, states), untyped, priority, created, ready)| {
                types.extend(untyped.then(String::new));
                let states = states.into_iter().map(|index| JobState::ALL[index]).collect();
                Selection { all: false, ids, queues, types, states, budgets, priority, created, ready }
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again(selection in selections()) {
            let text = selection.to_string();
            let texts = if text.is_empty() { Vec::new() } else { vec![text] };
            prop_assert_eq!(Selection::parse(&texts, NOW), Ok(selection));
        }

        #[test]
        fn no_text_is_a_panic(text in "\\PC{0,40}") {
            let _ = parse(&text);
        }
    }
}
