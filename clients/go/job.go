package sluicegate

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// JobState is where a job is in its life (semantics 6.1).
type JobState int32

const (
	// Scheduled waits for its run time, its backoff, or the delay of a release.
	Scheduled = JobState(pb.JobState_JOB_STATE_SCHEDULED)
	// Ready waits for a worker and for its budgets; parked jobs are ready.
	Ready = JobState(pb.JobState_JOB_STATE_READY)
	// InFlight has a live lease.
	InFlight = JobState(pb.JobState_JOB_STATE_IN_FLIGHT)
	// Completed has succeeded.
	Completed = JobState(pb.JobState_JOB_STATE_COMPLETED)
	// Dead is out of attempts, or was discarded by its worker.
	Dead = JobState(pb.JobState_JOB_STATE_DEAD)
	// Cancelled was ended by a cancellation.
	Cancelled = JobState(pb.JobState_JOB_STATE_CANCELLED)
)

// String is the contract's name, such as IN_FLIGHT.
func (s JobState) String() string { return strings.TrimPrefix(pb.JobState(s).String(), "JOB_STATE_") }

// Job is a job as it stood at the instant of the answer, or as its handler gets it. Its methods call the server and leave the
// value as it is.
type Job struct {
	// ID is opaque. Ids sort, as bytes, in the order of enqueue.
	ID string
	// State is where it is in its life.
	State JobState
	// Queue and Type are as in its [JobSpec].
	Queue, Type string
	// Payload is nil where the job has none, and in the answers of all calls but [Client.GetJob] and [Client.LeaseJobs].
	Payload Payload
	// Priority is 0 for the most urgent to 65535.
	Priority uint32
	// Budgets are its bindings, with their costs, and without CreateWith.
	Budgets []Binding
	// Attempts counts those used up. The one in flight doesn't count.
	Attempts uint32
	// MaxAttempts is the failed attempts after which it is dead.
	MaxAttempts uint32
	// Timeout is the longest one attempt may take; 0: no limit.
	Timeout time.Duration
	// Metadata travels with the job. Shown as Payload is.
	Metadata map[string]string
	// CreateTime is when it was enqueued.
	CreateTime time.Time
	// ReadyTime is when it became ready, or will.
	ReadyTime time.Time
	// FinishTime is when it ended, RemoveTime when it will be removed; zero before it has.
	FinishTime, RemoveTime time.Time
	// DelayedUntil is when it may be dispatched again after a release with a delay; zero where none was.
	DelayedUntil time.Time
	// Lease is the live one; nil unless the job is in flight.
	Lease *Lease
	// Errors are the last 10 failed attempts, oldest first. [Client.GetJob] alone shows them.
	Errors []AttemptError
	// Result is what the handler returned with success. [Client.GetJob] alone shows it.
	Result []byte

	client  *Client
	attempt *attempt
}

// AttemptError is a failed attempt.
type AttemptError struct {
	// Attempt is which, from 1.
	Attempt uint32
	// Time is when it ended.
	Time time.Time
	// Message is what the worker said, or the server: "lease expired", "timed out", "worker restarted".
	Message string
}

// Lease is a worker's exclusive, expiring hold on one attempt of one job (semantics 5.1).
type Lease struct {
	// ID is opaque and never used twice. Whoever knows it may settle and extend the lease.
	ID string
	// WorkerID is the worker it was granted to; empty for that worker itself.
	WorkerID string
	// Attempt is which attempt this is, from 1. A released attempt's number is used again.
	Attempt uint32
	// DispatchTime is when the job's budgets were debited.
	DispatchTime time.Time
	// ExpireTime is when the lease ends unless it is extended, by the server's clock.
	ExpireTime time.Time
	// Duration is what the grant and each extension is worth, from then.
	Duration time.Duration
	// CancelRequested tells whether the job was cancelled meanwhile (semantics 6.1).
	CancelRequested bool
}

func leaseFromWire(lease *pb.Lease) *Lease {
	if lease == nil {
		return nil
	}
	return &Lease{
		ID:              lease.GetId(),
		WorkerID:        lease.GetWorkerId(),
		Attempt:         lease.GetAttempt(),
		DispatchTime:    timeFrom(lease.GetDispatchTime()),
		ExpireTime:      timeFrom(lease.GetExpireTime()),
		Duration:        lease.GetDuration().AsDuration(),
		CancelRequested: lease.GetCancelRequested(),
	}
}

func (c *Client) jobFromWire(job *pb.Job) (*Job, error) {
	if job == nil {
		return nil, unexpectedAnswer("job")
	}
	spec := job.GetSpec()
	to := &Job{
		ID:           job.GetId(),
		State:        JobState(job.GetState()),
		Queue:        spec.GetQueue(),
		Type:         spec.GetType(),
		Payload:      payloadFromWire(spec),
		Priority:     spec.GetPriority(),
		Attempts:     job.GetAttempts(),
		MaxAttempts:  spec.GetMaxAttempts(),
		Timeout:      spec.GetTimeout().AsDuration(),
		Metadata:     spec.GetMetadata(),
		CreateTime:   timeFrom(job.GetCreateTime()),
		ReadyTime:    timeFrom(job.GetReadyTime()),
		FinishTime:   timeFrom(job.GetFinishTime()),
		RemoveTime:   timeFrom(job.GetRemoveTime()),
		DelayedUntil: timeFrom(job.GetDelayedUntil()),
		Lease:        leaseFromWire(job.GetLease()),
		Result:       job.GetResult(),
		client:       c,
	}
	for _, binding := range spec.GetBindings() {
		to.Budgets = append(to.Budgets, Binding{Budget: binding.GetBudget(), Cost: binding.Cost})
	}
	for _, failed := range job.GetErrors() {
		to.Errors = append(to.Errors, AttemptError{failed.GetAttempt(), timeFrom(failed.GetTime()), failed.GetMessage()})
	}
	return to, nil
}

// DecodeJSON reads the payload as JSON into what target points to.
func (j *Job) DecodeJSON(target any) error {
	if j.Payload == nil {
		return refused("job %s has no payload", j.ID)
	}
	return json.Unmarshal(j.Payload.Bytes(), target)
}

// BindBudget adds a binding. [ErrAlreadyBound] if there is one to this budget; for all changes of bindings also
// [ErrJobInFlight], [ErrJobFinished], [ErrJobNotFound], and where they fit [ErrBudgetNotFound], [ErrCostExceedsCapacity] and
// [ErrBudgetLimitReached]. All return the job as it is then (semantics 8.1).
func (j *Job) BindBudget(ctx context.Context, binding Binding) (*Job, error) {
	return j.modify(ctx, bindOperation(binding))
}

// RebindBudget replaces the binding to this budget whole, or adds it.
func (j *Job) RebindBudget(ctx context.Context, binding Binding) (*Job, error) {
	return j.modify(ctx, rebindOperation(binding))
}

// SetCost changes what a binding costs, in tokens. [ErrNotBound].
func (j *Job) SetCost(ctx context.Context, budget string, cost uint64) (*Job, error) {
	return j.modify(ctx, setCostOperation(budget, cost))
}

// UnbindBudget takes a binding away. [ErrNotBound].
func (j *Job) UnbindBudget(ctx context.Context, budget string) (*Job, error) {
	return j.modify(ctx, unbindOperation(budget))
}

// UnbindAll takes all bindings away.
func (j *Job) UnbindAll(ctx context.Context) (*Job, error) {
	return j.modify(ctx, unbindAllOperation())
}

// ReplaceBudgets puts these bindings in place of all there are. At most 16, each of another budget.
func (j *Job) ReplaceBudgets(ctx context.Context, bindings ...Binding) (*Job, error) {
	return j.modify(ctx, replaceOperation(bindings))
}

func (j *Job) modify(ctx context.Context, operation *pb.BindingOperation) (*Job, error) {
	answer, err := j.client.jobs.ModifyBindings(ctx, &pb.ModifyBindingsRequest{JobId: j.ID, Operation: operation})
	if err != nil {
		return nil, fromRPC(err)
	}
	return j.client.jobFromWire(answer.GetJob())
}

// Cancel ends the job if it is scheduled or ready, and asks its worker if it is in flight: then it is among the blocked, and its
// lease and holds stay until the worker settles or the lease expires (semantics 6.1). [Force] ends the lease too.
func (j *Job) Cancel(ctx context.Context, opts ...CancelOption) (*Changed, error) {
	return j.selected().Cancel(ctx, opts...)
}

// Retry makes the job ready if it is dead or cancelled, with its attempts reset, or waits for its backoff (semantics 6.5).
func (j *Job) Retry(ctx context.Context, opts ...ChangeOption) (*Changed, error) {
	return j.selected().Retry(ctx, opts...)
}

// Delete forgets the job, unless it is in flight: then it is among the blocked.
func (j *Job) Delete(ctx context.Context, opts ...ChangeOption) (*Changed, error) {
	return j.selected().Delete(ctx, opts...)
}

func (j *Job) selected() Selection { return j.client.Jobs().ByIDs(j.ID) }

// Explain says why the job isn't being dispatched (semantics 12). [ErrJobNotFound].
func (j *Job) Explain(ctx context.Context) (*Explanation, error) {
	return j.client.ExplainJob(ctx, j.ID)
}
