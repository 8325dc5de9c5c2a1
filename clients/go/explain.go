package sluicegate

import (
	"context"
	"strings"
	"time"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// HoldUp is what keeps a job from being dispatched.
type HoldUp int32

const (
	// NotReady is a run time, a backoff, or a release's delay that is still to come.
	NotReady = HoldUp(pb.HoldUp_HOLD_UP_NOT_READY)
	// QueuePaused is a queue that dispatches nothing.
	QueuePaused = HoldUp(pb.HoldUp_HOLD_UP_QUEUE_PAUSED)
	// NoWorker is a queue that no connected worker serves.
	NoWorker = HoldUp(pb.HoldUp_HOLD_UP_NO_WORKER)
	// NoRoom is workers whose windows have no room for the job.
	NoRoom = HoldUp(pb.HoldUp_HOLD_UP_NO_ROOM)
	// TooLarge is a job that is too large for every worker there.
	TooLarge = HoldUp(pb.HoldUp_HOLD_UP_TOO_LARGE)
	// ByBudget is a budget that can't pay or is blocked; [Explanation.Budgets] says which.
	ByBudget = HoldUp(pb.HoldUp_HOLD_UP_BUDGET)
)

// String is the contract's name, such as NO_WORKER.
func (h HoldUp) String() string { return strings.TrimPrefix(pb.HoldUp(h).String(), "HOLD_UP_") }

// Explanation is all that keeps a job from being dispatched at one instant (semantics 12).
type Explanation struct {
	// JobID is the job, State where it is in its life, Time the instant all of this is true at.
	JobID string
	State JobState
	Time  time.Time
	// ReadyTime is when it became ready, or will.
	ReadyTime time.Time
	// HoldUps is everything that holds it up; empty for a job in flight, finished, or about to be dispatched.
	HoldUps []HoldUp
	// Budgets has one entry a binding, sorted by key, whether it holds the job up or not.
	Budgets []BudgetExplanation
	// NotBefore is, where the clock alone decides, the earliest instant at which every pool could pay; else zero.
	NotBefore time.Time
	// Queue is what dispatches the job's queue.
	Queue QueueExplanation
	// Lease is the live one; nil unless the job is in flight.
	Lease *Lease
}

// QueueExplanation is what dispatches a queue.
type QueueExplanation struct {
	// Name is the queue's, and Paused tells whether it dispatches nothing.
	Name   string
	Paused bool
	// Workers counts connected workers that serve it, WithRoom those of them that have room for the job now, TooSmall those
	// that could never be sent it.
	Workers, WithRoom, TooSmall uint32
}

// BudgetExplanation is what one budget means to one job.
type BudgetExplanation struct {
	// Budget is the key, and Cost what the job needs, in tokens.
	Budget string
	Cost   uint64
	// Available is tokens, rounded down, before anything is set aside. May be negative.
	Available int64
	// HoldsUp tells whether this budget holds the job up.
	HoldsUp bool
	// Blocked tells whether it is blocked or throttled; BlockedUntil is zero where that ends with an unblocking only.
	Blocked      bool
	BlockedUntil time.Time
	// HeldBy are the first 10 jobs in flight that hold tokens, and HeldByTotal is how many hold some.
	HeldBy      []string
	HeldByTotal uint64
	// WaitersAhead counts parked jobs of lower rank number.
	WaitersAhead uint64
	// SetAside is tokens set aside for other, protected jobs, and SetAsideFor the job they are for (semantics 4.4).
	SetAside    uint64
	SetAsideFor string
	// Protected tells whether this job's own cost is set aside when its turn has come.
	Protected bool
	// NotBefore is the earliest instant at which this [TimeBased] pool could pay; else zero.
	NotBefore time.Time
}

// ExplainJob says why a job isn't being dispatched (semantics 12). [ErrJobNotFound].
func (c *Client) ExplainJob(ctx context.Context, id string) (*Explanation, error) {
	answer, err := c.jobs.ExplainJob(ctx, &pb.ExplainJobRequest{JobId: id})
	if err != nil {
		return nil, fromRPC(err)
	}
	from := answer.GetExplanation()
	if from == nil {
		return nil, unexpectedAnswer("explanation")
	}
	queue := from.GetQueue()
	to := &Explanation{
		JobID:     from.GetJobId(),
		State:     JobState(from.GetState()),
		Time:      timeFrom(from.GetExplainTime()),
		ReadyTime: timeFrom(from.GetReadyTime()),
		NotBefore: timeFrom(from.GetNotBefore()),
		Queue: QueueExplanation{
			Name:     queue.GetName(),
			Paused:   queue.GetPaused(),
			Workers:  queue.GetWorkers(),
			WithRoom: queue.GetWorkersWithRoom(),
			TooSmall: queue.GetWorkersTooSmall(),
		},
		Lease: leaseFromWire(from.GetLease()),
	}
	for _, holdUp := range from.GetHoldUps() {
		to.HoldUps = append(to.HoldUps, HoldUp(holdUp))
	}
	for _, budget := range from.GetBudgets() {
		to.Budgets = append(to.Budgets, BudgetExplanation{
			Budget:       budget.GetBudget(),
			Cost:         budget.GetCost(),
			Available:    budget.GetAvailable(),
			HoldsUp:      budget.GetHoldsUp(),
			Blocked:      budget.GetBlocked(),
			BlockedUntil: timeFrom(budget.GetBlockedUntil()),
			HeldBy:       budget.GetHeldByJobIds(),
			HeldByTotal:  budget.GetHeldByTotal(),
			WaitersAhead: budget.GetWaitersAhead(),
			SetAside:     budget.GetSetAside(),
			SetAsideFor:  budget.GetSetAsideForJobId(),
			Protected:    budget.GetProtected(),
			NotBefore:    timeFrom(budget.GetNotBefore()),
		})
	}
	return to, nil
}
