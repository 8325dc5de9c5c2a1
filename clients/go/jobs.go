package sluicegate

import (
	"context"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// Enqueued is what became of one [JobSpec] of many.
type Enqueued struct {
	// ID is the job's.
	ID string
	// Existing tells whether a job that holds the same unique key was there, so that none was created.
	Existing bool
}

// EnqueueOption changes how jobs are enqueued.
type EnqueueOption interface{ addToEnqueue(requestID *string) }

// RequestID makes a repeat of an enqueue return the first answer. 1..=128 bytes of UTF-8, best a random UUID; kept for 10 min.
type RequestID string

func (r RequestID) addToEnqueue(requestID *string) { *requestID = string(r) }

// Enqueue takes in one job. The job that is returned is the one that holds the unique key, and existing is true, where there was
// one. Refused: [ErrInvalidField], [ErrBudgetNotFound], [ErrCostExceedsCapacity], [ErrBudgetLimitReached]. After
// [ErrUnavailable] and [ErrStoreUnavailable] the job may have been taken in: give a [RequestID] and repeat the call with it.
func (c *Client) Enqueue(ctx context.Context, spec JobSpec, opts ...EnqueueOption) (job *Job, existing bool, err error) {
	request := &pb.EnqueueRequest{Job: traceOf(ctx).spec(spec)}
	for _, option := range opts {
		option.addToEnqueue(&request.RequestId)
	}
	answer, err := c.jobs.Enqueue(ctx, request)
	if err != nil {
		return nil, false, fromRPC(err)
	}
	job, err = c.jobFromWire(answer.GetJob())
	return job, answer.GetExisting(), err
}

// EnqueueMany takes in jobs in this order: all of them, or none. 1..=10,000. Refused as [Client.Enqueue] is, naming jobs[i]. The
// call has a request id, a random one unless [RequestID] is given, and is repeated with it a few times, for about a second in
// all, while the server is unavailable.
func (c *Client) EnqueueMany(ctx context.Context, specs []JobSpec, opts ...EnqueueOption) ([]Enqueued, error) {
	request := &pb.BatchEnqueueRequest{RequestId: newRequestID()}
	for _, option := range opts {
		option.addToEnqueue(&request.RequestId)
	}
	trace := traceOf(ctx)
	for _, spec := range specs {
		request.Jobs = append(request.Jobs, trace.spec(spec))
	}
	answer, err := c.jobs.BatchEnqueue(ctx, request)
	if err != nil {
		return nil, fromRPC(err)
	}
	enqueued := make([]Enqueued, 0, len(answer.GetJobs()))
	for _, job := range answer.GetJobs() {
		enqueued = append(enqueued, Enqueued{ID: job.GetId(), Existing: job.GetExisting()})
	}
	return enqueued, nil
}

// GetJob shows one job, all of it. [ErrJobNotFound], also once it is removed.
func (c *Client) GetJob(ctx context.Context, id string) (*Job, error) {
	answer, err := c.jobs.GetJob(ctx, &pb.GetJobRequest{JobId: id, View: pb.JobView_JOB_VIEW_FULL})
	if err != nil {
		return nil, fromRPC(err)
	}
	return c.jobFromWire(answer.GetJob())
}
