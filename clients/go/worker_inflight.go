package sluicegate

import (
	"container/heap"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

const (
	// gatherTime is how long settlements and receipts are gathered at most, before they are sent together.
	gatherTime = 10 * time.Millisecond
	// gatheredMax is how many of them are sent at once, however short they were gathered.
	gatheredMax = 100
	// leaseMin is the contract's shortest lease. A server that says less isn't asked for extensions without end.
	leaseMin = time.Second
)

// inflight is what a worker holds: leases that wait for their handler, have one, or have a settlement that isn't confirmed. It is
// pure: time and randomness come from outside, and what is to be sent or stopped goes back as data. It knows no stream and no
// handler.
type inflight struct {
	held map[string]*held
	// started is how many of them have a handler.
	started int
	// extensions has those that are to be extended, the next one first.
	extensions extensions
	// unsent has the leases whose settlements are to be sent, in the order in which they came up, the first of them at unsentSince.
	unsent      []string
	unsentSince time.Time
	// unanswered counts settlements that were sent on this stream.
	unanswered int
	// unconfirmed has pushes of this stream, the first of which came at unconfirmedSince.
	unconfirmed      []string
	unconfirmedSince time.Time
	// totalMax is how long after its receipt a lease is extended at most; 0: for ever.
	totalMax time.Duration
	rng      *rand.Rand
}

type stage int

const (
	waiting stage = iota
	started
	// settling is over here, and not confirmed by the server.
	settling
)

type held struct {
	id    string
	stage stage
	// outcome is that of a settling one; refused tells whether the server has found it invalid before.
	outcome *pb.SettleOutcome
	refused bool
	// budgets are to be told that nothing was used of them, if the job is never started.
	budgets []string
	// duration is what an extension is worth.
	duration time.Duration
	// extendAt is when it is to be extended next, and extendUntil from when on it isn't any more; zero: never.
	extendAt, extendUntil time.Time
	// place is where it is in extensions; notExtended where it isn't.
	place int
}

const notExtended = -1

// stop is a handler to stop: one that has been started, or one that must not be any more.
type stop struct {
	leaseID string
	reason  StopReason
}

// confirmation is what the server made of a settlement.
type confirmation int

const (
	// confirmedSettled is settled, by this or an earlier settlement.
	confirmedSettled confirmation = iota
	// confirmedTooLate is a lease that had ended before.
	confirmedTooLate
	// confirmedRetried breaks a bound, and is sent again without what is optional.
	confirmedRetried
	// confirmedAbandoned breaks a bound even so: the lease is left to expire.
	confirmedAbandoned
	// confirmedUnknown is a lease that isn't known here.
	confirmedUnknown
)

func newInflight(totalMax time.Duration, rng *rand.Rand) *inflight {
	return &inflight{held: map[string]*held{}, totalMax: totalMax, rng: rng}
}

// leaseIDs are those of all, sorted, for a Hello (semantics 5.2).
func (i *inflight) leaseIDs() []string { return slices.Sorted(maps.Keys(i.held)) }

// pushed takes in a job, which waits. False if the lease is held already.
func (i *inflight) pushed(job *Job, now time.Time) bool {
	if _, known := i.held[job.Lease.ID]; known {
		return false
	}
	h := &held{id: job.Lease.ID, duration: max(job.Lease.Duration, leaseMin), place: notExtended}
	for _, binding := range job.Budgets {
		h.budgets = append(h.budgets, binding.Budget)
	}
	if i.totalMax > 0 {
		h.extendUntil = now.Add(i.totalMax)
	}
	i.held[h.id] = h
	i.scheduleExtension(h, now.Add(i.thirdOf(h.duration)))
	if len(i.unconfirmed) == 0 {
		i.unconfirmedSince = now
	}
	i.unconfirmed = append(i.unconfirmed, h.id)
	return true
}

// start says that the job's handler is being started. False if the lease doesn't wait any more.
func (i *inflight) start(leaseID string) bool {
	h := i.held[leaseID]
	if h == nil || h.stage != waiting {
		return false
	}
	h.stage = started
	i.started++
	return true
}

// settle says that the job's handler has ended. False, and the outcome is dropped, if the lease was lost meanwhile.
func (i *inflight) settle(outcome *pb.SettleOutcome, now time.Time) bool {
	h := i.held[outcome.GetLeaseId()]
	if h == nil || h.stage == settling {
		return false
	}
	if h.stage == started {
		i.started--
	}
	h.stage, h.outcome, h.budgets = settling, outcome, nil
	i.dropExtension(h)
	i.send(h.id, now)
	return true
}

func (i *inflight) send(leaseID string, now time.Time) {
	if len(i.unsent) == 0 {
		i.unsentSince = now
	}
	i.unsent = append(i.unsent, leaseID)
}

// release gives back a job that was never started: nothing of its budgets was used (semantics 6.2). False if it doesn't wait.
func (i *inflight) release(leaseID string, now time.Time) bool {
	h := i.held[leaseID]
	if h == nil || h.stage != waiting {
		return false
	}
	unused := make(map[string]uint64, len(h.budgets))
	for _, budget := range h.budgets {
		unused[budget] = 0
	}
	return i.settle(settlement(leaseID, Release{}, reports{usage: unused}, false), now)
}

// releaseWaiting gives back all jobs that wait, and says how many.
func (i *inflight) releaseWaiting(now time.Time) (released int) {
	for _, leaseID := range i.leaseIDs() {
		if i.release(leaseID, now) {
			released++
		}
	}
	return released
}

// settleDue is when settlements are to be sent: at once as long as none is unanswered or many have come up; else they are
// gathered. False if there are none.
func (i *inflight) settleDue() (time.Time, bool) {
	if i.unanswered == 0 || len(i.unsent) >= gatheredMax {
		return i.unsentSince, len(i.unsent) > 0
	}
	return i.unsentSince.Add(gatherTime), len(i.unsent) > 0
}

// takeSettlements takes some to send, up to a number and an encoded size, but one at least if there is one.
func (i *inflight) takeSettlements(countMax, bytesMax int) (taken []*pb.SettleOutcome) {
	bytes := 0
	for len(taken) < countMax && len(i.unsent) > 0 {
		if h := i.held[i.unsent[0]]; h != nil && h.stage == settling {
			if bytes += proto.Size(h.outcome); bytes > bytesMax && len(taken) > 0 {
				break
			}
			taken = append(taken, h.outcome)
		}
		i.unsent = i.unsent[1:]
	}
	i.unanswered += len(taken)
	return taken
}

// confirmed takes in what the server says of a settlement that was sent.
func (i *inflight) confirmed(result *pb.SettleResult, now time.Time) confirmation {
	i.unanswered = max(i.unanswered-1, 0)
	h := i.held[result.GetLeaseId()]
	if h == nil || h.stage != settling {
		return confirmedUnknown
	}
	status := result.GetStatus()
	if status == pb.SettleStatus_SETTLE_STATUS_INVALID && !h.refused {
		h.outcome, h.refused = withoutOptions(h.outcome), true
		i.send(h.id, now)
		return confirmedRetried
	}
	delete(i.held, h.id)
	switch status {
	case pb.SettleStatus_SETTLE_STATUS_SETTLED, pb.SettleStatus_SETTLE_STATUS_ALREADY_SETTLED:
		return confirmedSettled
	case pb.SettleStatus_SETTLE_STATUS_INVALID:
		return confirmedAbandoned
	default:
		return confirmedTooLate
	}
}

// receiptsDue is when receipts are to be sent. False if there are none.
func (i *inflight) receiptsDue() (time.Time, bool) {
	if len(i.unconfirmed) >= gatheredMax {
		return i.unconfirmedSince, true
	}
	return i.unconfirmedSince.Add(gatherTime), len(i.unconfirmed) > 0
}

// takeReceipts takes some to send. Leases that have been settled are confirmed by that.
func (i *inflight) takeReceipts(countMax int) (taken []string) {
	for len(taken) < countMax && len(i.unconfirmed) > 0 {
		leaseID := i.unconfirmed[0]
		i.unconfirmed = i.unconfirmed[1:]
		if h := i.held[leaseID]; h != nil && h.stage != settling {
			taken = append(taken, leaseID)
		}
	}
	return taken
}

// extendDue is when the next lease is to be extended. False if none is.
func (i *inflight) extendDue() (time.Time, bool) {
	if len(i.extensions) == 0 {
		return time.Time{}, false
	}
	return i.extensions[0].extendAt, true
}

// takeExtensions takes leases to extend now: those whose time has come, and those for which it will come within a sixth of their
// duration.
func (i *inflight) takeExtensions(now time.Time, countMax int) (taken []string) {
	for len(taken) < countMax && len(i.extensions) > 0 {
		h := i.extensions[0]
		if h.extendAt.After(now.Add(h.duration / 6)) {
			break
		}
		i.scheduleExtension(h, now.Add(i.thirdOf(h.duration)))
		taken = append(taken, h.id)
	}
	return taken
}

// extended takes in what the server says of an extension: perhaps there is a handler to stop.
func (i *inflight) extended(result *pb.ExtendResult, now time.Time) (stop, bool) {
	switch {
	case result.GetStatus() != pb.ExtendStatus_EXTEND_STATUS_EXTENDED:
		return i.lost(result.GetLeaseId())
	case result.GetCancelRequested():
		return i.cancelRequested(result.GetLeaseId(), now)
	default:
		return stop{}, false
	}
}

// revoked takes in that the server takes a lease away, or asks to end it: perhaps there is a handler to stop.
func (i *inflight) revoked(leaseID string, reason pb.RevokeReason, now time.Time) (stop, bool) {
	if reason == pb.RevokeReason_REVOKE_REASON_CANCEL_REQUESTED {
		return i.cancelRequested(leaseID, now)
	}
	return i.lost(leaseID)
}

// welcomed says that a stream has begun. Everything not confirmed is sent on it, and what is held is extended at once, as nobody
// knows how much of the leases is left. It returns the handlers to stop: those of leases that aren't live any more.
func (i *inflight) welcomed(lostLeaseIDs []string, now time.Time) (stops []stop) {
	i.unanswered = 0
	// A Hello that names a lease confirms it.
	i.unconfirmed = nil
	for _, leaseID := range lostLeaseIDs {
		if stop, found := i.lost(leaseID); found {
			stops = append(stops, stop)
		}
	}
	i.unsent = nil
	for _, leaseID := range i.leaseIDs() {
		if h := i.held[leaseID]; h.stage == settling {
			i.send(leaseID, now)
		} else {
			i.scheduleExtension(h, now)
		}
	}
	return stops
}

// lost is a lease that has ended without this worker. One that is being settled stays until that is answered.
func (i *inflight) lost(leaseID string) (stop, bool) {
	h := i.held[leaseID]
	if h == nil || h.stage == settling {
		return stop{}, false
	}
	if h.stage == started {
		i.started--
	}
	i.dropExtension(h)
	delete(i.held, leaseID)
	return stop{leaseID, ErrLeaseLost}, true
}

// cancelRequested is a job that was cancelled: one that waits is given back, and a handler is asked to stop.
func (i *inflight) cancelRequested(leaseID string, now time.Time) (stop, bool) {
	h := i.held[leaseID]
	if h == nil || h.stage == settling {
		return stop{}, false
	}
	i.release(leaseID, now)
	return stop{leaseID, ErrCancelRequested}, true
}

// scheduleExtension moves a lease's next extension, or drops it once its total is used up.
func (i *inflight) scheduleExtension(h *held, at time.Time) {
	h.extendAt = at
	switch {
	case !h.extendUntil.IsZero() && !at.Before(h.extendUntil):
		i.dropExtension(h)
	case h.place == notExtended:
		heap.Push(&i.extensions, h)
	default:
		heap.Fix(&i.extensions, h.place)
	}
}

func (i *inflight) dropExtension(h *held) {
	if h.place != notExtended {
		heap.Remove(&i.extensions, h.place)
	}
}

// thirdOf a lease, less up to a fifth of that, so that workers which started as one don't extend as one. Rounded down.
func (i *inflight) thirdOf(duration time.Duration) time.Duration {
	third := duration / 3
	least := third / 5 * 4
	return least + time.Duration(i.rng.Int64N(int64(third-least)+1))
}

// extensions is a heap by the next extension.
type extensions []*held

func (e extensions) Len() int           { return len(e) }
func (e extensions) Less(a, b int) bool { return e[a].extendAt.Before(e[b].extendAt) }
func (e extensions) Swap(a, b int) {
	e[a], e[b] = e[b], e[a]
	e[a].place, e[b].place = a, b
}

// Push is heap's.
func (e *extensions) Push(pushed any) {
	h := pushed.(*held)
	h.place = len(*e)
	*e = append(*e, h)
}

// Pop is heap's.
func (e *extensions) Pop() any {
	last := len(*e) - 1
	h := (*e)[last]
	(*e)[last] = nil
	*e = (*e)[:last]
	h.place = notExtended
	return h
}
