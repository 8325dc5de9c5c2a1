//! What a stream has to say and hasn't said, gathered into frames that its worker can take.

use std::collections::{BTreeMap, VecDeque};

use prost::encoding::message::encoded_len;

use crate::api::convert::job_wire;
use crate::api::proto as pb;
use crate::api::proto::dispatch_response::Frame;
use crate::driver::PushedJob;
use crate::ids;
use crate::scheduler::effect::RevokeReason;
use crate::scheduler::units::LeaseId;

/// The most jobs or results in one frame.
const FRAME_ITEMS_MAX: usize = 256;
/// A frame gets no further item that would take it beyond this, in bytes as encoded.
const FRAME_BYTES_TARGET: usize = 1 << 20;
/// What a frame has beside its items: the framing of the oneof.
const FRAME_BYTES: usize = 16;
/// The field that holds the items: the same in every frame with many.
const ITEMS_TAG: u32 = 1;

/// What waits to be sent. Results, and pushes with what is revoked, each in their order.
pub struct Outbox {
    bytes_max: usize,
    urgent: VecDeque<Frame>,
    settled: VecDeque<pb::SettleResult>,
    extended: VecDeque<pb::ExtendResult>,
    /// By the order in which they came.
    events: BTreeMap<u64, Event>,
    /// Where the jobs of these leases stand among the events.
    unsent: BTreeMap<LeaseId, u64>,
    /// How many events there ever were.
    came: u64,
    /// Whether the last frame held results, so that neither they nor the jobs wait for ever.
    results_sent: bool,
}

enum Event {
    Job(LeaseId, Box<pb::LeasedJob>),
    Revoked(LeaseId, RevokeReason),
}

impl Outbox {
    /// For a worker that takes frames of this many bytes.
    pub fn new(frame_bytes_max: usize) -> Self {
        Self {
            bytes_max: frame_bytes_max.min(FRAME_BYTES_TARGET) - FRAME_BYTES,
            urgent: VecDeque::new(),
            settled: VecDeque::new(),
            extended: VecDeque::new(),
            events: BTreeMap::new(),
            unsent: BTreeMap::new(),
            came: 0,
            results_sent: false,
        }
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.urgent.is_empty() && self.results_waiting() == 0 && self.events.is_empty()
    }

    /// How many results wait.
    pub fn results_waiting(&self) -> usize {
        self.settled.len() + self.extended.len()
    }

    /// A frame of its own, before all others.
    pub fn put_urgent(&mut self, frame: Frame) {
        self.urgent.push_back(frame);
    }

    /// A ping, unless something is to be sent anyway.
    pub fn put_ping(&mut self) {
        if self.is_empty() {
            self.put_urgent(Frame::Ping(pb::Ping {}));
        }
    }

    /// Results of settles.
    pub fn put_settled(&mut self, results: Vec<pb::SettleResult>) {
        self.settled.extend(results);
    }

    /// Results of extensions.
    pub fn put_extended(&mut self, results: Vec<pb::ExtendResult>) {
        self.extended.extend(results);
    }

    /// Dispatched jobs.
    pub fn put_jobs(&mut self, jobs: Vec<PushedJob>) {
        for job in jobs {
            let lease = job.lease.id;
            self.unsent.insert(lease, self.came);
            self.put_event(Event::Job(lease, Box::new(job_wire::leased(job))));
        }
    }

    /// Leases that have ended, or should. Of one that ended before its job was sent the worker never hears; so what waits
    /// for a worker that doesn't read is no more than its window holds.
    pub fn put_revoked(&mut self, leases: Vec<LeaseId>, reason: RevokeReason) {
        for lease in leases {
            let unsent = if reason == RevokeReason::Cancelled { None } else { self.unsent.remove(&lease) };
            match unsent {
                Some(place) => drop(self.events.remove(&place)),
                None => self.put_event(Event::Revoked(lease, reason)),
            }
        }
    }

    fn put_event(&mut self, event: Event) {
        self.events.insert(self.came, event);
        self.came += 1;
    }

    /// Forgets the jobs that wait: they were released.
    pub fn drop_jobs(&mut self) {
        self.events.retain(|_, event| matches!(event, Event::Revoked(..)));
        self.unsent.clear();
    }

    /// The next frame; `None` where nothing waits.
    pub fn next_frame(&mut self) -> Option<pb::DispatchResponse> {
        let frame = match self.urgent.pop_front() {
            Some(frame) => frame,
            None => self.next_batch()?,
        };
        Some(pb::DispatchResponse { frame: Some(frame) })
    }

    fn next_batch(&mut self) -> Option<Frame> {
        let has_results = self.results_waiting() > 0;
        self.results_sent = has_results && (!self.results_sent || self.events.is_empty());
        if !self.results_sent {
            return self.next_events();
        }
        if self.settled.is_empty() {
            let results = take(&mut self.extended, self.bytes_max, |result| encoded_len(ITEMS_TAG, result));
            return Some(Frame::Extended(pb::LeasesExtended { results }));
        }
        let results = take(&mut self.settled, self.bytes_max, |result| encoded_len(ITEMS_TAG, result));
        Some(Frame::Settled(pb::LeasesSettled { results }))
    }

    /// As many jobs, or leases that are revoked for one reason, as come next.
    fn next_events(&mut self) -> Option<Frame> {
        let (_, first) = self.events.first_key_value()?;
        let reason = match first {
            Event::Job(..) => None,
            Event::Revoked(_, reason) => Some(*reason),
        };
        let sizes = self.events.values().map_while(|event| match event {
            Event::Job(_, job) if reason.is_none() => Some(encoded_len(ITEMS_TAG, &**job)),
            Event::Revoked(_, other) if reason == Some(*other) => Some(encoded_len_of_id()),
            _ => None,
        });
        let count = fitting(self.bytes_max, sizes);
        // Room for all jobs at once: they are large, and a vector that grows copies them.
        let mut jobs = Vec::with_capacity(if reason.is_none() { count } else { 0 });
        let mut lease_ids = Vec::new();
        for _ in 0..count {
            match self.events.pop_first() {
                Some((_, Event::Job(lease, job))) => {
                    self.unsent.remove(&lease);
                    jobs.push(*job);
                }
                Some((_, Event::Revoked(lease, _))) => lease_ids.push(ids::lease_text(lease)),
                None => break,
            }
        }
        Some(match reason {
            None => Frame::Jobs(pb::JobsPushed { jobs }),
            Some(reason) => Frame::Revoked(pb::LeasesRevoked { lease_ids, reason: wire_reason(reason).into() }),
        })
    }
}

/// Takes results from the front as long as they go into one frame together.
fn take<T>(queue: &mut VecDeque<T>, bytes_max: usize, bytes: impl Fn(&T) -> usize) -> Vec<T> {
    let count = fitting(bytes_max, queue.iter().map(bytes));
    queue.drain(..count).collect()
}

/// How many items of these sizes go into one frame; the first always does.
fn fitting(bytes_max: usize, sizes: impl Iterator<Item = usize>) -> usize {
    let mut total = 0;
    let fits = |(index, bytes): &(usize, usize)| {
        total += bytes;
        *index == 0 || total <= bytes_max
    };
    sizes.take(FRAME_ITEMS_MAX).enumerate().take_while(fits).count()
}

fn encoded_len_of_id() -> usize {
    const TAG_AND_LENGTH: usize = 2;
    TAG_AND_LENGTH + ids::TEXT_BYTES
}

fn wire_reason(reason: RevokeReason) -> pb::RevokeReason {
    match reason {
        RevokeReason::Expired => pb::RevokeReason::Expired,
        RevokeReason::TimedOut => pb::RevokeReason::TimedOut,
        RevokeReason::Cancelled => pb::RevokeReason::CancelRequested,
        RevokeReason::ForceCancelled => pb::RevokeReason::ForceCancelled,
        RevokeReason::Ended => pb::RevokeReason::EndedElsewhere,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message;

    const SMALL: usize = 64 << 10;

    fn result(n: usize) -> pb::SettleResult {
        pb::SettleResult { lease_id: ids::lease_text(LeaseId(n as u64)), ..pb::SettleResult::default() }
    }

    fn jobs(count: u64, payload: usize) -> Vec<PushedJob> {
        (0..count).map(|lease| job_wire::tests::pushed(lease, payload)).collect()
    }

    fn frames(outbox: &mut Outbox) -> Vec<pb::DispatchResponse> {
        std::iter::from_fn(|| outbox.next_frame()).collect()
    }

    /// What a frame holds, and how much of it.
    fn brief(frame: &pb::DispatchResponse) -> (&'static str, usize) {
        match frame.frame.as_ref().expect("a frame") {
            Frame::Welcome(_) => ("welcome", 1),
            Frame::Jobs(jobs) => ("jobs", jobs.jobs.len()),
            Frame::Settled(settled) => ("settled", settled.results.len()),
            Frame::Extended(extended) => ("extended", extended.results.len()),
            Frame::Revoked(revoked) => ("revoked", revoked.lease_ids.len()),
            Frame::Draining(_) => ("draining", 1),
            Frame::Ping(_) => ("ping", 1),
        }
    }

    #[test]
    fn many_results_share_frames_in_order() {
        let mut outbox = Outbox::new(SMALL);
        outbox.put_settled((0..300).map(result).collect());
        outbox.put_settled((300..600).map(result).collect());
        let frames = frames(&mut outbox);
        let counts: Vec<_> = frames.iter().map(brief).collect();
        assert_eq!(counts, [("settled", 256), ("settled", 256), ("settled", 88)]);
        let ids: Vec<String> = frames
            .into_iter()
            .flat_map(|frame| match frame.frame {
                Some(Frame::Settled(settled)) => settled.results,
                _ => Vec::new(),
            })
            .map(|result| result.lease_id)
            .collect();
        let expected: Vec<String> = (0..600).map(|n| result(n).lease_id).collect();
        assert_eq!(ids, expected);
        assert!(outbox.is_empty());
    }

    #[test]
    fn no_frame_exceeds_what_the_worker_takes() {
        for (bytes_max, payload) in [(SMALL, 1000), (SMALL, 30_000), (8 << 20, 300_000)] {
            let mut outbox = Outbox::new(bytes_max);
            outbox.put_jobs(jobs(20, payload));
            let frames = frames(&mut outbox);
            let bytes = bytes_max.min(FRAME_BYTES_TARGET);
            assert!(frames.iter().all(|frame| frame.encoded_len() <= bytes));
            let count: usize = frames.iter().map(|frame| brief(frame).1).sum();
            assert_eq!(count, 20);
        }
    }

    #[test]
    fn frames_are_as_full_as_they_may_be() {
        let bytes_of_one = encoded_len(ITEMS_TAG, &job_wire::leased(jobs(1, 5000).remove(0)));
        let fit = (SMALL - FRAME_BYTES) / bytes_of_one;
        let mut outbox = Outbox::new(SMALL);
        outbox.put_jobs(jobs(fit as u64 + 1, 5000));
        let counts: Vec<_> = frames(&mut outbox).iter().map(brief).collect();
        assert_eq!(counts, [("jobs", fit), ("jobs", 1)]);
    }

    #[test]
    fn a_job_larger_than_the_target_goes_alone() {
        let mut outbox = Outbox::new(4 << 20);
        outbox.put_jobs(jobs(2, 2 << 20));
        let frames = frames(&mut outbox);
        assert_eq!(frames.len(), 2);
        assert!(frames.iter().all(|frame| frame.encoded_len() <= 4 << 20));
    }

    #[test]
    fn a_push_never_comes_after_its_revocation() {
        let mut outbox = Outbox::new(SMALL);
        outbox.put_jobs(jobs(2, 1));
        assert_eq!(frames(&mut outbox).iter().map(brief).collect::<Vec<_>>(), [("jobs", 2)]);
        outbox.put_revoked(vec![LeaseId(0)], RevokeReason::Expired);
        outbox.put_revoked(vec![LeaseId(1)], RevokeReason::Expired);
        outbox.put_revoked(vec![LeaseId(9)], RevokeReason::Cancelled);
        outbox.put_jobs(jobs(1, 1));
        let briefs: Vec<_> = frames(&mut outbox).iter().map(brief).collect();
        assert_eq!(briefs, [("revoked", 2), ("revoked", 1), ("jobs", 1)]);
    }

    #[test]
    fn of_what_ended_before_it_was_sent_a_worker_never_hears() {
        let mut outbox = Outbox::new(SMALL);
        outbox.put_jobs(jobs(3, 1));
        outbox.put_revoked(vec![LeaseId(0)], RevokeReason::Expired);
        outbox.put_revoked(vec![LeaseId(1)], RevokeReason::Cancelled);
        let briefs: Vec<_> = frames(&mut outbox).iter().map(brief).collect();
        assert_eq!(briefs, [("jobs", 2), ("revoked", 1)]);
        for _ in 0..100 {
            outbox.put_jobs(jobs(50, 1));
            outbox.put_revoked((0..50).map(LeaseId).collect(), RevokeReason::Expired);
        }
        assert!(outbox.is_empty(), "what waits grows with each lease that expires unread");
    }

    #[test]
    fn results_and_jobs_take_turns() {
        let mut outbox = Outbox::new(SMALL);
        outbox.put_settled((0..600).map(result).collect());
        outbox.put_jobs(jobs(300, 1));
        outbox.put_urgent(Frame::Draining(pb::ServerDraining::default()));
        let briefs: Vec<_> = frames(&mut outbox).iter().map(brief).collect();
        let kinds: Vec<_> = briefs.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, ["draining", "settled", "jobs", "settled", "jobs", "settled"]);
    }

    #[test]
    fn released_jobs_and_needless_pings_are_not_sent() {
        let mut outbox = Outbox::new(SMALL);
        outbox.put_jobs(jobs(3, 1));
        outbox.put_revoked(vec![LeaseId(9)], RevokeReason::Ended);
        outbox.put_ping();
        outbox.drop_jobs();
        let briefs: Vec<_> = frames(&mut outbox).iter().map(brief).collect();
        assert_eq!(briefs, [("revoked", 1)]);
        outbox.put_ping();
        outbox.put_ping();
        assert_eq!(frames(&mut outbox).len(), 1);
    }
}
