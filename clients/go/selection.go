package sluicegate

import (
	"context"
	"iter"
	"slices"
	"time"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// Selection is the jobs that meet all conditions; of one condition's list, any entry. Each method returns another selection and
// leaves its receiver as it is. One without any condition lists and counts all jobs, but changes none: that takes
// [Selection.All].
type Selection struct {
	client *Client
	ids    []string
	hasIDs bool
	filter filter
}

type filter struct {
	queues, types, budgets   []string
	states                   []JobState
	priorityMin, priorityMax *uint32
	createdFrom, createdTo   time.Time
	runFrom, runTo           time.Time
	all                      bool
}

// Jobs selects no particular jobs yet.
func (c *Client) Jobs() Selection { return Selection{client: c} }

// All selects every job. It doesn't go together with other conditions.
func (s Selection) All() Selection {
	s.filter.all = true
	return s
}

// ByIDs selects the jobs with these ids, at most 10,000 in all; without any it selects none. Ids that no job has are no error.
func (s Selection) ByIDs(ids ...string) Selection {
	s.ids, s.hasIDs = append(slices.Clip(s.ids), ids...), true
	return s
}

// ByQueue selects the jobs in these queues. At most 100 in all.
func (s Selection) ByQueue(names ...string) Selection {
	s.filter.queues = append(slices.Clip(s.filter.queues), names...)
	return s
}

// ByType selects the jobs of these types; an empty one selects jobs without. At most 100 in all.
func (s Selection) ByType(types ...string) Selection {
	s.filter.types = append(slices.Clip(s.filter.types), types...)
	return s
}

// ByState selects the jobs in these states.
func (s Selection) ByState(states ...JobState) Selection {
	s.filter.states = append(slices.Clip(s.filter.states), states...)
	return s
}

// ByBudgetsKey selects the jobs bound to one of these budgets, which need not exist. At most 100 in all.
func (s Selection) ByBudgetsKey(keys ...string) Selection {
	s.filter.budgets = append(slices.Clip(s.filter.budgets), keys...)
	return s
}

// ByPriority selects the jobs of these priorities, both ends included: 0 is the most urgent, 65535 the least.
func (s Selection) ByPriority(lowest, highest uint32) Selection {
	return s.ByPriorityFrom(lowest).ByPriorityTo(highest)
}

// ByPriorityFrom selects the jobs of this priority or a larger number (less urgent).
func (s Selection) ByPriorityFrom(lowest uint32) Selection {
	s.filter.priorityMin = &lowest
	return s
}

// ByPriorityTo selects the jobs of this priority or a smaller number (more urgent).
func (s Selection) ByPriorityTo(highest uint32) Selection {
	s.filter.priorityMax = &highest
	return s
}

// ByCreateTime selects the jobs enqueued at or after the first instant and before the second; a zero one is no bound.
func (s Selection) ByCreateTime(from, until time.Time) Selection {
	s.filter.createdFrom, s.filter.createdTo = from, until
	return s
}

// ByRunTime selects the jobs that became ready, or will, at or after the first instant and before the second; a zero one is no
// bound.
func (s Selection) ByRunTime(from, until time.Time) Selection {
	s.filter.runFrom, s.filter.runTo = from, until
	return s
}

// toWire is nil without a condition.
func (s Selection) toWire() *pb.JobFilter {
	f := s.filter
	wire := &pb.JobFilter{
		Queues:       f.queues,
		Types:        f.types,
		Budgets:      f.budgets,
		PriorityMin:  f.priorityMin,
		PriorityMax:  f.priorityMax,
		CreatedFrom:  timeUnlessZero(f.createdFrom),
		CreatedUntil: timeUnlessZero(f.createdTo),
		RunFrom:      timeUnlessZero(f.runFrom),
		RunUntil:     timeUnlessZero(f.runTo),
		All:          f.all,
	}
	if s.hasIDs {
		wire.Ids = &pb.JobIds{Ids: s.ids}
	}
	for _, state := range f.states {
		wire.States = append(wire.States, pb.JobState(state))
	}
	if s.isEmpty() {
		return nil
	}
	return wire
}

func (s Selection) isEmpty() bool {
	f := s.filter
	hasLists := len(f.queues)+len(f.types)+len(f.budgets)+len(f.states) > 0
	hasRanges := f.priorityMin != nil || f.priorityMax != nil ||
		!f.createdFrom.IsZero() || !f.createdTo.IsZero() || !f.runFrom.IsZero() || !f.runTo.IsZero()
	return !s.hasIDs && !hasLists && !hasRanges && !f.all
}

// toChange is the filter of a call that changes jobs.
func (s Selection) toChange() (*pb.JobFilter, error) {
	wire := s.toWire()
	if wire == nil {
		return nil, refused("an empty selection changes nothing: name a condition, or say All")
	}
	return wire, nil
}

// List shows the jobs in the order of their ids, without payloads, metadata, errors and results, page by page as the loop goes
// on. An error ends the loop. Jobs that change while pages are read are shown once at most, as they then stand.
func (s Selection) List(ctx context.Context, opts ...ListOption) iter.Seq2[*Job, error] {
	filter := s.toWire()
	return pages(opts, func(size uint32, token string) ([]*pb.Job, string, error) {
		answer, err := s.client.jobs.ListJobs(ctx, &pb.ListJobsRequest{Filter: filter, PageSize: size, PageToken: token})
		return answer.GetJobs(), answer.GetNextPageToken(), err
	}, s.client.jobFromWire)
}

// Count counts the jobs.
func (s Selection) Count(ctx context.Context) (uint64, error) {
	answer, err := s.client.jobs.CountJobs(ctx, &pb.CountJobsRequest{Filter: s.toWire()})
	return answer.GetCount(), fromRPC(err)
}
