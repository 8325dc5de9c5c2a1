package sluicegate

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// Binding is what one dispatch of a job debits from one budget.
type Binding struct {
	// Budget is the budget's key.
	Budget string
	// Cost is in tokens, 1..=10^12; nil: 1. More than the budget's capacity is [ErrCostExceedsCapacity]. See [Tokens].
	Cost *uint64
	// CreateWith creates the budget with this policy if it doesn't exist, in the same commit as the job; it is ignored if it does
	// (semantics 3.4). Nil: [ErrBudgetNotFound] then.
	CreateWith *Policy
}

// Bind is the binding to a budget at a cost in tokens.
func Bind(budget string, cost uint64) Binding { return Binding{Budget: budget, Cost: &cost} }

// OrCreate is this binding, creating its budget where there is none.
func (b Binding) OrCreate(policy Policy) Binding {
	b.CreateWith = &policy
	return b
}

func (b Binding) toWire() *pb.Binding {
	return &pb.Binding{Budget: b.Budget, Cost: b.Cost, CreateWith: b.CreateWith.Proto()}
}

func bindingsToWire(bindings []Binding) []*pb.Binding {
	to := make([]*pb.Binding, 0, len(bindings))
	for _, binding := range bindings {
		to = append(to, binding.toWire())
	}
	return to
}

// Backoff is the delay before a retry: exponential with jitter and a cap (semantics 6.3). Nil fields have the server's defaults.
type Backoff struct {
	// Initial is before the first retry. 0..=24 h; 1 s where nil.
	Initial *time.Duration
	// Max is the longest delay. 0..=24 h, at least Initial; the larger of 1 h and Initial where nil.
	Max *time.Duration
	// MultiplierPercent is the growth from one retry to the next. 100..=1000; 200 where nil.
	MultiplierPercent *uint32
	// JitterPercent is the largest share taken off at random. 0..=100; 20 where nil.
	JitterPercent *uint32
}

func (b *Backoff) toWire() *pb.Backoff {
	if b == nil {
		return nil
	}
	return &pb.Backoff{
		Initial:           durationUnlessNil(b.Initial),
		Max:               durationUnlessNil(b.Max),
		MultiplierPercent: b.MultiplierPercent,
		JitterPercent:     b.JitterPercent,
	}
}

// Retention is how long a job is kept once it is over (semantics 6.4). Each 0..=366 d.
type Retention struct {
	// Completed is after success. Nil: 0, so that it is removed at once, and its result dropped.
	Completed *time.Duration
	// Dead is after its last failure. Nil: 7 d.
	Dead *time.Duration
	// Cancelled is after it was cancelled. Nil: 1 d.
	Cancelled *time.Duration
}

func (r *Retention) toWire() *pb.Retention {
	if r == nil {
		return nil
	}
	return &pb.Retention{
		Completed: durationUnlessNil(r.Completed),
		Dead:      durationUnlessNil(r.Dead),
		Cancelled: durationUnlessNil(r.Cancelled),
	}
}

// For is a duration for a field where nothing said differs from zero, such as [Retention.Completed].
func For(duration time.Duration) *time.Duration { return &duration }

// UniqueScope is until when a job holds its unique key.
type UniqueScope int32

const (
	// WhileQueued holds it while the job is scheduled or ready.
	WhileQueued = UniqueScope(pb.UniqueScope_UNIQUE_SCOPE_QUEUED)
	// WhileUnfinished holds it while the job is scheduled, ready or in flight. So does the zero value.
	WhileUnfinished = UniqueScope(pb.UniqueScope_UNIQUE_SCOPE_UNFINISHED)
	// WhileRetained holds it until the job is removed, finished or not.
	WhileRetained = UniqueScope(pb.UniqueScope_UNIQUE_SCOPE_RETAINED)
)

// Unique is a key that at most one job of the server holds. An enqueue that names a held key creates nothing and answers with
// the holder.
type Unique struct {
	// Key is 1..=256 bytes of UTF-8 without NUL, in one space for the whole server.
	Key string
	// Scope is until when the job holds it.
	Scope UniqueScope
}

func (u *Unique) toWire() *pb.UniqueKey {
	if u == nil {
		return nil
	}
	return &pb.UniqueKey{Key: u.Key, Scope: pb.UniqueScope(u.Scope)}
}

// JobSpec is what a job is to do, and how. Only the queue is required. Names are 1 to 128 bytes of [A-Za-z0-9._:/@-].
type JobSpec struct {
	// Queue exists as soon as a job names it. Required.
	Queue string
	// Type tells handlers apart; empty where one handler does all of a queue.
	Type string
	// Payload is the handler's input; nil: none. See [JSON].
	Payload Payload
	// Priority is 0 for the most urgent to 65535; nil: 32768. See [Priority].
	Priority *uint32
	// RunAt is not to be dispatched before; at most 366 d from now. Zero or past means now.
	RunAt time.Time
	// Budgets are what a dispatch debits: all of it at once, or it waits (semantics 3.1). At most 16, each of another budget.
	Budgets []Binding
	// MaxAttempts is the failed attempts after which the job is dead. 1..=1000; 0: 25.
	MaxAttempts uint32
	// Backoff is the delay before a retry.
	Backoff *Backoff
	// Retention is how long the job is kept once it is over.
	Retention *Retention
	// Timeout is the longest one attempt may take (semantics 6.6). 1 ms..=24 h; nil: no limit. See [For].
	Timeout *time.Duration
	// Unique makes an enqueue answer with the job that holds the same key, if one does.
	Unique *Unique
	// Metadata travels with the job. At most 64 pairs; keys as names, values any UTF-8; 4 KiB together. The trace of the context
	// ([WithTrace]) is added where traceparent isn't there.
	Metadata map[string]string
}

// Proto is the spec as the contract's message, for programs that call the generated code.
func (s JobSpec) Proto() *pb.JobSpec {
	spec := &pb.JobSpec{
		Queue:     s.Queue,
		Type:      s.Type,
		Priority:  s.Priority,
		Bindings:  bindingsToWire(s.Budgets),
		Backoff:   s.Backoff.toWire(),
		Retention: s.Retention.toWire(),
		Timeout:   durationUnlessNil(s.Timeout),
		Unique:    s.Unique.toWire(),
		Metadata:  s.Metadata,
	}
	if s.Payload != nil {
		s.Payload.addTo(spec)
	}
	if !s.RunAt.IsZero() {
		spec.RunTime = timestamppb.New(s.RunAt)
	}
	if s.MaxAttempts != 0 {
		spec.MaxAttempts = &s.MaxAttempts
	}
	return spec
}
