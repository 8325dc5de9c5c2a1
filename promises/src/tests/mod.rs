//! Logs by hand: those that must be proved, and for each kind of breach one that must be refuted.

mod leases;
mod rates;
mod restarts;
mod shape;
mod slots;

use crate::{Breach, Checker, Fault, Report};

/// Nanoseconds of a second: the duration of the rates here.
const S: i64 = 1_000_000_000;

/// A log that is being written.
#[derive(Clone, Default)]
struct Log {
    lines: Vec<String>,
}

/// What a budget is told to be.
#[derive(Clone, Copy)]
struct Told<'a> {
    key: &'a str,
    revision: u64,
    policy: &'a str,
    /// In token·nanoseconds.
    level: Option<i128>,
}

/// Five slots.
const SLOTS: Told<'_> =
    Told { key: "slots", revision: 1, policy: r#""strategy":"while_in_flight","allocation":5"#, level: None };
/// Ten a second, and at most ten.
const RATE: Told<'_> = Told {
    key: "rate",
    revision: 1,
    policy: r#""strategy":"time_based","allocation":10,"duration_ns":1000000000"#,
    level: Some(10 * S as i128),
};

impl Told<'_> {
    fn text(&self) -> String {
        let level = self.level.map_or(String::new(), |level| format!(r#","level":"{level}""#));
        let Self { key, revision, policy, .. } = self;
        format!(r#""budget":"{key}","created_at":0,"revision":{revision},"policy":{{{policy}}}{level}"#)
    }

    /// With so many tokens, in a rate of these.
    fn holding(self, tokens: i128) -> Self {
        Self { level: Some(tokens * i128::from(S)), ..self }
    }
}

/// `5 slots, 1 rate`, as JSON.
fn costs(text: &str) -> String {
    let cost = |cost: &str| {
        let (cost, budget) = cost.split_once(' ').expect("a cost and a budget");
        format!(r#"{{"budget":"{budget}","cost":{cost}}}"#)
    };
    text.split(", ").filter(|cost| !cost.is_empty()).map(cost).collect::<Vec<_>>().join(",")
}

impl Log {
    /// A log that begins with an empty store, and the two budgets.
    fn new() -> Self {
        Self::default().start(0, &[], &[]).create(0, SLOTS).create(0, RATE)
    }

    fn line(mut self, at: i64, event: &str, rest: &str) -> Self {
        let comma = if rest.is_empty() { "" } else { "," };
        self.lines.push(format!(r#"{{"at":{at},"event":"{event}"{comma}{rest}}}"#));
        self
    }

    /// A line that is none.
    fn torn(mut self) -> Self {
        self.lines.push(r#"{"at":12,"event":"disp"#.to_owned());
        self
    }

    /// Leases are `lease job costs`.
    fn start(self, at: i64, budgets: &[Told<'_>], leases: &[&str]) -> Self {
        let budgets: Vec<_> = budgets.iter().map(|told| format!("{{{}}}", told.text())).collect();
        let lease = |lease: &&str| {
            let mut parts = lease.splitn(3, ' ');
            let mut part = || parts.next().expect("lease, job and costs");
            let (lease, job, debits) = (part(), part(), costs(part()));
            format!(r#"{{"lease":"{lease}","job":"{job}","worker":"w","dispatched_at":0,"debits":[{debits}]}}"#)
        };
        let leases: Vec<_> = leases.iter().map(lease).collect();
        let (budgets, leases) = (budgets.join(","), leases.join(","));
        self.line(at, "start", &format!(r#""format":1,"budgets":[{budgets}],"leases":[{leases}]"#))
    }

    fn stop(self, at: i64) -> Self {
        self.line(at, "stop", "")
    }

    fn create(self, at: i64, told: Told<'_>) -> Self {
        self.line(at, "create", &told.text())
    }

    fn update(self, at: i64, told: Told<'_>) -> Self {
        self.line(at, "update", &told.text())
    }

    fn adjust(self, at: i64, told: Told<'_>) -> Self {
        self.line(at, "adjust", &told.text())
    }

    fn delete(self, at: i64, key: &str) -> Self {
        self.line(at, "delete", &format!(r#""budget":"{key}""#))
    }

    fn enqueue(self, at: i64, job: &str, bindings: &str) -> Self {
        self.line(at, "enqueue", &format!(r#""job":"{job}","queue":"q","bindings":[{}]"#, costs(bindings)))
    }

    fn bind(self, at: i64, job: &str, bindings: &str) -> Self {
        self.line(at, "bind", &format!(r#""job":"{job}","bindings":[{}]"#, costs(bindings)))
    }

    fn dispatch(self, at: i64, lease: &str, job: &str, debits: &str) -> Self {
        let debits = costs(debits);
        let rest =
            format!(r#""lease":"{lease}","job":"{job}","queue":"q","worker":"w","attempt":1,"debits":[{debits}]"#);
        self.line(at, "dispatch", &rest)
    }

    /// A dispatch of a job of its own, under a lease of its own, after its enqueue.
    fn pays(self, at: i64, name: u32, debits: &str) -> Self {
        let (lease, job) = (format!("l{name:03}"), format!("j{name:03}"));
        self.enqueue(at, &job, debits).dispatch(at, &lease, &job, debits)
    }

    /// `moved` in token·nanoseconds.
    fn usage(self, at: i64, lease: &str, debited: u64, used: u64, moved: i128) -> Self {
        let one = format!(r#"{{"budget":"rate","debited":{debited},"used":{used},"moved":"{moved}"}}"#);
        self.line(at, "usage", &format!(r#""lease":"{lease}","job":"j","usage":[{one}]"#))
    }

    fn end(self, at: i64, lease: &str, job: &str, released: &str) -> Self {
        self.end_by(at, "success", lease, job, released)
    }

    fn end_by(self, at: i64, how: &str, lease: &str, job: &str, released: &str) -> Self {
        let released = costs(released);
        let rest =
            format!(r#""lease":"{lease}","job":"{job}","how":"{how}","state":"completed","released":[{released}]"#);
        self.line(at, "end", &rest)
    }

    /// The end of what [`Log::pays`] began.
    fn ends(self, at: i64, name: u32, released: &str) -> Self {
        self.end(at, &format!("l{name:03}"), &format!("j{name:03}"), released)
    }

    fn report(&self) -> Report {
        let mut checker = Checker::new();
        self.lines.iter().for_each(|line| checker.take(line));
        checker.finish()
    }

    #[track_caller]
    fn proved(&self) -> Report {
        let report = self.report();
        let breaches: Vec<_> = report.breaches.iter().map(Breach::to_string).collect();
        assert!(report.is_proved(), "{}", breaches.join("\n"));
        report
    }

    /// The one fault there is, which is complete with the last line.
    #[track_caller]
    fn refuted(&self) -> Fault {
        let report = self.report();
        let breaches: Vec<_> = report.breaches.iter().map(Breach::to_string).collect();
        assert_eq!(report.breaches_total, 1, "{}", breaches.join("\n"));
        assert_eq!(report.breaches[0].line, self.lines.len() as u64, "{}", breaches.join("\n"));
        report.breaches[0].fault.clone()
    }

    /// The faults of the last line.
    #[track_caller]
    fn faults(&self) -> Vec<Fault> {
        let breaches = self.report().breaches;
        assert!(breaches.iter().all(|breach| breach.line == self.lines.len() as u64), "{breaches:?}");
        breaches.into_iter().map(|breach| breach.fault).collect()
    }
}
