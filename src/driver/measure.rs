//! What the bench wants to know of the owner thread: how much it does, and how long that takes.
//!
//! Owns the counts, the histograms, and the file they go to, a JSON object a line. Refuses to have a part in what is
//! measured: where nobody measures it does nothing and reads no clock, and where its file can't be written it measures no
//! more.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use hdrhistogram::Histogram;
use serde::{Serialize, Serializer};

use super::mailbox::Answer;
use crate::clock::Clock;
use crate::scheduler::units::{Nanos, Timestamp};
use crate::scheduler::{Change, Effect, Rejection, Reply};
use crate::store::Syncs;

/// The least time from one line to the next.
const LINE_EVERY: Nanos = Nanos::from_millis(100);
/// The longest span that is told from a longer one, in nanoseconds: a minute.
const SPAN_NS_MAX: u64 = 60_000_000_000;
/// Decimal digits to which a span is kept.
const DIGITS: u8 = 3;

/// Measures the turns of an owner thread; or, by default, nothing.
#[derive(Default)]
pub struct Measure(Option<Box<Recorder>>);

/// What is measured, since the last line.
struct Recorder {
    clock: Arc<dyn Clock>,
    syncs: Syncs,
    file: BufWriter<File>,
    line_at: Timestamp,
    syncs_before: u64,
    counts: Counts,
    spans: Spans,
    turn: Turn,
}

/// The steps of the turn under way.
#[derive(Default)]
struct Turn {
    began: Timestamp,
    deciding: Timestamp,
    /// What the scheduler has taken to advance.
    decided: Nanos,
    committing: Timestamp,
    /// Something was changed, sent or answered.
    is_busy: bool,
}

#[derive(Default, Serialize)]
struct Counts {
    commits: u64,
    enqueued: u64,
    dispatched: u64,
    settled: u64,
}

#[derive(Serialize)]
struct Spans {
    decision_ns: Spread,
    turn_ns: Spread,
    commit_ns: Spread,
}

/// How often each span was seen: as JSON, the pairs of a span and its count, the shortest first.
struct Spread(Histogram<u64>);

#[derive(Serialize)]
struct Line<'a> {
    at_ns: i64,
    syncs: u64,
    #[serde(flatten)]
    counts: &'a Counts,
    #[serde(flatten)]
    spans: &'a Spans,
}

impl Measure {
    /// Appends lines to the file at `path`, which is made where it doesn't exist. `syncs` are those of the store.
    ///
    /// # Errors
    /// A file that can't be opened.
    pub fn append_to(path: &Path, clock: Arc<dyn Clock>, syncs: Syncs) -> io::Result<Self> {
        let file = BufWriter::new(OpenOptions::new().create(true).append(true).open(path)?);
        let (line_at, syncs_before) = (clock.now(), syncs.count());
        let (counts, spans, turn) = (Counts::default(), Spans::new(), Turn::default());
        let recorder = Recorder { clock, syncs, file, line_at, syncs_before, counts, spans, turn };
        Ok(Self(Some(Box::new(recorder))))
    }

    /// The store is open: what was before this counts for nothing.
    pub(super) fn started(&mut self) {
        if let Some(recorder) = &mut self.0 {
            recorder.start_line(recorder.clock.now());
        }
    }

    /// The thread is awake.
    pub(super) fn turn_began(&mut self) {
        if let Some(recorder) = &mut self.0 {
            recorder.turn = Turn { began: recorder.clock.now(), ..Turn::default() };
        }
    }

    /// The scheduler advances from here …
    pub(super) fn deciding(&mut self) {
        if let Some(recorder) = &mut self.0 {
            recorder.turn.deciding = recorder.clock.now();
        }
    }

    /// … to here. Each dispatch counts as one decision, with its share of what a turn took for that.
    pub(super) fn decided(&mut self) {
        if let Some(recorder) = &mut self.0 {
            let turn = &mut recorder.turn;
            turn.decided = Nanos(turn.decided.0 + recorder.clock.now().since(turn.deciding).0);
        }
    }

    /// Its commit comes next.
    pub(super) fn committing(&mut self) {
        if let Some(recorder) = &mut self.0 {
            recorder.turn.committing = recorder.clock.now();
        }
    }

    /// This has been committed.
    pub(super) fn committed(
        &mut self,
        changes: &[Change],
        effects: &[Effect],
        answers: &[(Answer, Result<Reply, Rejection>)],
    ) {
        if let Some(recorder) = &mut self.0 {
            recorder.committed(changes, effects, answers);
        }
    }

    /// All that the turn had to say is said.
    pub(super) fn released(&mut self) {
        let Some(recorder) = &mut self.0 else { return };
        let now = recorder.clock.now();
        if recorder.turn.is_busy {
            recorder.spans.turn_ns.add(now.since(recorder.turn.began), 1);
        }
        if recorder.counts.commits > 0 && now.since(recorder.line_at) >= LINE_EVERY {
            self.write_line(now);
        }
    }

    /// The thread ends: so does the file, with a last line.
    pub(super) fn finish(&mut self) {
        if let Some(recorder) = &self.0 {
            let now = recorder.clock.now();
            self.write_line(now);
        }
        self.0 = None;
    }

    fn write_line(&mut self, now: Timestamp) {
        let Some(recorder) = &mut self.0 else { return };
        if let Err(error) = recorder.write_line(now) {
            tracing::warn!("measures can't be written, and are no longer taken: {error}");
            self.0 = None;
        }
    }
}

impl fmt::Debug for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Measure").field(&self.0.as_ref().map(|recorder| &recorder.file)).finish()
    }
}

impl Recorder {
    fn committed(&mut self, changes: &[Change], effects: &[Effect], answers: &[(Answer, Result<Reply, Rejection>)]) {
        if !changes.is_empty() {
            self.spans.commit_ns.add(self.clock.now().since(self.turn.committing), 1);
            self.counts.commits += 1;
        }
        let dispatched = effects.iter().map(pushed).sum();
        // Down: by less than one nanosecond.
        if let Some(share_ns) = self.turn.decided.0.checked_div(dispatched) {
            self.spans.decision_ns.add(Nanos(share_ns), dispatched);
        }
        self.counts.dispatched += dispatched;
        self.counts.enqueued += changes.iter().map(enqueued).sum::<u64>();
        self.counts.settled += answers.iter().map(|(_, outcome)| settled(outcome)).sum::<u64>();
        self.turn.is_busy = !(changes.is_empty() && effects.is_empty() && answers.is_empty());
    }

    fn write_line(&mut self, now: Timestamp) -> io::Result<()> {
        let syncs = self.syncs.count() - self.syncs_before;
        let line = Line { at_ns: now.0, syncs, counts: &self.counts, spans: &self.spans };
        serde_json::to_writer(&mut self.file, &line)?;
        self.file.write_all(b"\n")?;
        self.file.flush()?;
        self.start_line(now);
        Ok(())
    }

    fn start_line(&mut self, now: Timestamp) {
        self.line_at = now;
        self.syncs_before = self.syncs.count();
        self.counts = Counts::default();
        self.spans.clear();
    }
}

impl Spans {
    fn new() -> Self {
        Self { decision_ns: Spread::new(), turn_ns: Spread::new(), commit_ns: Spread::new() }
    }

    fn clear(&mut self) {
        for spread in [&mut self.decision_ns, &mut self.turn_ns, &mut self.commit_ns] {
            spread.0.reset();
        }
    }
}

impl Spread {
    fn new() -> Self {
        Self(Histogram::new_with_bounds(1, SPAN_NS_MAX, DIGITS).expect("1 ns to a minute can be told apart"))
    }

    fn add(&mut self, span: Nanos, count: u64) {
        self.0.saturating_record_n(span.0, count);
    }
}

impl Serialize for Spread {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pairs = self.0.iter_recorded().map(|step| (step.value_iterated_to(), step.count_since_last_iteration()));
        serializer.collect_seq(pairs)
    }
}

fn pushed(effect: &Effect) -> u64 {
    match effect {
        Effect::Push(_, leases) => leases.len() as u64,
        Effect::Revoke(..) | Effect::Supersede(_) => 0,
    }
}

/// A job's body is written once, when it is enqueued.
fn enqueued(change: &Change) -> u64 {
    u64::from(matches!(change, Change::PutBody(..)))
}

fn settled(outcome: &Result<Reply, Rejection>) -> u64 {
    match outcome {
        Ok(Reply::Settled(settled)) => settled.iter().filter(|settled| settled.status.is_ok()).count() as u64,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Value, json};
    use tempfile::TempDir;
    use tokio::sync::oneshot;

    use super::*;
    use crate::clock::ManualClock;
    use crate::scheduler::command::{Ended, Settled, SettledAs, Unsettled};
    use crate::scheduler::job::Body;
    use crate::scheduler::units::{JobId, LeaseId, SessionId};

    const START: Timestamp = Timestamp(1_000_000_000_000);

    struct Rig {
        dir: TempDir,
        clock: Arc<ManualClock>,
        measure: Measure,
    }

    impl Rig {
        fn new() -> Self {
            let dir = TempDir::new().unwrap();
            let clock = Arc::new(ManualClock::new(START));
            let mut measure =
                Measure::append_to(&dir.path().join("lines"), clock.clone(), Syncs::default()).expect("a file");
            measure.started();
            Self { dir, clock, measure }
        }

        /// A turn with these spans: deciding, taking what was decided, committing, releasing.
        fn turn(&mut self, spans_ns: [u64; 4], done: &Done) {
            self.measure.turn_began();
            self.measure.deciding();
            self.clock.advance(Nanos(spans_ns[0]));
            self.measure.decided();
            self.clock.advance(Nanos(spans_ns[1]));
            self.measure.committing();
            self.clock.advance(Nanos(spans_ns[2]));
            self.measure.committed(&done.changes, &done.effects, &done.answers);
            self.clock.advance(Nanos(spans_ns[3]));
            self.measure.released();
        }

        fn lines(&self) -> Vec<Value> {
            let text = fs::read_to_string(self.dir.path().join("lines")).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        }
    }

    /// What a turn has done.
    #[derive(Default)]
    struct Done {
        changes: Vec<Change>,
        effects: Vec<Effect>,
        answers: Vec<(Answer, Result<Reply, Rejection>)>,
    }

    fn dispatch(count: u64) -> Done {
        let leases = (0..count).map(LeaseId).collect();
        Done { changes: enqueue(1).changes, effects: vec![Effect::Push(SessionId(1), leases)], answers: Vec::new() }
    }

    fn enqueue(count: u64) -> Done {
        let changes = (0..count).map(|id| Change::PutBody(JobId(id), Body::default())).collect();
        Done { changes, ..Done::default() }
    }

    fn settle(statuses: Vec<Result<SettledAs, Unsettled>>) -> Done {
        let settled = statuses.into_iter().map(|status| Settled { lease: LeaseId(1), status }).collect();
        let answers = vec![(oneshot::channel().0, Ok(Reply::Settled(settled)))];
        Done { changes: vec![Change::DeleteLease(LeaseId(1))], effects: Vec::new(), answers }
    }

    #[test]
    fn the_last_line_tells_what_the_turns_did_and_how_long_they_took() {
        let mut rig = Rig::new();
        rig.turn([10, 20, 30, 40], &enqueue(3));
        rig.turn([12, 1, 1, 1], &dispatch(4));
        let done = Ok(SettledAs { result_dropped: false });
        rig.turn([7, 1, 30, 1], &settle(vec![done.clone(), Err(Unsettled::NotLive(Ended::Lost)), done]));
        rig.turn([500, 0, 0, 0], &Done::default());
        rig.measure.finish();
        rig.turn([1, 1, 1, 1], &enqueue(1));
        let expected = json!({
            "at_ns": START.0 + 100 + 15 + 39 + 500,
            "commits": 3,
            "syncs": 0,
            "enqueued": 4,
            "dispatched": 4,
            "settled": 2,
            "decision_ns": [[3, 4]],
            "turn_ns": [[15, 1], [39, 1], [100, 1]],
            "commit_ns": [[1, 1], [30, 2]],
        });
        assert_eq!(rig.lines(), [expected], "an idle turn is none, and nothing is measured after the end");
    }

    #[test]
    fn a_share_of_a_decision_is_rounded_down() {
        for (deciding, share) in [(11, 2), (12, 3), (13, 3), (3, 0)] {
            let mut rig = Rig::new();
            rig.turn([deciding, 0, 0, 0], &dispatch(4));
            rig.measure.finish();
            assert_eq!(rig.lines()[0]["decision_ns"], json!([[share, 4]]), "{deciding} ns");
        }
    }

    #[test]
    fn long_spans_keep_three_digits_and_the_longest_are_a_minute() {
        let mut rig = Rig::new();
        rig.turn([0, 0, 123_456_789, 0], &enqueue(1));
        rig.turn([0, 0, 3_600_000_000_000, 0], &enqueue(1));
        let spans: Vec<u64> = rig.lines().iter().map(|line| line["commit_ns"][0][0].as_u64().unwrap()).collect();
        assert!(spans[0].abs_diff(123_456_789) <= 123_457, "{spans:?}");
        assert!(spans[1].abs_diff(SPAN_NS_MAX) <= SPAN_NS_MAX / 1000, "{spans:?}");
    }

    #[test]
    fn a_line_comes_with_the_first_turn_100_ms_after_the_last_if_there_was_a_commit() {
        let mut rig = Rig::new();
        rig.turn([LINE_EVERY.0 - 1, 0, 0, 0], &enqueue(1));
        assert_eq!(rig.lines().len(), 0, "one nanosecond early");
        rig.turn([1, 0, 0, 0], &Done::default());
        assert_eq!(rig.lines().len(), 1);
        rig.turn([LINE_EVERY.0, 0, 0, 0], &Done::default());
        assert_eq!(rig.lines().len(), 1, "nothing was committed");
        rig.turn([0, 0, 0, 0], &enqueue(2));
        let lines = rig.lines();
        assert_eq!(lines.iter().map(|line| line["enqueued"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(lines[1]["turn_ns"], json!([[0, 1]]), "what was told is not told again");
    }

    #[test]
    fn what_cannot_be_written_is_not_measured_any_more() {
        let clock = Arc::new(ManualClock::new(START));
        let mut measure = Measure::append_to(Path::new("/dev/full"), clock.clone(), Syncs::default()).unwrap();
        measure.turn_began();
        measure.committed(&enqueue(1).changes, &[], &[]);
        clock.advance(LINE_EVERY);
        assert!(measure.0.is_some());
        measure.released();
        assert!(measure.0.is_none());
        measure.finish();
    }

    #[test]
    fn nothing_is_measured_by_default() {
        let mut measure = Measure::default();
        measure.started();
        measure.turn_began();
        measure.committed(&enqueue(1).changes, &[], &[]);
        measure.released();
        measure.finish();
        assert!(measure.0.is_none());
    }
}
