package sluicegate

import (
	"context"
	"strings"
	"time"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// LeaseRequest asks for leases by [Client.LeaseJobs].
type LeaseRequest struct {
	// WorkerID is 1 to 128 bytes of [A-Za-z0-9._:/@-]. Required.
	WorkerID string
	// Queues are 1 to 64 names. Required.
	Queues []string
	// MaxJobs is the most to lease. 0..=1000; 0 means 1.
	MaxJobs uint32
	// Wait is how long to wait for the first job. 0..=30 s.
	Wait time.Duration
	// Duration is what the leases and each extension are worth. 1 s..=24 h; 0: 30 s.
	Duration time.Duration
	// RequestID makes a repeat of the call return those leases of the first that are still live; empty: each call leases anew.
	RequestID string
}

// LeaseJobs leases jobs without a [Worker], for programs that do with little: whoever leases extends and settles. It answers as
// soon as a job can be dispatched, with what can be at that instant, in rank order; with none after the wait.
func (c *Client) LeaseJobs(ctx context.Context, request LeaseRequest) ([]*Job, error) {
	answer, err := c.jobs.LeaseJobs(ctx, &pb.LeaseJobsRequest{
		WorkerId:      request.WorkerID,
		Queues:        request.Queues,
		MaxJobs:       request.MaxJobs,
		MaxBytes:      requestBytesMax,
		LeaseDuration: durationUnlessZero(request.Duration),
		Wait:          durationUnlessZero(request.Wait),
		RequestId:     request.RequestID,
	})
	if err != nil {
		return nil, fromRPC(err)
	}
	leased := make([]*Job, 0, len(answer.GetJobs()))
	for _, from := range answer.GetJobs() {
		job, err := c.leasedFromWire(from)
		if err != nil {
			return nil, err
		}
		leased = append(leased, job)
	}
	return leased, nil
}

// leasedFromWire is a job with its lease, which stand apart on the wire.
func (c *Client) leasedFromWire(leased *pb.LeasedJob) (*Job, error) {
	job, err := c.jobFromWire(leased.GetJob())
	if err != nil {
		return nil, err
	}
	if job.Lease = leaseFromWire(leased.GetLease()); job.Lease == nil {
		return nil, unexpectedAnswer("lease")
	}
	return job, nil
}

// Settlement ends one lease.
type Settlement struct {
	// LeaseID is [Lease.ID].
	LeaseID string
	// Outcome is how it ends. Required.
	Outcome Outcome
	// Usage is the costs actually used, in tokens, by budget (semantics 9.1). 0 says that nothing was started.
	Usage map[string]uint64
	// Throttled is for how long budgets are to dispatch nothing (semantics 9.3).
	Throttled map[string]time.Duration
}

// SettleStatus tells whether a lease was settled (semantics 5.4).
type SettleStatus int32

const (
	// SettleSettled has ended the lease as the outcome says, and that is on disk.
	SettleSettled = SettleStatus(pb.SettleStatus_SETTLE_STATUS_SETTLED)
	// SettleAlreadySettled is a harmless repeat.
	SettleAlreadySettled = SettleStatus(pb.SettleStatus_SETTLE_STATUS_ALREADY_SETTLED)
	// SettleLost is a lease that ended otherwise.
	SettleLost = SettleStatus(pb.SettleStatus_SETTLE_STATUS_LOST)
	// SettleGone is a lease that isn't live, whose end is no longer known.
	SettleGone = SettleStatus(pb.SettleStatus_SETTLE_STATUS_GONE)
	// SettleInvalid is an outcome that breaks a bound; nothing has changed.
	SettleInvalid = SettleStatus(pb.SettleStatus_SETTLE_STATUS_INVALID)
)

// String is the contract's name, such as ALREADY_SETTLED.
func (s SettleStatus) String() string {
	return strings.TrimPrefix(pb.SettleStatus(s).String(), "SETTLE_STATUS_")
}

// Settled is what became of a [Settlement].
type Settled struct {
	// LeaseID is as in the settlement.
	LeaseID string
	// Status is [SettleSettled], or why nothing changed.
	Status SettleStatus
	// ResultDropped tells whether a result wasn't kept, since the job's retention wouldn't keep it.
	ResultDropped bool
	// Err says, with [SettleInvalid], what was wrong.
	Err error
}

// SettleJobs ends leases, 1..=1000, each for itself: the answers are in the same order, and a bad one never fails its neighbours.
func (c *Client) SettleJobs(ctx context.Context, settlements []Settlement) ([]Settled, error) {
	request := &pb.SettleJobsRequest{}
	for _, s := range settlements {
		if s.Outcome == nil {
			return nil, refused("the settlement of lease %q has no outcome", s.LeaseID)
		}
		with := reports{usage: s.Usage, throttled: s.Throttled}
		request.Outcomes = append(request.Outcomes, settlement(s.LeaseID, s.Outcome, with, false))
	}
	answer, err := c.jobs.SettleJobs(ctx, request)
	if err != nil {
		return nil, fromRPC(err)
	}
	settled := make([]Settled, 0, len(answer.GetResults()))
	for _, result := range answer.GetResults() {
		settled = append(settled, Settled{
			LeaseID:       result.GetLeaseId(),
			Status:        SettleStatus(result.GetStatus()),
			ResultDropped: result.GetResultDropped(),
			Err:           leaseError(result.GetError()),
		})
	}
	return settled, nil
}

func leaseError(from *pb.LeaseError) error {
	if from == nil {
		return nil
	}
	reason := Reason(strings.TrimPrefix(from.GetReason().String(), "ERROR_REASON_"))
	return &Error{
		Reason:  reason,
		Message: from.GetMessage(),
		Fields:  []FieldViolation{{from.GetField(), from.GetMessage()}},
	}
}

// ExtendStatus tells whether a lease was extended (semantics 5.4).
type ExtendStatus int32

const (
	// ExtendExtended is a lease that lives on.
	ExtendExtended = ExtendStatus(pb.ExtendStatus_EXTEND_STATUS_EXTENDED)
	// ExtendAlreadySettled is a lease that was settled before.
	ExtendAlreadySettled = ExtendStatus(pb.ExtendStatus_EXTEND_STATUS_ALREADY_SETTLED)
	// ExtendLost is a lease that ended otherwise: the work on it should stop.
	ExtendLost = ExtendStatus(pb.ExtendStatus_EXTEND_STATUS_LOST)
	// ExtendGone is a lease that isn't live, whose end is no longer known.
	ExtendGone = ExtendStatus(pb.ExtendStatus_EXTEND_STATUS_GONE)
)

// String is the contract's name, such as EXTENDED.
func (s ExtendStatus) String() string {
	return strings.TrimPrefix(pb.ExtendStatus(s).String(), "EXTEND_STATUS_")
}

// Extended is what became of one lease's extension.
type Extended struct {
	// LeaseID is as asked for.
	LeaseID string
	// Status is [ExtendExtended], or why nothing changed.
	Status ExtendStatus
	// ExpireTime is when the lease ends unless it is extended again.
	ExpireTime time.Time
	// CancelRequested tells whether the job was cancelled, so that the work should stop and be settled (semantics 6.1).
	CancelRequested bool
}

// ExtendLeases prolongs leases, 1..=1000, each by its own duration from now. The answers are in the same order.
func (c *Client) ExtendLeases(ctx context.Context, leaseIDs ...string) ([]Extended, error) {
	answer, err := c.jobs.ExtendLeases(ctx, &pb.ExtendLeasesRequest{LeaseIds: leaseIDs})
	if err != nil {
		return nil, fromRPC(err)
	}
	extended := make([]Extended, 0, len(answer.GetResults()))
	for _, result := range answer.GetResults() {
		extended = append(extended, Extended{
			LeaseID:         result.GetLeaseId(),
			Status:          ExtendStatus(result.GetStatus()),
			ExpireTime:      timeFrom(result.GetExpireTime()),
			CancelRequested: result.GetCancelRequested(),
		})
	}
	return extended, nil
}
