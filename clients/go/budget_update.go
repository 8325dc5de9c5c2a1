package sluicegate

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/fieldmaskpb"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// updateRequest is the values, and the paths that say which of them count.
func updateRequest(key string, changes []BudgetChange) (*pb.UpdateBudgetRequest, error) {
	update := budgetUpdate{paths: map[string]bool{}}
	for _, change := range changes {
		change.addToUpdate(&update)
	}
	changesDrip := update.paths["time_based.duration"] || update.paths["time_based.burst"]
	switch {
	case update.strategy != nil && changesDrip:
		return nil, refused("SetStrategy replaces duration and burst too: leave SetDuration, SetBurst and ClearBurst out")
	case update.strategy != nil:
		update.strategy.addTo(&update.policy)
		if _, drips := update.policy.Strategy.(*pb.BudgetPolicy_TimeBased); drips {
			update.paths["time_based"] = true
		} else {
			update.paths["while_in_flight"] = true
		}
	case changesDrip:
		update.policy.Strategy = &pb.BudgetPolicy_TimeBased{TimeBased: &update.drip}
	}
	if len(update.paths) == 0 {
		return nil, refused("an update of budget %q changes nothing: name a change", key)
	}
	mask := &fieldmaskpb.FieldMask{Paths: slices.Sorted(maps.Keys(update.paths))}
	return &pb.UpdateBudgetRequest{Key: key, Policy: &update.policy, UpdateMask: mask, Etag: update.etag}, nil
}
