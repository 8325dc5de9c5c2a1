package sluicegate

import (
	"errors"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// errorBytesMax is what the server keeps of a failure's message.
const errorBytesMax = 4 << 10

// Outcome is how one attempt of a job ends: [Success], [Failure], [Discard], [Release] or [Throttled], and nothing else. All but
// the first are errors that a handler may return, wrapped or not; any other error of a handler is a [Failure].
type Outcome interface {
	settle(outcome *pb.SettleOutcome)
}

// Success is a job that is done.
type Success struct {
	// Result is kept with the job as long as it is retained. At most 64 KiB.
	Result []byte
}

// Failure is an attempt that failed and is used up; the job is retried, or dead when its attempts are used up.
type Failure struct {
	// Message is what went wrong, for people. Cut beyond 4 KiB.
	Message string
	// RetryAfter is the delay before the retry, 0..=24 h; nil: the job's backoff. See [For].
	RetryAfter *time.Duration
}

// Discard is a job that is dead at once, whatever attempts are left.
type Discard struct {
	// Message is what went wrong, for people. Cut beyond 4 KiB.
	Message string
}

// Release gives the job back at its old rank; no attempt is used.
type Release struct {
	// Delay is not to be dispatched again before, from now. 0..=24 h.
	Delay time.Duration
}

// Throttled gives the job back since a limit of the far side was met, and lets the budget dispatch nothing for a while
// (semantics 9.3). No attempt is used.
type Throttled struct {
	// Budget is the key; the job must be bound to it.
	Budget string
	// RetryAfter is from now. 0..=24 h.
	RetryAfter time.Duration
}

// Error is the message.
func (f Failure) Error() string { return f.Message }

// Error is the message.
func (d Discard) Error() string { return d.Message }

// Error says that the job goes back.
func (r Release) Error() string { return "released" }

// Error says which budget's limit was met.
func (t Throttled) Error() string { return "throttled: " + t.Budget }

func (s Success) settle(outcome *pb.SettleOutcome) {
	outcome.Outcome = &pb.SettleOutcome_Success{Success: &pb.JobSuccess{Result: s.Result}}
}

func (f Failure) settle(outcome *pb.SettleOutcome) {
	failure := &pb.JobFailure{Error: errorText(f.Message), RetryAfter: durationUnlessNil(f.RetryAfter)}
	outcome.Outcome = &pb.SettleOutcome_Failure{Failure: failure}
}

func (d Discard) settle(outcome *pb.SettleOutcome) {
	failure := &pb.JobFailure{Error: errorText(d.Message), Discard: true}
	outcome.Outcome = &pb.SettleOutcome_Failure{Failure: failure}
}

func (r Release) settle(outcome *pb.SettleOutcome) {
	outcome.Outcome = &pb.SettleOutcome_Release{Release: &pb.JobRelease{Delay: durationUnlessZero(r.Delay)}}
}

func (t Throttled) settle(outcome *pb.SettleOutcome) {
	Release{}.settle(outcome)
	outcome.Throttled = append(outcome.Throttled, throttleToWire(t.Budget, t.RetryAfter))
}

func throttleToWire(budget string, retryAfter time.Duration) *pb.BudgetThrottle {
	return &pb.BudgetThrottle{Budget: validText(budget), RetryAfter: durationpb.New(retryAfter)}
}

// errorText is UTF-8, cut at a character where the server would cut it too, so that no message bursts a frame.
func errorText(message string) string {
	if len(message) > errorBytesMax {
		end := errorBytesMax
		for end > errorBytesMax-utf8.UTFMax && !utf8.RuneStart(message[end]) {
			end--
		}
		message = message[:end]
	}
	return validText(message)
}

// outcomeOf is what a handler's error means: the first outcome in its chain, with the words of the whole.
func outcomeOf(err error) Outcome {
	if err == nil {
		return Success{}
	}
	var found Outcome
	errors.As(err, &found)
	switch outcome := found.(type) {
	case Release, *Release, Throttled, *Throttled:
		return outcome
	case Discard, *Discard:
		return Discard{Message: err.Error()}
	case Failure:
		return Failure{Message: err.Error(), RetryAfter: outcome.RetryAfter}
	case *Failure:
		return Failure{Message: err.Error(), RetryAfter: outcome.RetryAfter}
	default:
		return Failure{Message: err.Error()}
	}
}

// reports is what a handler says besides its outcome.
type reports struct {
	usage     map[string]uint64
	throttled map[string]time.Duration
	result    []byte
}

// settlement is the outcome of an attempt with what was reported. A failure of a handler whose worker stops says nothing about
// the job: it is a release.
func settlement(leaseID string, outcome Outcome, reports reports, workerStops bool) *pb.SettleOutcome {
	switch typed := outcome.(type) {
	case Success:
		if typed.Result == nil {
			outcome = Success{Result: reports.result}
		}
	case Failure:
		if workerStops {
			outcome = Release{}
		}
	}
	to := &pb.SettleOutcome{LeaseId: leaseID}
	outcome.settle(to)
	to.Usage = usageToWire(reports.usage)
	for _, budget := range slices.Sorted(maps.Keys(reports.throttled)) {
		throttle := throttleToWire(budget, reports.throttled[budget])
		to.Throttled = slices.DeleteFunc(to.Throttled, func(other *pb.BudgetThrottle) bool {
			return other.Budget == throttle.Budget
		})
		to.Throttled = append(to.Throttled, throttle)
	}
	return to
}

func usageToWire(usage map[string]uint64) []*pb.BudgetUsage {
	to := make([]*pb.BudgetUsage, 0, len(usage))
	for _, budget := range slices.Sorted(maps.Keys(usage)) {
		to = append(to, &pb.BudgetUsage{Budget: validText(budget), Cost: usage[budget]})
	}
	return to
}

// withoutOptions is what the job's life depends on, without what the server may have refused.
func withoutOptions(outcome *pb.SettleOutcome) *pb.SettleOutcome {
	bare := &pb.SettleOutcome{LeaseId: outcome.GetLeaseId()}
	switch kind := outcome.GetOutcome().(type) {
	case *pb.SettleOutcome_Success:
		Success{}.settle(bare)
	case *pb.SettleOutcome_Failure:
		failure := &pb.JobFailure{Error: kind.Failure.GetError(), Discard: kind.Failure.GetDiscard()}
		bare.Outcome = &pb.SettleOutcome_Failure{Failure: failure}
	default:
		Release{}.settle(bare)
	}
	return bare
}
