package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/sluicegate/sluicegate/clients/go"
)

// workers are those that were started, and their handlers that wait to be told how to end.
type workers struct {
	client *sluicegate.Client
	out    *output

	mutex   sync.Mutex
	started map[string]startedWorker
	waiting map[handlerKey][]chan finishArgs
}

type startedWorker struct {
	drain context.CancelFunc
	ended <-chan error
}

type handlerKey struct{ worker, jobID string }

func newWorkers(client *sluicegate.Client, out *output) *workers {
	return &workers{
		client:  client,
		out:     out,
		started: map[string]startedWorker{},
		waiting: map[handlerKey][]chan finishArgs{},
	}
}

type startArgs struct {
	Name         string       `json:"name"`
	Queues       []string     `json:"queues"`
	Window       int          `json:"window"`
	WorkerID     string       `json:"workerId"`
	LeaseMs      milliseconds `json:"leaseMs"`
	PingMs       milliseconds `json:"pingMs"`
	DrainGraceMs milliseconds `json:"drainGraceMs"`
	StopGraceMs  milliseconds `json:"stopGraceMs"`
	Auto         *outcomeIn   `json:"auto"`
	HTTP         string       `json:"http"`
	Types        []string     `json:"types"`
	IgnoreCancel bool         `json:"ignoreCancel"`
}

type finishArgs struct {
	Worker  string    `json:"worker"`
	JobID   string    `json:"jobId"`
	Outcome outcomeIn `json:"outcome"`
	Usage   usageIn   `json:"usage"`
}

func (w *workers) start(_ context.Context, args startArgs) (any, error) {
	handler := w.handler(args)
	config := sluicegate.WorkerConfig{
		Queues:        args.Queues,
		Window:        args.Window,
		WorkerID:      args.WorkerID,
		LeaseDuration: args.LeaseMs.duration(),
		PingInterval:  args.PingMs.duration(),
		DrainGrace:    args.DrainGraceMs.duration(),
		StopGrace:     args.StopGraceMs.duration(),
	}
	if args.Types == nil {
		config.Handler = handler
	} else {
		config.Handlers = map[string]sluicegate.Handler{}
		for _, jobType := range args.Types {
			config.Handlers[jobType] = handler
		}
	}
	worker, err := w.client.NewWorker(config)
	if err != nil {
		return nil, err
	}
	ctx, drain := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	w.mutex.Lock()
	w.started[args.Name] = startedWorker{drain, ended}
	w.mutex.Unlock()
	go func() {
		err := worker.Run(ctx)
		ended <- err
		if err != nil {
			w.out.write(map[string]any{"event": "workerEnded", "worker": args.Name, "error": errorOut(err)})
		}
	}()
	return nil, nil
}

type stopArgs struct {
	Name string `json:"name"`
}

func (w *workers) stop(_ context.Context, args stopArgs) (any, error) {
	w.mutex.Lock()
	worker, known := w.started[args.Name]
	delete(w.started, args.Name)
	w.mutex.Unlock()
	if !known {
		return nil, unsupported("stopWorker for " + args.Name)
	}
	worker.drain()
	return nil, <-worker.ended
}

func (w *workers) finish(_ context.Context, args finishArgs) (any, error) {
	key := handlerKey{args.Worker, args.JobID}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	waiting := w.waiting[key]
	if len(waiting) == 0 {
		return nil, unsupported("finish of a handler that doesn't wait")
	}
	waiting[0] <- args
	w.waiting[key] = waiting[1:]
	return nil, nil
}

func (w *workers) handler(args startArgs) sluicegate.Handler {
	switch {
	case args.Auto != nil:
		return func(_ context.Context, job *sluicegate.Job) error { return answer(job, *args.Auto) }
	case args.HTTP != "":
		return func(ctx context.Context, job *sluicegate.Job) error { return get(ctx, args, job) }
	default:
		return func(ctx context.Context, job *sluicegate.Job) error {
			defer w.out.write(map[string]any{"event": "ended", "worker": args.Name, "jobId": job.ID})
			return w.wait(ctx, args, job)
		}
	}
}

// answer is what a handler returns for an outcome.
func answer(job *sluicegate.Job, in outcomeIn) error {
	if in.Raise != nil {
		return errors.New(in.Raise.Message)
	}
	switch outcome := in.outcome().(type) {
	case sluicegate.Success:
		job.SetResult(outcome.Result)
		return nil
	case error:
		return outcome
	default:
		return fmt.Errorf("an outcome that no handler has: %v", in)
	}
}

func get(ctx context.Context, args startArgs, job *sluicegate.Job) error {
	query := url.Values{"job": {job.ID}, "worker": {args.Name}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, args.HTTP+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the endpoint answered %s", response.Status)
	}
	return nil
}

// wait tells that the handler has started, and waits for how it is to end.
func (w *workers) wait(ctx context.Context, args startArgs, job *sluicegate.Job) error {
	finish := make(chan finishArgs, 1)
	key := handlerKey{args.Name, job.ID}
	w.mutex.Lock()
	w.waiting[key] = append(w.waiting[key], finish)
	w.mutex.Unlock()
	w.out.write(map[string]any{
		"event":    "started",
		"worker":   args.Name,
		"jobId":    job.ID,
		"type":     job.Type,
		"attempt":  job.Lease.Attempt,
		"payload":  payloadOut(job.Payload),
		"metadata": metadataOut(job.Metadata),
		"budgets":  bindingsOut(job.Budgets),
	})
	for cancelled := ctx.Done(); ; {
		select {
		case told := <-finish:
			for _, usage := range told.Usage {
				job.ReportUsage(usage.Key, usage.Cost)
			}
			return answer(job, told.Outcome)
		case <-cancelled:
			w.out.write(map[string]any{"event": "cancelled", "worker": args.Name, "jobId": job.ID, "reason": reasonOf(ctx)})
			if !args.IgnoreCancel {
				w.forget(key, finish)
				return fmt.Errorf("stopped: %w", context.Cause(ctx))
			}
			cancelled = nil
		}
	}
}

func (w *workers) forget(key handlerKey, finish chan finishArgs) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	kept := w.waiting[key][:0:0]
	for _, other := range w.waiting[key] {
		if other != finish {
			kept = append(kept, other)
		}
	}
	w.waiting[key] = kept
}

func reasonOf(ctx context.Context) string {
	switch context.Cause(ctx) {
	case sluicegate.ErrLeaseLost:
		return "lease_lost"
	case sluicegate.ErrCancelRequested:
		return "cancel_requested"
	default:
		return "worker_stopping"
	}
}
