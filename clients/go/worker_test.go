package sluicegate_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/sluicegate/sluicegate/clients/go"
)

// bounded is a context that outlasts every test that works.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func must[T any](t *testing.T) func(value T, err error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// work runs a worker until the returned function is called, which drains it.
func work(t *testing.T, client *sluicegate.Client, config sluicegate.WorkerConfig) (worker *sluicegate.Worker, drain func() error) {
	t.Helper()
	worker = must[*sluicegate.Worker](t)(client.NewWorker(config))
	ctx, stop := context.WithCancel(bounded(t))
	ended := make(chan error, 1)
	go func() { ended <- worker.Run(ctx) }()
	return worker, func() error {
		stop()
		return <-ended
	}
}

// untilLeft waits until so many jobs of the queue are unfinished.
func untilLeft(t *testing.T, client *sluicegate.Client, left uint64) {
	t.Helper()
	ctx := bounded(t)
	unfinished := client.Jobs().ByQueue("q").ByState(sluicegate.Ready, sluicegate.InFlight)
	for must[uint64](t)(unfinished.Count(ctx)) > left {
		time.Sleep(5 * time.Millisecond)
	}
}

func TestAJobGoesFromItsProducerToItsHandlerAndItsResultComesBack(t *testing.T) {
	client, ctx := connect(t), bounded(t)
	sum := func(_ context.Context, job *sluicegate.Job) error {
		var numbers []int64
		if err := job.DecodeJSON(&numbers); err != nil {
			return err
		}
		if !slices.Equal(numbers, []int64{1, math.MaxInt64}) {
			return errors.New("other numbers came")
		}
		return job.SetResultJSON(map[string]int{"sum": 3})
	}
	worker, drain := work(t, client, sluicegate.WorkerConfig{
		Queues:   []string{"q"},
		Handlers: map[string]sluicegate.Handler{"sum": sum},
	})
	policy := sluicegate.Policy{Allocation: 1, Strategy: sluicegate.WhileInFlight{}}
	job, _, err := client.Enqueue(ctx, sluicegate.JobSpec{
		Queue:     "q",
		Type:      "sum",
		Payload:   must[sluicegate.Payload](t)(sluicegate.JSON([]int64{1, math.MaxInt64})),
		Budgets:   []sluicegate.Binding{sluicegate.Bind("b", 1).OrCreate(policy)},
		Retention: &sluicegate.Retention{Completed: sluicegate.For(time.Minute)},
	})
	if err != nil {
		t.Fatal(err)
	}
	untilLeft(t, client, 0)
	if err := drain(); err != nil {
		t.Fatal(err)
	}
	done := must[*sluicegate.Job](t)(client.GetJob(ctx, job.ID))
	if done.State != sluicegate.Completed || string(done.Result) != `{"sum":3}` {
		t.Fatalf("%v with %q", done.State, done.Result)
	}
	if stats := worker.Stats(); stats.Succeeded != 1 {
		t.Fatalf("%+v", stats)
	}
}

func TestAHandlerThatBlocksHoldsUpNobody(t *testing.T) {
	client, ctx := connect(t), bounded(t)
	release, begun := make(chan struct{}), make(chan struct{})
	slow := func(context.Context, *sluicegate.Job) error {
		close(begun)
		<-release
		return nil
	}
	_, drain := work(t, client, sluicegate.WorkerConfig{
		Queues:        []string{"q"},
		Window:        2,
		Handlers:      map[string]sluicegate.Handler{"slow": slow},
		Handler:       func(context.Context, *sluicegate.Job) error { return nil },
		LeaseDuration: time.Second,
	})
	slowOne, _, err := client.Enqueue(ctx, sluicegate.JobSpec{Queue: "q", Type: "slow"})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	specs := slices.Repeat([]sluicegate.JobSpec{{Queue: "q"}}, 50)
	must[[]sluicegate.Enqueued](t)(client.EnqueueMany(ctx, specs))
	untilLeft(t, client, 1)
	held := must[*sluicegate.Job](t)(client.GetJob(ctx, slowOne.ID))
	if held.State != sluicegate.InFlight || held.Attempts != 0 {
		t.Fatalf("%v after %d attempts", held.State, held.Attempts)
	}
	close(release)
	untilLeft(t, client, 0)
	if err := drain(); err != nil {
		t.Fatal(err)
	}
}

func TestADrainGivesBackWhatWasToldToStop(t *testing.T) {
	client, ctx := connect(t), bounded(t)
	begun := make(chan struct{})
	_, drain := work(t, client, sluicegate.WorkerConfig{
		Queues: []string{"q"},
		Handler: func(ctx context.Context, _ *sluicegate.Job) error {
			close(begun)
			<-ctx.Done()
			return context.Cause(ctx)
		},
		DrainGrace: -1,
	})
	job, _, err := client.Enqueue(ctx, sluicegate.JobSpec{Queue: "q", MaxAttempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := drain(); err != nil {
		t.Fatal(err)
	}
	released := must[*sluicegate.Job](t)(client.GetJob(ctx, job.ID))
	if released.State != sluicegate.Ready || released.Attempts != 0 {
		t.Fatalf("%v after %d attempts", released.State, released.Attempts)
	}
}

func TestWhateverAHandlerDoesIsItsJobsFailure(t *testing.T) {
	client, ctx := connect(t), bounded(t)
	_, drain := work(t, client, sluicegate.WorkerConfig{
		Queues: []string{"q"},
		Handlers: map[string]sluicegate.Handler{
			"panics": func(context.Context, *sluicegate.Job) error { panic("no luck") },
			"exits": func(context.Context, *sluicegate.Job) error {
				runtime.Goexit()
				return nil
			},
		},
	})
	said := map[string]string{
		"panics":  "handler panicked: no luck",
		"exits":   "handler ended its goroutine",
		"unknown": "this worker has no handler for jobs of type `unknown`",
	}
	ids := map[string]string{}
	for kind := range said {
		job, _, err := client.Enqueue(ctx, sluicegate.JobSpec{Queue: "q", Type: kind, MaxAttempts: 1})
		if err != nil {
			t.Fatal(err)
		}
		ids[kind] = job.ID
	}
	untilLeft(t, client, 0)
	if err := drain(); err != nil {
		t.Fatal(err)
	}
	for kind, id := range ids {
		job := must[*sluicegate.Job](t)(client.GetJob(ctx, id))
		if job.State != sluicegate.Dead || job.Errors[0].Message != said[kind] {
			t.Errorf("%s: %v, %q", kind, job.State, job.Errors)
		}
	}
}

func TestAWorkerLeavesNoGoroutineBehind(t *testing.T) {
	client := connect(t)
	before := runtime.NumGoroutine()
	for range 20 {
		worker, drain := work(t, client, sluicegate.WorkerConfig{
			Queues:  []string{"q"},
			Handler: func(context.Context, *sluicegate.Job) error { return nil },
		})
		for worker.Stats().Connects == 0 {
			time.Sleep(time.Millisecond)
		}
		if err := drain(); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before+2; {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, and %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestWhatIsRefusedIsToldByItsReason(t *testing.T) {
	client, ctx := connect(t), bounded(t)
	smtp := sluicegate.Policy{
		Allocation: 100,
		Strategy:   sluicegate.TimeBased{Duration: time.Minute, Burst: sluicegate.Tokens(8)},
	}
	must[*sluicegate.Budget](t)(client.DefineBudget(ctx, "smtp", smtp))
	_, err := client.DefineBudget(ctx, "smtp", smtp)
	var called *sluicegate.Error
	if !errors.Is(err, sluicegate.ErrBudgetAlreadyExists) || !errors.As(err, &called) || called.Metadata["budget"] != "smtp" {
		t.Fatal(err)
	}
	cleared := must[*sluicegate.Budget](t)(client.UpdateBudget(ctx, "smtp", sluicegate.ClearBurst()))
	if drip, is := cleared.Policy.Strategy.(sluicegate.TimeBased); !is || drip.Burst != nil {
		t.Fatalf("%+v", cleared.Policy)
	}
	if _, err := client.EnqueueMany(ctx, make([]sluicegate.JobSpec, 10_001)); !errors.Is(err, sluicegate.ErrInvalidField) {
		t.Fatal(err)
	}
	var refused *sluicegate.ClientError
	if _, err := client.Jobs().Cancel(ctx); !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if _, err := sluicegate.New("no address\n"); err == nil {
		t.Fatal("that is no address")
	}
}
