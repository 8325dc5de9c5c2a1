package main

import (
	"strconv"
	"time"

	"github.com/sluicegate/sluicegate/clients/go"
)

func digits(number uint64) string { return strconv.FormatUint(number, 10) }

func policyOut(policy sluicegate.Policy) map[string]any {
	out := map[string]any{"allocation": digits(policy.Allocation)}
	switch strategy := policy.Strategy.(type) {
	case sluicegate.WhileInFlight:
		out["strategy"] = map[string]any{"type": "while_in_flight"}
	case sluicegate.TimeBased:
		drip := map[string]any{"type": "time_based", "durationMs": strategy.Duration.Milliseconds()}
		if strategy.Burst != nil {
			drip["burst"] = digits(*strategy.Burst)
		}
		out["strategy"] = drip
	}
	switch reserve := policy.ReserveAfter.(type) {
	case sluicegate.After:
		out["reserveAfter"] = map[string]any{"afterMs": time.Duration(reserve).Milliseconds()}
	case sluicegate.Never:
		out["reserveAfter"] = "never"
	}
	return out
}

func budgetOut(budget *sluicegate.Budget, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"key":          budget.Key,
		"policy":       policyOut(budget.Policy),
		"etag":         budget.Etag,
		"available":    strconv.FormatInt(budget.Available, 10),
		"capacity":     digits(budget.Capacity),
		"inFlightCost": digits(budget.InFlightCost),
		"inFlightJobs": digits(budget.InFlightJobs),
		"parkedJobs":   digits(budget.ParkedJobs),
		"boundJobs":    digits(budget.BoundJobs),
		"blocked":      budget.Blocked,
	}, nil
}

func bindingsOut(bindings []sluicegate.Binding) []any {
	out := []any{}
	for _, binding := range bindings {
		cost := uint64(1)
		if binding.Cost != nil {
			cost = *binding.Cost
		}
		out = append(out, map[string]any{"key": binding.Budget, "cost": digits(cost)})
	}
	return out
}

func metadataOut(metadata map[string]string) map[string]string {
	if metadata == nil {
		return map[string]string{}
	}
	return metadata
}

func jobOut(job *sluicegate.Job, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	failed := []any{}
	for _, attempt := range job.Errors {
		failed = append(failed, map[string]any{"attempt": attempt.Attempt, "error": attempt.Message})
	}
	out := map[string]any{
		"id":          job.ID,
		"queue":       job.Queue,
		"type":        job.Type,
		"state":       job.State.String(),
		"priority":    job.Priority,
		"attempts":    job.Attempts,
		"maxAttempts": job.MaxAttempts,
		"budgets":     bindingsOut(job.Budgets),
		"metadata":    metadataOut(job.Metadata),
		"errors":      failed,
	}
	if payload := payloadOut(job.Payload); payload != nil {
		out["payload"] = payload
	}
	if len(job.Result) > 0 {
		out["resultBase64"] = job.Result
	}
	return out, nil
}

func changedOut(changed *sluicegate.Changed, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"changed":      digits(changed.Changed),
		"blocked":      append([]string{}, changed.Blocked...),
		"blockedCount": digits(changed.BlockedCount),
	}, nil
}

func queueOut(queue *sluicegate.Queue, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]any{"name": queue.Name, "paused": queue.Paused, "ready": digits(queue.Ready)}, nil
}
