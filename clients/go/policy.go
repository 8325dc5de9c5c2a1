package sluicegate

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// Policy has the terms of a budget: how many tokens, how they come back, and how long a job may be passed over.
type Policy struct {
	// Allocation is the tokens in the pool ([WhileInFlight]), or granted per duration ([TimeBased]). 1..=10^12.
	Allocation uint64
	// Strategy is how tokens come back. Required.
	Strategy Strategy
	// ReserveAfter is when a job that was passed over is protected (semantics 4.4); nil: the server's default, 30 s unless it
	// was told otherwise.
	ReserveAfter ReserveAfter
}

// Strategy is how a budget's tokens come back: [WhileInFlight] or [TimeBased], and nothing else.
type Strategy interface {
	addTo(policy *pb.BudgetPolicy)
}

// WhileInFlight gives tokens back when the lease ends, however it ends: it limits how much is in flight at once (semantics 2.1).
type WhileInFlight struct{}

// TimeBased lets tokens drip in continuously, the allocation of them per duration: it limits the rate (semantics 2.2).
type TimeBased struct {
	// Duration is the time in which the allocation drips. 1 ms..=366 d. Required.
	Duration time.Duration
	// Burst is the most tokens the pool may hold. 1..=10^12; nil: the allocation. See [Tokens].
	Burst *uint64
}

func (WhileInFlight) addTo(policy *pb.BudgetPolicy) {
	policy.Strategy = &pb.BudgetPolicy_WhileInFlight{WhileInFlight: &pb.WhileInFlight{}}
}

func (s TimeBased) addTo(policy *pb.BudgetPolicy) {
	drip := &pb.TimeBased{Duration: durationpb.New(s.Duration), Burst: s.Burst}
	policy.Strategy = &pb.BudgetPolicy_TimeBased{TimeBased: drip}
}

// ReserveAfter is when a job that was passed over on a budget is protected, so that its cost is set aside (semantics 4.4):
// [After] or [Never], and nothing else.
type ReserveAfter interface {
	addReserveTo(policy *pb.BudgetPolicy)
}

// After protects a job this long after it was first passed over. 0..=366 d; 0 means as soon as it parks: strict rank order.
type After time.Duration

// Never sets nothing aside on the budget.
type Never struct{}

func (a After) addReserveTo(policy *pb.BudgetPolicy) {
	policy.ReserveAfter = &pb.BudgetPolicy_After{After: durationpb.New(time.Duration(a))}
}

func (Never) addReserveTo(policy *pb.BudgetPolicy) {
	policy.ReserveAfter = &pb.BudgetPolicy_Never{Never: &pb.Never{}}
}

// Proto is the policy as the contract's message, for programs that call the generated code. What isn't set is left out, for the
// server to refuse by name.
func (p *Policy) Proto() *pb.BudgetPolicy {
	if p == nil {
		return nil
	}
	policy := &pb.BudgetPolicy{Allocation: p.Allocation}
	if p.Strategy != nil {
		p.Strategy.addTo(policy)
	}
	if p.ReserveAfter != nil {
		p.ReserveAfter.addReserveTo(policy)
	}
	return policy
}

// policyFromWire has no strategy where it is one that this package doesn't know.
func policyFromWire(policy *pb.BudgetPolicy) Policy {
	to := Policy{Allocation: policy.GetAllocation()}
	switch strategy := policy.GetStrategy().(type) {
	case *pb.BudgetPolicy_WhileInFlight:
		to.Strategy = WhileInFlight{}
	case *pb.BudgetPolicy_TimeBased:
		drip := strategy.TimeBased
		to.Strategy = TimeBased{Duration: drip.GetDuration().AsDuration(), Burst: drip.Burst}
	}
	switch reserve := policy.GetReserveAfter().(type) {
	case *pb.BudgetPolicy_After:
		to.ReserveAfter = After(reserve.After.AsDuration())
	case *pb.BudgetPolicy_Never:
		to.ReserveAfter = Never{}
	}
	return to
}
