package sluicegate

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// Changed is what a call over a selection did.
type Changed struct {
	// Changed counts the jobs that were changed.
	Changed uint64
	// Blocked are jobs that should have been changed and couldn't, mostly since they are in flight: the first 1000 by id. A list
	// to retry.
	Blocked []string
	// BlockedCount is how many these are, those not listed included.
	BlockedCount uint64
}

type changeAnswer interface {
	GetChanged() uint64
	GetBlocked() []string
	GetBlockedCount() uint64
}

func changedFromWire(answer changeAnswer, err error) (*Changed, error) {
	if err != nil {
		return nil, fromRPC(err)
	}
	return &Changed{answer.GetChanged(), answer.GetBlocked(), answer.GetBlockedCount()}, nil
}

type change struct{ validateOnly, force bool }

// ChangeOption changes how a selection is changed. Every one may be given to a cancellation too.
type ChangeOption interface {
	CancelOption
	addToChange(*change)
}

// CancelOption changes how jobs are cancelled.
type CancelOption interface{ addToCancel(*change) }

// ValidateOnly changes nothing, and answers, or refuses, as if it had.
type ValidateOnly struct{}

func (ValidateOnly) addToChange(c *change) { c.validateOnly = true }
func (ValidateOnly) addToCancel(c *change) { c.validateOnly = true }

// Force ends the leases of jobs in flight as well, and frees their holds at once, though their handlers may still run: the
// promise of a [WhileInFlight] budget doesn't cover them (semantics 6.1, 13).
type Force struct{}

func (Force) addToCancel(c *change) { c.force = true }

func changeOf(opts []ChangeOption) (c change) {
	for _, option := range opts {
		option.addToChange(&c)
	}
	return c
}

// BindBudget adds a binding to the jobs that have none to this budget. A change of bindings that is invalid for any selected job
// refuses the whole call, and nothing changes: [ErrBudgetNotFound], [ErrCostExceedsCapacity], [ErrBudgetLimitReached],
// [ErrInvalidField]. Beyond 10,000 jobs an interrupted call stays part-done, and repeating it finishes (semantics 8.2).
func (s Selection) BindBudget(ctx context.Context, binding Binding, opts ...ChangeOption) (*Changed, error) {
	return s.modify(ctx, bindOperation(binding), opts)
}

// RebindBudget replaces the jobs' bindings to this budget whole, or adds them.
func (s Selection) RebindBudget(ctx context.Context, binding Binding, opts ...ChangeOption) (*Changed, error) {
	return s.modify(ctx, rebindOperation(binding), opts)
}

// SetCost changes what the jobs' bindings to a budget cost, in tokens, where they have one.
func (s Selection) SetCost(ctx context.Context, budget string, cost uint64, opts ...ChangeOption) (*Changed, error) {
	return s.modify(ctx, setCostOperation(budget, cost), opts)
}

// UnbindBudget takes the bindings to a budget away.
func (s Selection) UnbindBudget(ctx context.Context, budget string, opts ...ChangeOption) (*Changed, error) {
	return s.modify(ctx, unbindOperation(budget), opts)
}

// UnbindAll takes all bindings away.
func (s Selection) UnbindAll(ctx context.Context, opts ...ChangeOption) (*Changed, error) {
	return s.modify(ctx, unbindAllOperation(), opts)
}

// ReplaceBudgets puts these bindings in place of all there are.
func (s Selection) ReplaceBudgets(ctx context.Context, bindings []Binding, opts ...ChangeOption) (*Changed, error) {
	return s.modify(ctx, replaceOperation(bindings), opts)
}

func (s Selection) modify(ctx context.Context, operation *pb.BindingOperation, opts []ChangeOption) (*Changed, error) {
	filter, err := s.toChange()
	if err != nil {
		return nil, err
	}
	request := &pb.BulkModifyBindingsRequest{
		Filter:       filter,
		Operation:    operation,
		ValidateOnly: changeOf(opts).validateOnly,
	}
	return changedFromWire(s.client.jobs.BulkModifyBindings(ctx, request))
}

// Cancel ends the scheduled and ready jobs, and asks the workers of those in flight, whose leases and holds stay until they
// settle or expire: these are the blocked ones (semantics 6.1). [Force] ends those leases too.
func (s Selection) Cancel(ctx context.Context, opts ...CancelOption) (*Changed, error) {
	filter, err := s.toChange()
	if err != nil {
		return nil, err
	}
	var how change
	for _, option := range opts {
		option.addToCancel(&how)
	}
	request := &pb.CancelJobsRequest{Filter: filter, Force: how.force, ValidateOnly: how.validateOnly}
	return changedFromWire(s.client.jobs.CancelJobs(ctx, request))
}

// Retry makes dead and cancelled jobs ready, with their attempts reset, and those that wait for their backoff, with their attempts
// kept (semantics 6.5). [ErrBudgetNotFound], [ErrCostExceedsCapacity] as at an enqueue. Blocked are finished jobs whose unique
// key another job holds by now.
func (s Selection) Retry(ctx context.Context, opts ...ChangeOption) (*Changed, error) {
	filter, err := s.toChange()
	if err != nil {
		return nil, err
	}
	request := &pb.RetryJobsRequest{Filter: filter, ValidateOnly: changeOf(opts).validateOnly}
	return changedFromWire(s.client.jobs.RetryJobs(ctx, request))
}

// Delete forgets the jobs that aren't in flight, with their payloads and results.
func (s Selection) Delete(ctx context.Context, opts ...ChangeOption) (*Changed, error) {
	filter, err := s.toChange()
	if err != nil {
		return nil, err
	}
	request := &pb.DeleteJobsRequest{Filter: filter, ValidateOnly: changeOf(opts).validateOnly}
	return changedFromWire(s.client.jobs.DeleteJobs(ctx, request))
}

// JobPatch has the new values of jobs; fields that are nil stay as they are.
type JobPatch struct {
	// Queue and Type are names.
	Queue, Type *string
	// Priority is 0 for the most urgent to 65535.
	Priority *uint32
	// RunAt sets the ready time to the later of it and the enqueue, and ends a backoff or delay. A zero time is the enqueue.
	RunAt *time.Time
	// MaxAttempts at or below the attempts used up makes the next failure the last. 1..=1000.
	MaxAttempts *uint32
	// Backoff and Retention replace the old ones whole.
	Backoff   *Backoff
	Retention *Retention
	// Timeout is the longest one attempt may take. 0: no limit.
	Timeout *time.Duration
}

func (p JobPatch) toWire() (*pb.JobSpec, *fieldmaskpb.FieldMask) {
	spec := &pb.JobSpec{
		Priority:    p.Priority,
		MaxAttempts: p.MaxAttempts,
		Backoff:     p.Backoff.toWire(),
		Retention:   p.Retention.toWire(),
	}
	if p.Queue != nil {
		spec.Queue = *p.Queue
	}
	if p.Type != nil {
		spec.Type = *p.Type
	}
	if p.RunAt != nil {
		spec.RunTime = timeUnlessZero(*p.RunAt)
	}
	if p.Timeout != nil {
		spec.Timeout = durationUnlessZero(*p.Timeout)
	}
	mask := &fieldmaskpb.FieldMask{}
	for _, field := range []struct {
		path  string
		isSet bool
	}{
		{"queue", p.Queue != nil},
		{"type", p.Type != nil},
		{"priority", p.Priority != nil},
		{"run_time", p.RunAt != nil},
		{"max_attempts", p.MaxAttempts != nil},
		{"backoff", p.Backoff != nil},
		{"retention", p.Retention != nil},
		{"timeout", p.Timeout != nil},
	} {
		if field.isSet {
			mask.Paths = append(mask.Paths, field.path)
		}
	}
	return spec, mask
}

// Update changes the scheduled and ready jobs; they are tried again at once, ranked by their new values. Finished jobs are left
// as they are.
func (s Selection) Update(ctx context.Context, patch JobPatch, opts ...ChangeOption) (*Changed, error) {
	filter, err := s.toChange()
	if err != nil {
		return nil, err
	}
	spec, mask := patch.toWire()
	if len(mask.Paths) == 0 {
		return nil, refused("an update of jobs changes nothing: set a field of the patch")
	}
	request := &pb.UpdateJobsRequest{Filter: filter, Job: spec, UpdateMask: mask, ValidateOnly: changeOf(opts).validateOnly}
	return changedFromWire(s.client.jobs.UpdateJobs(ctx, request))
}
