package sluicegate

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// Handler does one job. What it returns decides about the job:
//
//   - nil: completed, with what [Job.SetResult] was given;
//   - [Discard]: dead at once; [Release], [Throttled]: back at its old rank, without an attempt used; [Failure]: as below, with a
//     delay of its own;
//   - any other error, or a panic: an attempt is used; retried after its backoff, or dead after its last.
//
// Its context ends when it should stop, and [context.Cause] is the [StopReason] then. The context has the job's trace
// ([TraceFrom]), and the values of the one that [Worker.Run] was given.
type Handler func(ctx context.Context, job *Job) error

// StopReason is why a handler should stop; the cause of its context.
type StopReason string

const (
	// ErrLeaseLost: the lease has ended without it: another worker may have the job. Whatever the handler returns is dropped.
	ErrLeaseLost StopReason = "the lease is lost"
	// ErrCancelRequested: the job was cancelled (semantics 6.1). Success still completes it; anything else cancels it.
	ErrCancelRequested StopReason = "the job is cancelled"
	// ErrWorkerStopping: the worker stops, and waits no longer. A failure now counts as a release.
	ErrWorkerStopping StopReason = "the worker stops"
)

// Error says why.
func (r StopReason) Error() string { return string(r) }

// WorkerConfig is what a worker is told once and for all. Zero values are the defaults.
type WorkerConfig struct {
	// Queues are those it serves. 1..=64 names. Required.
	Queues []string
	// Handlers do the jobs of one type each.
	Handlers map[string]Handler
	// Handler does the jobs whose type has none of its own. Without one such jobs fail.
	Handler Handler
	// Window is the most jobs in hand, and so the most handlers at once. 1..=100,000; 16 by default.
	Window int
	// WindowBytes is the most bytes of payloads and metadata in hand. 1..=1 GiB; 64 MiB by default.
	WindowBytes uint64
	// WorkerID is 1 to 128 bytes of [A-Za-z0-9._:/@-], unique among the workers; random by default. A worker that starts with the
	// id of one that is gone ends the leases of that one at once; with the id of one that is there it takes that one's place,
	// which ends with [ErrSessionSuperseded].
	WorkerID string
	// LeaseDuration is what a lease and each extension are worth: how long a job of a worker that died stays away. 1 s..=24 h;
	// 30 s by default.
	LeaseDuration time.Duration
	// LeaseTotalMax is how long after its receipt a job's lease is extended at most, so that a handler that hangs loses its job.
	// For ever by default.
	LeaseTotalMax time.Duration
	// PingInterval is how often a silent side says that it is there. After three times this without a sign the worker connects
	// anew. 1 s..=10 min; 15 s by default.
	PingInterval time.Duration
	// MaxMessageBytes is the largest frame that the worker takes; jobs that don't fit aren't offered to it. 64 KiB..=64 MiB;
	// 32 MiB by default, into which every job fits.
	MaxMessageBytes uint32
	// DrainGrace is how long a drain waits for handlers before it tells them to stop. 30 s by default; negative: not at all.
	DrainGrace time.Duration
	// StopGrace is how long handlers that were told to stop then have before the worker ends without them. 5 s by default;
	// negative: none.
	StopGrace time.Duration
}

// Stats is what a worker has done.
type Stats struct {
	// InHand is leases in hand now: waiting, with a handler, or with a settlement that isn't confirmed.
	InHand int
	// Succeeded, Failed and Released count attempts by how their handlers ended; those that a drain gave back are Released, and
	// Lost are those whose lease was lost before.
	Succeeded, Failed, Released, Lost uint64
	// Connects counts connections to a server, the first one included.
	Connects uint64
	// Connected tells whether the worker is connected now.
	Connected bool
}

// Worker takes jobs from some queues and runs their handlers, each on its own goroutine, at most a window of them at once.
//
// Leases are extended while handlers run, outcomes are sent in batches and kept until the server has confirmed them, and a
// connection that is lost comes back, for ever, with all that is in hand.
type Worker struct {
	client *Client
	config WorkerConfig
	logger *slog.Logger

	mutex  sync.Mutex
	stats  Stats
	isBusy bool
}

// NewWorker puts a worker together. It fails without a queue, a handler or a place in the window; bounds are the server's to
// check, when the worker runs.
func (c *Client) NewWorker(config WorkerConfig) (*Worker, error) {
	switch {
	case len(config.Queues) == 0:
		return nil, refused("a worker needs a queue to serve")
	case config.Handler == nil && len(config.Handlers) == 0:
		return nil, refused("a worker needs a handler")
	case config.Window < 0:
		return nil, refused("a worker's window is at least 1, not %d", config.Window)
	}
	for jobType, handler := range config.Handlers {
		if handler == nil {
			return nil, refused("the handler of type %q is nil", jobType)
		}
	}
	orDefault(&config.Window, 16)
	orDefault(&config.WorkerID, "worker-"+newRequestID())
	orDefault(&config.PingInterval, 15*time.Second)
	orDefault(&config.MaxMessageBytes, 32<<20)
	orDefault(&config.DrainGrace, 30*time.Second)
	orDefault(&config.StopGrace, 5*time.Second)
	return &Worker{client: c, config: config, logger: c.logger.With("worker_id", config.WorkerID)}, nil
}

func orDefault[T comparable](setting *T, value T) {
	var none T
	if *setting == none {
		*setting = value
	}
}

// ID is the worker's id.
func (w *Worker) ID() string { return w.config.WorkerID }

// Stats is what it has done so far. It may be asked while the worker runs.
func (w *Worker) Stats() Stats {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.stats
}

func (w *Worker) count(change func(*Stats)) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	change(&w.stats)
}

// Run works until the context ends; then it drains: it takes nothing more, gives back what wasn't started, waits for handlers up
// to the drain grace, tells the rest to stop, leaves, and returns nil. A handler that doesn't listen to its context in the stop
// grace is left behind: its job is given back though it may still be at work, so a program should exit then.
//
// It fails only where coming back is of no use: [ErrSessionSuperseded], and [ErrInvalidField] for settings that the server
// refuses. Handlers are stopped then. A worker runs once at a time.
func (w *Worker) Run(ctx context.Context) error {
	if !w.begin() {
		return refused("worker %s runs already", w.ID())
	}
	defer w.count(func(*Stats) { w.isBusy = false })

	engine := newEngine(ctx, w)
	reconnects := &reconnects{rng: newRand()}
	for {
		end := runSession(engine, reconnects)
		w.count(func(s *Stats) { s.Connected = false })
		var wait time.Duration
		switch {
		case end.left:
			return nil
		case end.fatal:
			engine.abandon()
			return end.err
		case end.draining:
			wait = end.reconnectAfter + reconnects.next()
			w.logger.Info("the server goes; the worker comes back", "wait", wait)
		default:
			wait = max(reconnects.next(), retryAfter(end.err))
			w.logger.Warn("no connection to the server; the worker tries again", "error", end.err, "wait", wait)
		}
		if engine.pause(wait) {
			return nil
		}
	}
}

func (w *Worker) begin() (begun bool) {
	w.count(func(*Stats) {
		begun = !w.isBusy
		w.isBusy = true
	})
	return begun
}

func retryAfter(err error) time.Duration {
	var called *Error
	if errors.As(err, &called) {
		return called.RetryAfter
	}
	return 0
}

func newRand() *rand.Rand { return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())) }
