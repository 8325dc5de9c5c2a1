package sluicegate

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// runner has the handlers at work, each on its own goroutine, and the jobs that wait for a place. It knows nothing of streams and
// of leases' lives: it is told what to start and what to stop, and says what has ended.
type runner struct {
	config *WorkerConfig
	// base has the values that handlers' contexts have, and no end.
	base    context.Context
	waiting []*Job
	stops   map[string]context.CancelCauseFunc
	// finished has room for every handler there may be, so that none that is left behind waits for ever.
	finished chan finished
}

// finished is a handler that has ended.
type finished struct {
	leaseID string
	outcome Outcome
	reports reports
	// stopped is why it had been told to stop; empty if it hadn't.
	stopped StopReason
}

func newRunner(base context.Context, config *WorkerConfig) *runner {
	return &runner{
		config:   config,
		base:     context.WithoutCancel(base),
		stops:    map[string]context.CancelCauseFunc{},
		finished: make(chan finished, config.Window),
	}
}

// busy is how many handlers haven't ended, those of lost leases included.
func (r *runner) busy() int { return len(r.stops) }

func (r *runner) enqueue(job *Job) { r.waiting = append(r.waiting, job) }

// startWaiting starts jobs in line while there are places. mayStart is asked once for each, and those it denies are forgotten.
func (r *runner) startWaiting(mayStart func(leaseID string) bool) {
	for r.busy() < r.config.Window && len(r.waiting) > 0 {
		job := r.waiting[0]
		r.waiting = slices.Delete(r.waiting, 0, 1)
		if mayStart(job.Lease.ID) {
			r.start(job)
		}
	}
}

func (r *runner) start(job *Job) {
	ctx, cancel := context.WithCancelCause(r.base)
	r.stops[job.Lease.ID] = cancel
	if parent := job.Metadata[traceparentKey]; parent != "" {
		ctx = WithTrace(ctx, parent, job.Metadata[tracestateKey])
	}
	job.attempt = newAttempt()
	go func() {
		// What a handler leaves unsaid by ending its goroutine is a failure.
		ended := finished{leaseID: job.Lease.ID, outcome: Failure{Message: "handler ended its goroutine"}}
		defer func() {
			if panicked := recover(); panicked != nil {
				ended.outcome = Failure{Message: fmt.Sprintf("handler panicked: %v", panicked)}
			}
			errors.As(context.Cause(ctx), &ended.stopped)
			ended.reports = job.attempt.take()
			r.finished <- ended
		}()
		ended.outcome = outcomeOf(r.handle(ctx, job))
	}()
}

func (r *runner) handle(ctx context.Context, job *Job) error {
	handler := r.config.Handlers[job.Type]
	if handler == nil {
		handler = r.config.Handler
	}
	if handler == nil {
		return fmt.Errorf("this worker has no handler for jobs of type `%s`", job.Type)
	}
	return handler(ctx, job)
}

// ended forgets a handler that has.
func (r *runner) ended(leaseID string) {
	if cancel := r.stops[leaseID]; cancel != nil {
		cancel(nil)
		delete(r.stops, leaseID)
	}
}

// stop tells a handler to stop, or takes its job out of the line. False if the job has no handler.
func (r *runner) stop(leaseID string, reason StopReason) bool {
	if cancel := r.stops[leaseID]; cancel != nil {
		cancel(reason)
		return true
	}
	r.waiting = slices.DeleteFunc(r.waiting, func(job *Job) bool { return job.Lease.ID == leaseID })
	return false
}

// stopAll tells all handlers to stop.
func (r *runner) stopAll(reason StopReason) {
	for _, cancel := range r.stops {
		cancel(reason)
	}
}

// leaveBehind forgets all handlers wherever they are: what they say is heard by nobody.
func (r *runner) leaveBehind() { clear(r.stops) }
