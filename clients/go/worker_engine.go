package sluicegate

import (
	"context"
	"log/slog"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

// phase is how far a worker is on its way out.
type phase int

const (
	// working takes jobs.
	working phase = iota
	// draining takes none, and waits for its handlers.
	draining
	// stopping has told its handlers to stop.
	stopping
	// over waits for nothing any more.
	over
)

// engine is a worker between its streams: what it holds, its handlers, and whether it works, drains or stops. It outlives every
// stream, goes on without one, and sends nothing. Only the goroutine of [Worker.Run] touches it.
type engine struct {
	worker   *Worker
	config   *WorkerConfig
	logger   *slog.Logger
	inflight *inflight
	runner   *runner
	shutdown <-chan struct{}
	phase    phase
	// phaseEnd is when draining and stopping are over.
	phaseEnd time.Time
}

func newEngine(ctx context.Context, worker *Worker) *engine {
	return &engine{
		worker:   worker,
		config:   &worker.config,
		logger:   worker.logger,
		inflight: newInflight(worker.config.LeaseTotalMax, newRand()),
		runner:   newRunner(ctx, &worker.config),
		shutdown: ctx.Done(),
	}
}

// await takes in the next thing to happen: a handler's end, the worker's, a stream's event, room in it, or an instant, if that
// isn't zero. False unless it is a stream's event.
func (e *engine) await(until time.Time, events <-chan streamEvent, room <-chan struct{}) (streamEvent, bool) {
	shutdown := e.shutdown
	if e.phase != working {
		shutdown = nil
	}
	if (e.phase == draining || e.phase == stopping) && (until.IsZero() || e.phaseEnd.Before(until)) {
		until = e.phaseEnd
	}
	var due <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(time.Until(until))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case event := <-events:
		return event, true
	case ended := <-e.runner.finished:
		e.handlerEnded(ended, time.Now())
	case <-shutdown:
		e.drain(time.Now())
	case <-due:
		if (e.phase == draining || e.phase == stopping) && !time.Now().Before(e.phaseEnd) {
			e.nextPhase(time.Now())
		}
	case <-room:
	}
	e.countInHand()
	return streamEvent{}, false
}

func (e *engine) countInHand() {
	e.worker.count(func(s *Stats) { s.InHand = len(e.inflight.held) })
}

func (e *engine) handlerEnded(ended finished, now time.Time) {
	e.runner.ended(ended.leaseID)
	if len(ended.reports.result) > frameBytesMax {
		e.logger.Error("a result is too large and dropped", "lease_id", ended.leaseID, "bytes", len(ended.reports.result))
		ended.reports.result = nil
	}
	stops := ended.stopped == ErrWorkerStopping
	outcome := settlement(ended.leaseID, ended.outcome, ended.reports, stops)
	isHeld := e.inflight.settle(outcome, now)
	e.logger.Debug("handler ended", "lease_id", ended.leaseID, "lost", !isHeld)
	e.worker.count(func(s *Stats) {
		switch outcome.GetOutcome().(type) {
		case *pb.SettleOutcome_Success:
			*counterUnlessLost(s, isHeld, &s.Succeeded)++
		case *pb.SettleOutcome_Failure:
			*counterUnlessLost(s, isHeld, &s.Failed)++
		default:
			*counterUnlessLost(s, isHeld, &s.Released)++
		}
	})
	e.runner.startWaiting(e.inflight.start)
}

func counterUnlessLost(s *Stats, isHeld bool, counter *uint64) *uint64 {
	if isHeld {
		return counter
	}
	return &s.Lost
}

// drain takes nothing more, and gives back what has no handler.
func (e *engine) drain(now time.Time) {
	e.phase, e.phaseEnd = draining, now.Add(e.config.DrainGrace)
	e.runner.waiting = nil
	released := e.inflight.releaseWaiting(now)
	e.worker.count(func(s *Stats) { s.Released += uint64(released) })
	e.logger.Info("worker drains", "handlers", e.runner.busy(), "released", released)
}

func (e *engine) nextPhase(now time.Time) {
	if e.phase == draining {
		e.logger.Warn("worker stops its handlers", "handlers", e.runner.busy())
		e.phase, e.phaseEnd = stopping, now.Add(e.config.StopGrace)
		e.runner.stopAll(ErrWorkerStopping)
		return
	}
	e.logger.Error("worker ends without handlers that don't stop", "handlers", e.runner.busy())
	e.phase = over
	e.runner.leaveBehind()
}

// isDone tells whether the worker is on its way out and has nothing left to wait for.
func (e *engine) isDone() bool {
	switch e.phase {
	case working:
		return false
	case over:
		return true
	default:
		return e.runner.busy() == 0 && len(e.inflight.held) == 0
	}
}

// window is how many jobs the server may let this worker hold: handlers whose leases are lost take places away.
func (e *engine) window() uint64 {
	if e.phase != working {
		return 0
	}
	lost := max(e.runner.busy()-e.inflight.started, 0)
	return uint64(max(e.config.Window-lost, 0))
}

// hello opens a stream: who this worker is, and what it still holds (semantics 5.2).
func (e *engine) hello() *pb.WorkerHello {
	queues := make([]*pb.WorkerQueue, 0, len(e.config.Queues))
	for _, name := range e.config.Queues {
		queues = append(queues, &pb.WorkerQueue{Name: name})
	}
	return &pb.WorkerHello{
		WorkerId:        e.config.WorkerID,
		Queues:          queues,
		Window:          e.windowFrame(),
		LeaseDuration:   durationUnlessZero(e.config.LeaseDuration),
		HeldLeases:      &pb.HeldLeases{LeaseIds: e.inflight.leaseIDs()},
		ConfirmsReceipt: true,
		PingInterval:    durationpb.New(e.config.PingInterval),
		MaxMessageBytes: e.config.MaxMessageBytes,
		Client:          &pb.ClientInfo{Name: "sluicegate-client-go", Version: Version},
	}
}

func (e *engine) windowFrame() *pb.Window {
	return &pb.Window{MaxJobs: e.window(), MaxBytes: e.config.WindowBytes}
}

// pushed takes in jobs.
func (e *engine) pushed(jobs []*pb.LeasedJob, now time.Time) {
	for _, leased := range jobs {
		job, err := e.worker.client.leasedFromWire(leased)
		if err != nil {
			e.logger.Error("a pushed job is incomplete; its lease will expire", "error", err)
			continue
		}
		if !e.inflight.pushed(job, now) {
			continue
		}
		e.logger.Debug("job pushed", "job_id", job.ID, "lease_id", job.Lease.ID, "attempt", job.Lease.Attempt)
		if e.phase != working || job.Lease.CancelRequested {
			e.inflight.release(job.Lease.ID, now)
			e.worker.count(func(s *Stats) { s.Released++ })
			continue
		}
		e.runner.enqueue(job)
	}
	e.runner.startWaiting(e.inflight.start)
}

// settled takes in what became of settlements.
func (e *engine) settled(results []*pb.SettleResult, now time.Time) {
	for _, result := range results {
		logger := e.logger.With("lease_id", result.GetLeaseId())
		switch e.inflight.confirmed(result, now) {
		case confirmedTooLate:
			logger.Warn("the lease had ended before its settlement")
		case confirmedRetried:
			logger.Error("settlement refused; sent again without what is optional", "why", result.GetError().GetMessage())
		case confirmedAbandoned:
			logger.Error("settlement refused; the lease will expire", "why", result.GetError().GetMessage())
		case confirmedSettled, confirmedUnknown:
		}
	}
}

// extended takes in what became of extensions.
func (e *engine) extended(results []*pb.ExtendResult, now time.Time) {
	for _, result := range results {
		if stop, found := e.inflight.extended(result, now); found {
			e.stop(stop)
		}
	}
}

// revoked takes in that leases were taken away, or are to be ended.
func (e *engine) revoked(revoked *pb.LeasesRevoked, now time.Time) {
	for _, leaseID := range revoked.GetLeaseIds() {
		if stop, found := e.inflight.revoked(leaseID, revoked.GetReason(), now); found {
			e.stop(stop)
		}
	}
}

func (e *engine) stop(stop stop) {
	e.logger.Debug("handler is to stop", "lease_id", stop.leaseID, "reason", stop.reason)
	if e.runner.stop(stop.leaseID, stop.reason) {
		return
	}
	e.worker.count(func(s *Stats) {
		if stop.reason == ErrLeaseLost {
			s.Lost++
		} else {
			s.Released++
		}
	})
}

// pause waits between two streams, while handlers go on. True if the worker is done before.
func (e *engine) pause(wait time.Duration) bool {
	end := time.Now().Add(wait)
	for !e.isDone() {
		if !time.Now().Before(end) {
			return false
		}
		e.await(end, nil, nil)
	}
	if leases := len(e.inflight.held); leases > 0 {
		e.logger.Warn("the worker ends without a server; its leases will expire", "leases", leases)
	}
	return true
}

// abandon ends all handlers: they are told that their leases are lost, and left behind if they don't listen.
func (e *engine) abandon() {
	e.runner.waiting = nil
	e.runner.stopAll(ErrLeaseLost)
	patience := time.NewTimer(max(e.config.StopGrace, 0))
	defer patience.Stop()
	for e.runner.busy() > 0 {
		select {
		case ended := <-e.runner.finished:
			e.runner.ended(ended.leaseID)
			e.worker.count(func(s *Stats) { s.Lost++ })
		case <-patience.C:
			e.runner.leaveBehind()
		}
	}
	e.worker.count(func(s *Stats) { s.InHand = 0 })
}
