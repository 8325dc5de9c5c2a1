package sluicegate

import (
	"context"
	"iter"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// Budget is a named pool of tokens with its terms and what it was doing at the instant of the answer.
type Budget struct {
	// Key is its name, unique in the server.
	Key string
	// Policy has its terms as they were set: defaults are not filled in.
	Policy Policy
	// CreateTime is when it was created; a replacement keeps it.
	CreateTime time.Time
	// UpdateTime is when its policy last changed.
	UpdateTime time.Time
	// Etag changes whenever the policy does, and only then. Opaque.
	Etag string
	// Available is the tokens that a dispatch could take, rounded down. Negative while a debt is paid off (semantics 9.2), or
	// after a shrink below what is in flight (7.2).
	Available int64
	// Capacity is the most tokens the pool can hold.
	Capacity uint64
	// InFlightCost is the sum of the costs of the jobs in flight that are bound to it.
	InFlightCost uint64
	// InFlightJobs is how many these are.
	InFlightJobs uint64
	// ParkedJobs is the ready jobs that it could not pay for when they were last tried.
	ParkedJobs uint64
	// BoundJobs is the unfinished jobs that are bound to it.
	BoundJobs uint64
	// NextTokenTime is when the drip alone will have added a token; zero for a full pool and for [WhileInFlight].
	NextTokenTime time.Time
	// Blocked tells whether it dispatches nothing now, by an operator or by a worker's report (semantics 9.3, 9.4).
	Blocked bool
	// BlockedUntil is zero where it isn't blocked, and where it is until unblocked.
	BlockedUntil time.Time
}

func budgetFromWire(budget *pb.Budget, err error) (*Budget, error) {
	if err != nil {
		return nil, fromRPC(err)
	}
	if budget == nil {
		return nil, unexpectedAnswer("budget")
	}
	status := budget.GetStatus()
	return &Budget{
		Key:           budget.GetKey(),
		Policy:        policyFromWire(budget.GetPolicy()),
		CreateTime:    timeFrom(budget.GetCreateTime()),
		UpdateTime:    timeFrom(budget.GetUpdateTime()),
		Etag:          budget.GetEtag(),
		Available:     status.GetAvailable(),
		Capacity:      status.GetCapacity(),
		InFlightCost:  status.GetInFlightCost(),
		InFlightJobs:  status.GetInFlightJobs(),
		ParkedJobs:    status.GetParkedJobs(),
		BoundJobs:     status.GetBoundJobs(),
		NextTokenTime: timeFrom(status.GetNextTokenTime()),
		Blocked:       status.GetBlocked(),
		BlockedUntil:  timeFrom(status.GetBlockedUntil()),
	}, nil
}

// DefineBudget creates a budget; a [TimeBased] one starts full. Keys are 1 to 128 bytes of [A-Za-z0-9._:/@-].
// [ErrBudgetAlreadyExists] changes nothing, so that every instance of a program may define its budgets on boot
// (semantics 7.1). [ErrBudgetLimitReached].
func (c *Client) DefineBudget(ctx context.Context, key string, policy Policy) (*Budget, error) {
	answer, err := c.budgets.CreateBudget(ctx, &pb.CreateBudgetRequest{Key: key, Policy: policy.Proto()})
	return budgetFromWire(answer.GetBudget(), err)
}

// ReplaceOption changes what [Client.ReplaceBudget] insists on.
type ReplaceOption interface {
	addToReplace(*pb.ReplaceBudgetRequest)
}

// ReplaceBudget puts this policy in place of the one there is, and creates the budget where there is none, unless [IfEtag] is
// given: then [ErrBudgetNotFound], and [ErrEtagMismatch] for another policy. [ErrCostExceedsCapacity] where an unfinished job's
// cost would be above the new capacity (semantics 7.4), [ErrBudgetLimitReached].
func (c *Client) ReplaceBudget(ctx context.Context, key string, policy Policy, opts ...ReplaceOption) (*Budget, error) {
	request := &pb.ReplaceBudgetRequest{Key: key, Policy: policy.Proto(), AllowMissing: true}
	for _, option := range opts {
		option.addToReplace(request)
	}
	answer, err := c.budgets.ReplaceBudget(ctx, request)
	return budgetFromWire(answer.GetBudget(), err)
}

// GetBudget shows one budget. [ErrBudgetNotFound].
func (c *Client) GetBudget(ctx context.Context, key string) (*Budget, error) {
	answer, err := c.budgets.GetBudget(ctx, &pb.GetBudgetRequest{Key: key})
	return budgetFromWire(answer.GetBudget(), err)
}

// ListBudgets shows all budgets in the order of their keys' bytes, page by page as the loop goes on. An error ends the loop.
func (c *Client) ListBudgets(ctx context.Context, opts ...ListOption) iter.Seq2[*Budget, error] {
	return pages(opts, func(size uint32, token string) ([]*pb.Budget, string, error) {
		answer, err := c.budgets.ListBudgets(ctx, &pb.ListBudgetsRequest{PageSize: size, PageToken: token})
		return answer.GetBudgets(), answer.GetNextPageToken(), err
	}, func(budget *pb.Budget) (*Budget, error) { return budgetFromWire(budget, nil) })
}

// UpdateBudget changes what is named of a policy and keeps the rest (semantics 7.1): [SetAllocation], [SetStrategy],
// [SetDuration], [SetBurst], [ClearBurst], [SetReserveAfter], [ClearReserveAfter], under the condition [IfEtag]. Refused:
// [ErrBudgetNotFound], [ErrEtagMismatch], [ErrCostExceedsCapacity]; [ErrInvalidField] also where what results is incomplete.
func (c *Client) UpdateBudget(ctx context.Context, key string, changes ...BudgetChange) (*Budget, error) {
	request, err := updateRequest(key, changes)
	if err != nil {
		return nil, err
	}
	answer, err := c.budgets.UpdateBudget(ctx, request)
	return budgetFromWire(answer.GetBudget(), err)
}

// DeleteOption changes what [Client.DeleteBudget] insists on.
type DeleteOption interface{ addToDelete(*pb.DeleteBudgetRequest) }

// DeleteBudget deletes a budget to which nothing unfinished is bound; else [ErrBudgetInUse] (semantics 7.5). Also
// [ErrBudgetNotFound] unless [AllowMissing] is given, and [ErrEtagMismatch] with [IfEtag].
func (c *Client) DeleteBudget(ctx context.Context, key string, opts ...DeleteOption) error {
	request := &pb.DeleteBudgetRequest{Key: key}
	for _, option := range opts {
		option.addToDelete(request)
	}
	_, err := c.budgets.DeleteBudget(ctx, request)
	return fromRPC(err)
}

// BlockBudget lets a budget dispatch nothing for a while (semantics 9.4): 1 ns..=366 d from now; 0 means until unblocked. Where
// it is blocked already the later end holds. [ErrBudgetNotFound].
func (c *Client) BlockBudget(ctx context.Context, key string, duration time.Duration) (*Budget, error) {
	request := &pb.BlockBudgetRequest{Key: key, Duration: durationUnlessZero(duration)}
	answer, err := c.budgets.BlockBudget(ctx, request)
	return budgetFromWire(answer.GetBudget(), err)
}

// UnblockBudget ends a block, and whatever workers reported as throttled (semantics 9.4). [ErrBudgetNotFound].
func (c *Client) UnblockBudget(ctx context.Context, key string) (*Budget, error) {
	answer, err := c.budgets.UnblockBudget(ctx, &pb.UnblockBudgetRequest{Key: key})
	return budgetFromWire(answer.GetBudget(), err)
}

// AdjustBudget sets the level of a [TimeBased] pool in tokens, 0..=capacity, to forgive a debt or to empty it (semantics 9.5).
// [ErrBudgetNotFound], [ErrInvalidField] for a [WhileInFlight] budget.
func (c *Client) AdjustBudget(ctx context.Context, key string, level uint64) (*Budget, error) {
	answer, err := c.budgets.AdjustBudget(ctx, &pb.AdjustBudgetRequest{Key: key, Level: &level})
	return budgetFromWire(answer.GetBudget(), err)
}

// IfEtag lets a change of a budget happen only while its policy has this etag; else [ErrEtagMismatch].
type IfEtag string

func (e IfEtag) addToReplace(request *pb.ReplaceBudgetRequest) { request.Etag = string(e) }
func (e IfEtag) addToDelete(request *pb.DeleteBudgetRequest)   { request.Etag = string(e) }
func (e IfEtag) addToUpdate(update *budgetUpdate)              { update.etag = string(e) }

// AllowMissing makes the deletion of what isn't there succeed.
type AllowMissing struct{}

func (AllowMissing) addToDelete(request *pb.DeleteBudgetRequest) { request.AllowMissing = true }

// BudgetChange is one part of [Client.UpdateBudget].
type BudgetChange interface{ addToUpdate(*budgetUpdate) }

// budgetUpdate gathers changes; of several of one field the last counts.
type budgetUpdate struct {
	policy pb.BudgetPolicy
	// drip holds what is changed inside a strategy; strategy replaces it whole.
	drip     pb.TimeBased
	strategy Strategy
	paths    map[string]bool
	etag     string
}

type budgetChange func(*budgetUpdate)

func (change budgetChange) addToUpdate(update *budgetUpdate) { change(update) }

// SetAllocation changes the allocation, in tokens.
func SetAllocation(tokens uint64) BudgetChange {
	return budgetChange(func(u *budgetUpdate) {
		u.policy.Allocation = tokens
		u.paths["allocation"] = true
	})
}

// SetStrategy replaces the strategy whole. It doesn't go together with changes inside the strategy.
func SetStrategy(strategy Strategy) BudgetChange {
	return budgetChange(func(u *budgetUpdate) { u.strategy = strategy })
}

// SetDuration changes the time in which the allocation drips. It makes a [WhileInFlight] budget a [TimeBased] one.
func SetDuration(duration time.Duration) BudgetChange {
	return budgetChange(func(u *budgetUpdate) {
		u.drip.Duration = durationpb.New(duration)
		u.paths["time_based.duration"] = true
	})
}

// SetBurst changes the most tokens the pool may hold.
func SetBurst(tokens uint64) BudgetChange {
	return budgetChange(func(u *budgetUpdate) {
		u.drip.Burst = &tokens
		u.paths["time_based.burst"] = true
	})
}

// ClearBurst makes the allocation the capacity again.
func ClearBurst() BudgetChange {
	return budgetChange(func(u *budgetUpdate) {
		u.drip.Burst = nil
		u.paths["time_based.burst"] = true
	})
}

// SetReserveAfter changes when a job that was passed over is protected.
func SetReserveAfter(reserveAfter ReserveAfter) BudgetChange {
	return budgetChange(func(u *budgetUpdate) {
		u.policy.ReserveAfter = nil
		if reserveAfter != nil {
			reserveAfter.addReserveTo(&u.policy)
		}
		u.paths["reserve_after"] = true
	})
}

// ClearReserveAfter goes back to the server's default.
func ClearReserveAfter() BudgetChange { return SetReserveAfter(nil) }
