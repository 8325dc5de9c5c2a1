package main

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/sluicegate/sluicegate/clients/go"
)

// milliseconds is a duration as the script writes it.
type milliseconds int64

func (m milliseconds) duration() time.Duration { return time.Duration(m) * time.Millisecond }

func (m *milliseconds) pointer() *time.Duration {
	if m == nil {
		return nil
	}
	return sluicegate.For(m.duration())
}

type strategyIn struct {
	Type       string          `json:"type"`
	DurationMs *milliseconds   `json:"durationMs"`
	Burst      json.RawMessage `json:"burst"`
}

// burst is nil where it is null or unsaid.
func (s strategyIn) burst() (*uint64, error) {
	if s.Burst == nil || string(s.Burst) == "null" {
		return nil, nil
	}
	var in struct {
		Burst uint64 `json:"burst,string"`
	}
	err := json.Unmarshal(fmt.Appendf(nil, `{"burst": %s}`, s.Burst), &in)
	return &in.Burst, err
}

func (s strategyIn) strategy() (sluicegate.Strategy, error) {
	if s.Type == "while_in_flight" {
		return sluicegate.WhileInFlight{}, nil
	}
	burst, err := s.burst()
	drip := sluicegate.TimeBased{Burst: burst}
	if s.DurationMs != nil {
		drip.Duration = s.DurationMs.duration()
	}
	return drip, err
}

type reserveIn struct{ value sluicegate.ReserveAfter }

// UnmarshalJSON reads "never" or {"afterMs": 5}.
func (r *reserveIn) UnmarshalJSON(text []byte) error {
	if string(text) == `"never"` {
		r.value = sluicegate.Never{}
		return nil
	}
	var after struct {
		AfterMs *milliseconds `json:"afterMs"`
	}
	err := json.Unmarshal(text, &after)
	if after.AfterMs != nil {
		r.value = sluicegate.After(after.AfterMs.duration())
	}
	return err
}

type policyIn struct {
	Allocation   uint64     `json:"allocation,string"`
	Strategy     strategyIn `json:"strategy"`
	ReserveAfter reserveIn  `json:"reserveAfter"`
}

func (p policyIn) policy() (sluicegate.Policy, error) {
	strategy, err := p.Strategy.strategy()
	return sluicegate.Policy{Allocation: p.Allocation, Strategy: strategy, ReserveAfter: p.ReserveAfter.value}, err
}

type bindingIn struct {
	Key        string    `json:"key"`
	Cost       *uint64   `json:"cost,string"`
	CreateWith *policyIn `json:"createWith"`
}

func (b bindingIn) binding() (sluicegate.Binding, error) {
	binding := sluicegate.Binding{Budget: b.Key, Cost: b.Cost}
	if b.CreateWith == nil {
		return binding, nil
	}
	policy, err := b.CreateWith.policy()
	return binding.OrCreate(policy), err
}

func bindings(in []bindingIn) ([]sluicegate.Binding, error) {
	var all []sluicegate.Binding
	for _, one := range in {
		binding, err := one.binding()
		if err != nil {
			return nil, err
		}
		all = append(all, binding)
	}
	return all, nil
}

type payloadJSON struct {
	JSON   *string `json:"json,omitempty"`
	Base64 *[]byte `json:"base64,omitempty"`
}

func (p *payloadJSON) payload() sluicegate.Payload {
	switch {
	case p == nil:
		return nil
	case p.JSON != nil:
		return sluicegate.JSONText(*p.JSON)
	case p.Base64 != nil:
		return sluicegate.Binary(*p.Base64)
	default:
		return nil
	}
}

func payloadOut(payload sluicegate.Payload) *payloadJSON {
	switch payload := payload.(type) {
	case sluicegate.JSONText:
		text := string(payload)
		return &payloadJSON{JSON: &text}
	case sluicegate.Binary:
		bytes := append([]byte{}, payload...)
		return &payloadJSON{Base64: &bytes}
	default:
		return nil
	}
}

type jobIn struct {
	Queue       string       `json:"queue"`
	Type        string       `json:"type"`
	Payload     *payloadJSON `json:"payload"`
	Priority    *uint32      `json:"priority"`
	RunInMs     milliseconds `json:"runInMs"`
	MaxAttempts uint32       `json:"maxAttempts"`
	Backoff     *struct {
		InitialMs  *milliseconds `json:"initialMs"`
		MaxMs      *milliseconds `json:"maxMs"`
		Multiplier *float64      `json:"multiplier"`
		Jitter     *float64      `json:"jitter"`
	} `json:"backoff"`
	Retention *struct {
		CompletedMs *milliseconds `json:"completedMs"`
		DeadMs      *milliseconds `json:"deadMs"`
		CancelledMs *milliseconds `json:"cancelledMs"`
	} `json:"retention"`
	TimeoutMs *milliseconds `json:"timeoutMs"`
	Unique    *struct {
		Key   string `json:"key"`
		Scope string `json:"scope"`
	} `json:"unique"`
	Metadata map[string]string `json:"metadata"`
	Budgets  []bindingIn       `json:"budgets"`
}

func (j jobIn) spec() (sluicegate.JobSpec, error) {
	budgets, err := bindings(j.Budgets)
	spec := sluicegate.JobSpec{
		Queue:       j.Queue,
		Type:        j.Type,
		Payload:     j.Payload.payload(),
		Priority:    j.Priority,
		Budgets:     budgets,
		MaxAttempts: j.MaxAttempts,
		Timeout:     j.TimeoutMs.pointer(),
		Metadata:    j.Metadata,
	}
	if j.RunInMs != 0 {
		spec.RunAt = time.Now().Add(j.RunInMs.duration())
	}
	if j.Backoff != nil {
		spec.Backoff = &sluicegate.Backoff{
			Initial:           j.Backoff.InitialMs.pointer(),
			Max:               j.Backoff.MaxMs.pointer(),
			MultiplierPercent: percent(j.Backoff.Multiplier),
			JitterPercent:     percent(j.Backoff.Jitter),
		}
	}
	if j.Retention != nil {
		spec.Retention = &sluicegate.Retention{
			Completed: j.Retention.CompletedMs.pointer(),
			Dead:      j.Retention.DeadMs.pointer(),
			Cancelled: j.Retention.CancelledMs.pointer(),
		}
	}
	if j.Unique != nil {
		scopes := map[string]sluicegate.UniqueScope{
			"QUEUED":     sluicegate.WhileQueued,
			"UNFINISHED": sluicegate.WhileUnfinished,
			"RETAINED":   sluicegate.WhileRetained,
		}
		spec.Unique = &sluicegate.Unique{Key: j.Unique.Key, Scope: scopes[j.Unique.Scope]}
	}
	return spec, err
}

// percent rounds to the nearest.
func percent(factor *float64) *uint32 {
	if factor == nil {
		return nil
	}
	rounded := uint32(math.Round(*factor * 100))
	return &rounded
}

func specs(in []jobIn) ([]sluicegate.JobSpec, error) {
	var all []sluicegate.JobSpec
	for _, one := range in {
		spec, err := one.spec()
		if err != nil {
			return nil, err
		}
		all = append(all, spec)
	}
	return all, nil
}

type filterIn struct {
	All         bool      `json:"all"`
	IDs         *[]string `json:"ids"`
	Queues      []string  `json:"queues"`
	Types       []string  `json:"types"`
	States      []string  `json:"states"`
	Budgets     []string  `json:"budgets"`
	PriorityMin *uint32   `json:"priorityMin"`
	PriorityMax *uint32   `json:"priorityMax"`
}

func (f filterIn) selection(client *sluicegate.Client) sluicegate.Selection {
	selection := client.Jobs().ByQueue(f.Queues...).ByType(f.Types...).ByBudgetsKey(f.Budgets...)
	if f.All {
		selection = selection.All()
	}
	if f.IDs != nil {
		selection = selection.ByIDs(*f.IDs...)
	}
	for _, name := range f.States {
		for state := sluicegate.Scheduled; state <= sluicegate.Cancelled; state++ {
			if state.String() == name {
				selection = selection.ByState(state)
			}
		}
	}
	if f.PriorityMin != nil {
		selection = selection.ByPriorityFrom(*f.PriorityMin)
	}
	if f.PriorityMax != nil {
		selection = selection.ByPriorityTo(*f.PriorityMax)
	}
	return selection
}

type outcomeIn struct {
	Success *struct {
		ResultBase64 []byte `json:"resultBase64"`
	} `json:"success"`
	Failure *struct {
		Message      string        `json:"message"`
		RetryAfterMs *milliseconds `json:"retryAfterMs"`
	} `json:"failure"`
	Discard *struct {
		Message string `json:"message"`
	} `json:"discard"`
	Release *struct {
		DelayMs milliseconds `json:"delayMs"`
	} `json:"release"`
	Throttled *struct {
		Budget       string       `json:"budget"`
		RetryAfterMs milliseconds `json:"retryAfterMs"`
	} `json:"throttled"`
	Raise *struct {
		Message string `json:"message"`
	} `json:"raise"`
}

// outcome is nil for a plain error, which only handlers have.
func (o outcomeIn) outcome() sluicegate.Outcome {
	switch {
	case o.Success != nil:
		return sluicegate.Success{Result: o.Success.ResultBase64}
	case o.Failure != nil:
		return sluicegate.Failure{Message: o.Failure.Message, RetryAfter: o.Failure.RetryAfterMs.pointer()}
	case o.Discard != nil:
		return sluicegate.Discard{Message: o.Discard.Message}
	case o.Release != nil:
		return sluicegate.Release{Delay: o.Release.DelayMs.duration()}
	case o.Throttled != nil:
		return sluicegate.Throttled{Budget: o.Throttled.Budget, RetryAfter: o.Throttled.RetryAfterMs.duration()}
	default:
		return nil
	}
}

type usageIn []struct {
	Key  string `json:"key"`
	Cost uint64 `json:"cost,string"`
}
