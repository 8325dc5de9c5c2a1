package main

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/sluicegate/sluicegate/clients/go"
)

type runner struct {
	client  *sluicegate.Client
	workers *workers
}

type command func(ctx context.Context, line []byte) (any, error)

// with is a command whose arguments are read from its line.
func with[Args any](do func(ctx context.Context, args Args) (any, error)) command {
	return func(ctx context.Context, line []byte) (any, error) {
		var args Args
		if err := json.Unmarshal(line, &args); err != nil {
			return nil, err
		}
		return do(ctx, args)
	}
}

func (r *runner) commands() map[string]command {
	all := map[string]command{
		"enqueue":      with(r.enqueue),
		"enqueueMany":  with(r.enqueueMany),
		"encodeJob":    with(encodeJob),
		"getJob":       with(r.getJob),
		"explain":      with(r.explain),
		"listQueues":   with(r.listQueues),
		"pauseQueue":   with(r.pauseQueue),
		"resumeQueue":  with(r.resumeQueue),
		"leaseJobs":    with(r.leaseJobs),
		"settleJobs":   with(r.settleJobs),
		"extendLeases": with(r.extendLeases),
		"resources":    with(resources),
		"startWorker":  with(r.workers.start),
		"stopWorker":   with(r.workers.stop),
		"finish":       with(r.workers.finish),
	}
	r.addBudgets(all)
	r.addBindings(all)
	r.addSelections(all)
	return all
}

type budgetArgs struct {
	Key          string       `json:"key"`
	Policy       policyIn     `json:"policy"`
	Replace      bool         `json:"replace"`
	Etag         string       `json:"etag"`
	AllowMissing bool         `json:"allowMissing"`
	DurationMs   milliseconds `json:"durationMs"`
	Level        uint64       `json:"level,string"`
	PageSize     uint32       `json:"pageSize"`
}

func (r *runner) addBudgets(all map[string]command) {
	all["defineBudget"] = with(func(ctx context.Context, args budgetArgs) (any, error) {
		policy, err := args.Policy.policy()
		if err != nil {
			return nil, err
		}
		if args.Replace {
			return budgetOut(r.client.ReplaceBudget(ctx, args.Key, policy))
		}
		return budgetOut(r.client.DefineBudget(ctx, args.Key, policy))
	})
	all["encodePolicy"] = with(func(_ context.Context, args budgetArgs) (any, error) {
		policy, err := args.Policy.policy()
		if err != nil {
			return nil, err
		}
		return inOrder(proto.Marshal(policy.Proto()))
	})
	all["getBudget"] = with(func(ctx context.Context, args budgetArgs) (any, error) {
		return budgetOut(r.client.GetBudget(ctx, args.Key))
	})
	all["listBudgets"] = with(func(ctx context.Context, args budgetArgs) (any, error) {
		return collect(r.client.ListBudgets(ctx, sluicegate.PageSize(args.PageSize)), budgetOut)
	})
	all["updateBudget"] = with(r.updateBudget)
	all["deleteBudget"] = with(func(ctx context.Context, args budgetArgs) (any, error) {
		options := []sluicegate.DeleteOption{sluicegate.IfEtag(args.Etag)}
		if args.AllowMissing {
			options = append(options, sluicegate.AllowMissing{})
		}
		return nil, r.client.DeleteBudget(ctx, args.Key, options...)
	})
	all["blockBudget"] = with(func(ctx context.Context, args budgetArgs) (any, error) {
		return budgetOut(r.client.BlockBudget(ctx, args.Key, args.DurationMs.duration()))
	})
	all["unblockBudget"] = with(func(ctx context.Context, args budgetArgs) (any, error) {
		return budgetOut(r.client.UnblockBudget(ctx, args.Key))
	})
	all["adjustBudget"] = with(func(ctx context.Context, args budgetArgs) (any, error) {
		return budgetOut(r.client.AdjustBudget(ctx, args.Key, args.Level))
	})
}

type updateBudgetArgs struct {
	Key   string `json:"key"`
	Etag  string `json:"etag"`
	Patch struct {
		Allocation   *uint64     `json:"allocation,string"`
		Strategy     *strategyIn `json:"strategy"`
		ReserveAfter *reserveIn  `json:"reserveAfter"`
	} `json:"patch"`
}

func (r *runner) updateBudget(ctx context.Context, args updateBudgetArgs) (any, error) {
	changes := []sluicegate.BudgetChange{sluicegate.IfEtag(args.Etag)}
	if args.Patch.Allocation != nil {
		changes = append(changes, sluicegate.SetAllocation(*args.Patch.Allocation))
	}
	if args.Patch.ReserveAfter != nil {
		changes = append(changes, sluicegate.SetReserveAfter(args.Patch.ReserveAfter.value))
	}
	if strategy := args.Patch.Strategy; strategy != nil && strategy.Type != "" {
		whole, err := strategy.strategy()
		if err != nil {
			return nil, err
		}
		changes = append(changes, sluicegate.SetStrategy(whole))
	} else if strategy != nil {
		burst, err := strategy.burst()
		if err != nil {
			return nil, err
		}
		if strategy.DurationMs != nil {
			changes = append(changes, sluicegate.SetDuration(strategy.DurationMs.duration()))
		}
		if burst != nil {
			changes = append(changes, sluicegate.SetBurst(*burst))
		} else if strategy.Burst != nil {
			changes = append(changes, sluicegate.ClearBurst())
		}
	}
	return budgetOut(r.client.UpdateBudget(ctx, args.Key, changes...))
}

// collect reads a listing to its end.
func collect[From any](listing iter.Seq2[From, error], out func(From, error) (any, error)) (any, error) {
	all := []any{}
	for entry, err := range listing {
		one, err := out(entry, err)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

type enqueueArgs struct {
	Job       jobIn   `json:"job"`
	Jobs      []jobIn `json:"jobs"`
	RequestID string  `json:"requestId"`
}

func (a enqueueArgs) options() []sluicegate.EnqueueOption {
	if a.RequestID == "" {
		return nil
	}
	return []sluicegate.EnqueueOption{sluicegate.RequestID(a.RequestID)}
}

func (r *runner) enqueue(ctx context.Context, args enqueueArgs) (any, error) {
	spec, err := args.Job.spec()
	if err != nil {
		return nil, err
	}
	job, existing, err := r.client.Enqueue(ctx, spec, args.options()...)
	if err != nil {
		return nil, err
	}
	out, err := jobOut(job, nil)
	return map[string]any{"job": out, "existing": existing}, err
}

func (r *runner) enqueueMany(ctx context.Context, args enqueueArgs) (any, error) {
	specs, err := specs(args.Jobs)
	if err != nil {
		return nil, err
	}
	enqueued, err := r.client.EnqueueMany(ctx, specs, args.options()...)
	out := []any{}
	for _, one := range enqueued {
		out = append(out, map[string]any{"id": one.ID, "existing": one.Existing})
	}
	return out, err
}

func encodeJob(_ context.Context, args enqueueArgs) (any, error) {
	spec, err := args.Job.spec()
	if err != nil {
		return nil, err
	}
	return inOrder(proto.Marshal(spec.Proto()))
}

// inOrder sorts the fields of a message by their numbers, as the script has them. The wire format leaves the order open, and Go
// writes those of a oneof last.
func inOrder(message []byte, err error) (any, error) {
	type field struct {
		number protowire.Number
		bytes  []byte
	}
	var fields []field
	for err == nil && len(message) > 0 {
		number, _, length := protowire.ConsumeField(message)
		if err = protowire.ParseError(length); err == nil {
			fields = append(fields, field{number, message[:length]})
			message = message[length:]
		}
	}
	slices.SortStableFunc(fields, func(a, b field) int { return cmp.Compare(a.number, b.number) })
	sorted := []byte{}
	for _, field := range fields {
		sorted = append(sorted, field.bytes...)
	}
	return sorted, err
}

type jobArgs struct {
	JobID   string      `json:"jobId"`
	Budget  bindingIn   `json:"budget"`
	Budgets []bindingIn `json:"budgets"`
	Key     string      `json:"key"`
	Cost    uint64      `json:"cost,string"`
}

func (r *runner) getJob(ctx context.Context, args jobArgs) (any, error) {
	return jobOut(r.client.GetJob(ctx, args.JobID))
}

func (r *runner) explain(ctx context.Context, args jobArgs) (any, error) {
	explanation, err := r.client.ExplainJob(ctx, args.JobID)
	if err != nil {
		return nil, err
	}
	holdUps := []string{}
	for _, holdUp := range explanation.HoldUps {
		holdUps = append(holdUps, strings.ToLower(holdUp.String()))
	}
	return map[string]any{"state": explanation.State.String(), "holdUps": holdUps}, nil
}

// addBindings adds the commands that change the bindings of one job, by the methods of its value.
func (r *runner) addBindings(all map[string]command) {
	type change func(ctx context.Context, job *sluicegate.Job, args jobArgs) (*sluicegate.Job, error)
	add := func(name string, change change) {
		all[name] = with(func(ctx context.Context, args jobArgs) (any, error) {
			job, err := r.client.GetJob(ctx, args.JobID)
			if err != nil {
				return nil, err
			}
			return jobOut(change(ctx, job, args))
		})
	}
	add("bind", func(ctx context.Context, job *sluicegate.Job, args jobArgs) (*sluicegate.Job, error) {
		binding, err := args.Budget.binding()
		if err != nil {
			return nil, err
		}
		return job.BindBudget(ctx, binding)
	})
	add("rebind", func(ctx context.Context, job *sluicegate.Job, args jobArgs) (*sluicegate.Job, error) {
		binding, err := args.Budget.binding()
		if err != nil {
			return nil, err
		}
		return job.RebindBudget(ctx, binding)
	})
	add("setCost", func(ctx context.Context, job *sluicegate.Job, args jobArgs) (*sluicegate.Job, error) {
		return job.SetCost(ctx, args.Key, args.Cost)
	})
	add("unbind", func(ctx context.Context, job *sluicegate.Job, args jobArgs) (*sluicegate.Job, error) {
		return job.UnbindBudget(ctx, args.Key)
	})
	add("unbindAll", func(ctx context.Context, job *sluicegate.Job, _ jobArgs) (*sluicegate.Job, error) {
		return job.UnbindAll(ctx)
	})
	add("replaceBindings", func(ctx context.Context, job *sluicegate.Job, args jobArgs) (*sluicegate.Job, error) {
		bindings, err := bindings(args.Budgets)
		if err != nil {
			return nil, err
		}
		return job.ReplaceBudgets(ctx, bindings...)
	})
}

type selectionArgs struct {
	Filter       filterIn    `json:"filter"`
	PageSize     uint32      `json:"pageSize"`
	ValidateOnly bool        `json:"validateOnly"`
	StopInFlight bool        `json:"stopInFlight"`
	Budget       bindingIn   `json:"budget"`
	Budgets      []bindingIn `json:"budgets"`
	Key          string      `json:"key"`
	Cost         uint64      `json:"cost,string"`
	Patch        struct {
		Queue       *string       `json:"queue"`
		Type        *string       `json:"type"`
		Priority    *uint32       `json:"priority"`
		RunInMs     *milliseconds `json:"runInMs"`
		MaxAttempts *uint32       `json:"maxAttempts"`
	} `json:"patch"`
}

func (a selectionArgs) patch() sluicegate.JobPatch {
	patch := sluicegate.JobPatch{
		Queue:       a.Patch.Queue,
		Type:        a.Patch.Type,
		Priority:    a.Patch.Priority,
		MaxAttempts: a.Patch.MaxAttempts,
	}
	if a.Patch.RunInMs != nil {
		runAt := time.Now().Add(a.Patch.RunInMs.duration())
		patch.RunAt = &runAt
	}
	return patch
}

// addSelections adds the commands over a filter, by the methods of a selection.
func (r *runner) addSelections(all map[string]command) {
	type options = []sluicegate.ChangeOption
	type change func(ctx context.Context, jobs sluicegate.Selection, args selectionArgs, options options) (*sluicegate.Changed, error)
	add := func(name string, change change) {
		all[name] = with(func(ctx context.Context, args selectionArgs) (any, error) {
			var how options
			if args.ValidateOnly {
				how = options{sluicegate.ValidateOnly{}}
			}
			return changedOut(change(ctx, args.Filter.selection(r.client), args, how))
		})
	}
	add("bulkBind", func(ctx context.Context, jobs sluicegate.Selection, args selectionArgs, options options) (*sluicegate.Changed, error) {
		binding, err := args.Budget.binding()
		if err != nil {
			return nil, err
		}
		return jobs.BindBudget(ctx, binding, options...)
	})
	add("bulkRebind", func(ctx context.Context, jobs sluicegate.Selection, args selectionArgs, options options) (*sluicegate.Changed, error) {
		binding, err := args.Budget.binding()
		if err != nil {
			return nil, err
		}
		return jobs.RebindBudget(ctx, binding, options...)
	})
	add("bulkSetCost", func(ctx context.Context, jobs sluicegate.Selection, args selectionArgs, options options) (*sluicegate.Changed, error) {
		return jobs.SetCost(ctx, args.Key, args.Cost, options...)
	})
	add("bulkUnbind", func(ctx context.Context, jobs sluicegate.Selection, args selectionArgs, options options) (*sluicegate.Changed, error) {
		return jobs.UnbindBudget(ctx, args.Key, options...)
	})
	add("bulkUnbindAll", func(ctx context.Context, jobs sluicegate.Selection, _ selectionArgs, options options) (*sluicegate.Changed, error) {
		return jobs.UnbindAll(ctx, options...)
	})
	add("bulkReplace", func(ctx context.Context, jobs sluicegate.Selection, args selectionArgs, options options) (*sluicegate.Changed, error) {
		bindings, err := bindings(args.Budgets)
		if err != nil {
			return nil, err
		}
		return jobs.ReplaceBudgets(ctx, bindings, options...)
	})
	add("retryJobs", func(ctx context.Context, jobs sluicegate.Selection, _ selectionArgs, options options) (*sluicegate.Changed, error) {
		return jobs.Retry(ctx, options...)
	})
	add("deleteJobs", func(ctx context.Context, jobs sluicegate.Selection, _ selectionArgs, options options) (*sluicegate.Changed, error) {
		return jobs.Delete(ctx, options...)
	})
	add("updateJobs", func(ctx context.Context, jobs sluicegate.Selection, args selectionArgs, options options) (*sluicegate.Changed, error) {
		return jobs.Update(ctx, args.patch(), options...)
	})
	add("cancelJobs", func(ctx context.Context, jobs sluicegate.Selection, args selectionArgs, options options) (*sluicegate.Changed, error) {
		var how []sluicegate.CancelOption
		for _, option := range options {
			how = append(how, option)
		}
		if args.StopInFlight {
			how = append(how, sluicegate.Force{})
		}
		return jobs.Cancel(ctx, how...)
	})
	all["listJobs"] = with(func(ctx context.Context, args selectionArgs) (any, error) {
		return collect(args.Filter.selection(r.client).List(ctx, sluicegate.PageSize(args.PageSize)), jobOut)
	})
	all["countJobs"] = with(func(ctx context.Context, args selectionArgs) (any, error) {
		count, err := args.Filter.selection(r.client).Count(ctx)
		return map[string]any{"count": digits(count)}, err
	})
}

type queueArgs struct {
	Queue string `json:"queue"`
}

func (r *runner) listQueues(ctx context.Context, _ queueArgs) (any, error) {
	return collect(r.client.ListQueues(ctx), queueOut)
}

func (r *runner) pauseQueue(ctx context.Context, args queueArgs) (any, error) {
	return queueOut(r.client.PauseQueue(ctx, args.Queue))
}

func (r *runner) resumeQueue(ctx context.Context, args queueArgs) (any, error) {
	return queueOut(r.client.ResumeQueue(ctx, args.Queue))
}

type leaseArgs struct {
	WorkerID  string       `json:"workerId"`
	Queues    []string     `json:"queues"`
	MaxJobs   uint32       `json:"maxJobs"`
	WaitMs    milliseconds `json:"waitMs"`
	LeaseMs   milliseconds `json:"leaseMs"`
	RequestID string       `json:"requestId"`
}

func (r *runner) leaseJobs(ctx context.Context, args leaseArgs) (any, error) {
	jobs, err := r.client.LeaseJobs(ctx, sluicegate.LeaseRequest{
		WorkerID:  args.WorkerID,
		Queues:    args.Queues,
		MaxJobs:   args.MaxJobs,
		Wait:      args.WaitMs.duration(),
		Duration:  args.LeaseMs.duration(),
		RequestID: args.RequestID,
	})
	out := []any{}
	for _, job := range jobs {
		leased, _ := jobOut(job, nil)
		out = append(out, map[string]any{"leaseId": job.Lease.ID, "job": leased})
	}
	return out, err
}

type settleArgs struct {
	Outcomes []struct {
		LeaseID string    `json:"leaseId"`
		Outcome outcomeIn `json:"outcome"`
		Usage   usageIn   `json:"usage"`
	} `json:"outcomes"`
}

func (r *runner) settleJobs(ctx context.Context, args settleArgs) (any, error) {
	var settlements []sluicegate.Settlement
	for _, one := range args.Outcomes {
		settlement := sluicegate.Settlement{LeaseID: one.LeaseID, Outcome: one.Outcome.outcome(), Usage: map[string]uint64{}}
		for _, usage := range one.Usage {
			settlement.Usage[usage.Key] = usage.Cost
		}
		settlements = append(settlements, settlement)
	}
	settled, err := r.client.SettleJobs(ctx, settlements)
	out := []string{}
	for _, one := range settled {
		out = append(out, one.Status.String())
	}
	return out, err
}

type extendArgs struct {
	LeaseIDs []string `json:"leaseIds"`
}

func (r *runner) extendLeases(ctx context.Context, args extendArgs) (any, error) {
	extended, err := r.client.ExtendLeases(ctx, args.LeaseIDs...)
	out := []string{}
	for _, one := range extended {
		out = append(out, one.Status.String())
	}
	return out, err
}

// resources is what the process holds, after a collection.
func resources(context.Context, struct{}) (any, error) {
	// What finalizers free in the first is collected in the second.
	runtime.GC()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil, err
	}
	threads := 0
	for line := range strings.Lines(string(status)) {
		if number, is := strings.CutPrefix(line, "Threads:"); is {
			threads, err = strconv.Atoi(strings.TrimSpace(number))
		}
	}
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir("/proc/self/fd")
	return map[string]any{
		"threads":     threads,
		"tasks":       runtime.NumGoroutine(),
		"memoryBytes": memory.HeapAlloc,
		"openFiles":   len(files),
	}, err
}
