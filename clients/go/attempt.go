package sluicegate

import (
	"encoding/json"
	"sync"
	"time"
)

// attempt is where a handler reports to. Handlers may report from many goroutines.
type attempt struct {
	mutex   sync.Mutex
	reports reports
}

func newAttempt() *attempt {
	return &attempt{reports: reports{usage: map[string]uint64{}, throttled: map[string]time.Duration{}}}
}

// take is what was reported so far. What is reported later is dropped.
func (a *attempt) take() reports {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	taken := a.reports
	a.reports = newAttempt().reports
	return taken
}

// report changes what goes with the outcome. A job that no handler was given has nothing to report to.
func (j *Job) report(change func(*reports)) {
	if j.attempt == nil {
		return
	}
	j.attempt.mutex.Lock()
	defer j.attempt.mutex.Unlock()
	change(&j.attempt.reports)
}

// ReportUsage says, from a handler, what this attempt has used of a budget in all, in tokens (0..=10^12), with whatever outcome
// follows (semantics 9.1). The last report for a budget counts. The job must be bound to it. It has no effect on a job that
// doesn't come from a worker.
func (j *Job) ReportUsage(budget string, used uint64) {
	j.report(func(r *reports) { r.usage[budget] = used })
}

// ReportThrottled says, from a handler, that the far side enforced a limit, with whatever outcome follows: the budget dispatches
// nothing for this long (0..=24 h; semantics 9.3). Otherwise as [Job.ReportUsage].
func (j *Job) ReportThrottled(budget string, retryAfter time.Duration) {
	j.report(func(r *reports) { r.throttled[budget] = retryAfter })
}

// SetResult says, from a handler, what is to be kept with the job if it succeeds, as long as it is retained. At most 64 KiB: a
// larger one is dropped. Otherwise as [Job.ReportUsage].
func (j *Job) SetResult(result []byte) {
	j.report(func(r *reports) { r.result = result })
}

// SetResultJSON is [Job.SetResult] of a value as JSON. It fails as [json.Marshal] does.
func (j *Job) SetResultJSON(value any) error {
	result, err := json.Marshal(value)
	if err == nil {
		j.SetResult(result)
	}
	return err
}
