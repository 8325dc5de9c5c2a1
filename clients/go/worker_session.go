package sluicegate

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc/codes"

	pb "github.com/sluicegate/sluicegate/clients/go/sluicegatev1"
)

const (
	// openTimeout is how long connecting and the answer to a Hello may take.
	openTimeout = 15 * time.Second
	// leaveTimeout is how long a worker that leaves waits for the end of its stream.
	leaveTimeout = 5 * time.Second
	// frameLeasesMax and frameBytesMax are what a frame holds at most, in leases and in encoded bytes.
	frameLeasesMax = 256
	frameBytesMax  = 1 << 20
	// silentIntervals is how many silent ping intervals a stream survives.
	silentIntervals = 3
)

// end is how a stream ended: with none of the flags it broke, or was never there.
type end struct {
	// left: the worker has left, or has nothing left to do.
	left bool
	// fatal: coming back is of no use.
	fatal bool
	// draining: the server shuts down, in its own good order.
	draining       bool
	reconnectAfter time.Duration
	err            error
}

// session is one stream, from Hello to its end. It owns frames, pings and the watch for silence; what frames mean is the
// engine's.
type session struct {
	engine *engine
	stream *stream
	// announcedWindow is the one that the server knows.
	announcedWindow uint64
	leasesMax       int
	// pingInterval is 0 without pings.
	pingInterval    time.Duration
	sentAt, heardAt time.Time
	// serverDrains is set once the server has said that it goes.
	serverDrains   bool
	reconnectAfter time.Duration
	// leftAt is set once the worker has said that it goes.
	leftAt time.Time
}

// runSession opens a stream and works on it to its end. It resets the reconnects once the server has answered.
func runSession(e *engine, reconnects *reconnects) end {
	hello := e.hello()
	// A connection of its own, so that a dead one isn't taken again.
	connection, err := e.worker.client.dial()
	if err != nil {
		return end{err: fromRPC(err)}
	}
	defer connection.Close()
	stream := openStream(e.runner.base, pb.NewJobServiceClient(connection), hello)
	defer stream.close()
	patience := time.Now().Add(openTimeout)
	for {
		event, has := e.await(patience, stream.events, nil)
		switch {
		case e.isDone():
			return end{left: true}
		case has && event.err != nil:
			return endedBy(event.err)
		case has:
			welcome := event.frame.GetWelcome()
			if welcome == nil {
				return end{err: unexpectedAnswer("welcome")}
			}
			reconnects.reset()
			return newSession(e, stream, welcome, hello.GetWindow().GetMaxJobs()).work()
		case !time.Now().Before(patience):
			return end{err: silence("the server didn't answer the worker's Hello in time")}
		}
	}
}

func silence(message string) error { return &Error{Code: codes.DeadlineExceeded, Message: message} }

// endedBy is what an error means for coming back. A clean end may be a proxy that goes.
func endedBy(err error) end {
	if errors.Is(err, io.EOF) {
		return end{err: unexpectedAnswer("the rest of the stream")}
	}
	err = fromRPC(err)
	return end{err: err, fatal: errors.Is(err, ErrSessionSuperseded) || errors.Is(err, ErrInvalidField)}
}

func newSession(e *engine, stream *stream, welcome *pb.Welcome, announcedWindow uint64) *session {
	now := time.Now()
	e.worker.count(func(s *Stats) {
		s.Connects++
		s.Connected = true
	})
	for _, stop := range e.inflight.welcomed(welcome.GetLostLeaseIds(), now) {
		e.stop(stop)
	}
	e.logger.Info("worker connected",
		"session_id", welcome.GetSessionId(),
		"server_version", welcome.GetServerVersion(),
		"resumed", len(welcome.GetResumedLeaseIds()),
		"lost", len(welcome.GetLostLeaseIds()))
	leasesMax := frameLeasesMax
	if serverMax := int(welcome.GetLimits().GetMaxLeaseBatch()); serverMax > 0 {
		leasesMax = min(leasesMax, serverMax)
	}
	return &session{
		engine:          e,
		stream:          stream,
		announcedWindow: announcedWindow,
		leasesMax:       leasesMax,
		pingInterval:    max(welcome.GetPingInterval().AsDuration(), 0),
		sentAt:          now,
		heardAt:         now,
	}
}

// work goes on until the stream ends, or has no more use.
func (s *session) work() end {
	for {
		now := time.Now()
		if end, given := s.givenUp(now); given {
			return end
		}
		until := s.sendDue(now)
		event, has := s.engine.await(until, s.stream.events, s.stream.room)
		if !has {
			continue
		}
		if event.err != nil {
			return s.endedByServer(event.err)
		}
		s.received(event.frame, time.Now())
		s.engine.countInHand()
	}
}

// sendDue sends what is due, as far as there is room, and says when to look again if nothing happens before.
func (s *session) sendDue(now time.Time) time.Time {
	for s.stream.hasRoom() {
		frame := s.nextFrame(now)
		if frame == nil {
			break
		}
		s.stream.send(frame)
		s.sentAt = now
	}
	var until time.Time
	look := func(at time.Time, is bool) {
		if is && (until.IsZero() || at.Before(until)) {
			until = at
		}
	}
	look(s.heardAt.Add(silentIntervals*s.pingInterval), s.pingInterval > 0)
	look(s.leftAt.Add(leaveTimeout), !s.leftAt.IsZero())
	// What is due waits for room, not for time, and a worker that has left says nothing more.
	if s.stream.hasRoom() && s.leftAt.IsZero() {
		look(s.engine.inflight.settleDue())
		look(s.engine.inflight.extendDue())
		look(s.engine.inflight.receiptsDue())
		look(s.sentAt.Add(s.pingInterval), s.pingInterval > 0)
	}
	return until
}

// nextFrame is the most urgent frame that is due; nil if none is. The window comes first, so that a drain isn't answered with
// more jobs.
func (s *session) nextFrame(now time.Time) *pb.DispatchRequest {
	if !s.leftAt.IsZero() {
		return nil
	}
	e := s.engine
	isDue := func(at time.Time, is bool) bool { return is && !at.After(now) }
	if window := e.window(); window != s.announcedWindow {
		s.announcedWindow = window
		return &pb.DispatchRequest{Frame: &pb.DispatchRequest_Window{Window: e.windowFrame()}}
	}
	// A worker that leaves gathers nothing any more.
	isDone := e.isDone()
	if isDone || isDue(e.inflight.settleDue()) {
		if outcomes := e.inflight.takeSettlements(s.leasesMax, frameBytesMax); len(outcomes) > 0 {
			return &pb.DispatchRequest{Frame: &pb.DispatchRequest_Settle{Settle: &pb.SettleLeases{Outcomes: outcomes}}}
		}
	}
	if isDue(e.inflight.extendDue()) {
		if ids := e.inflight.takeExtensions(now, s.leasesMax); len(ids) > 0 {
			return &pb.DispatchRequest{Frame: &pb.DispatchRequest_Extend{Extend: &pb.ExtendLeases{LeaseIds: ids}}}
		}
	}
	if isDue(e.inflight.receiptsDue()) {
		if ids := e.inflight.takeReceipts(s.leasesMax); len(ids) > 0 {
			return &pb.DispatchRequest{Frame: &pb.DispatchRequest_Received{Received: &pb.LeasesReceived{LeaseIds: ids}}}
		}
	}
	if isDone {
		s.leftAt = now
		return &pb.DispatchRequest{Frame: &pb.DispatchRequest_Leaving{Leaving: &pb.WorkerLeaving{}}}
	}
	if isDue(s.sentAt.Add(s.pingInterval), s.pingInterval > 0) {
		return &pb.DispatchRequest{Frame: &pb.DispatchRequest_Ping{Ping: &pb.Ping{}}}
	}
	return nil
}

// givenUp is why this side ends the stream, if it does.
func (s *session) givenUp(now time.Time) (end, bool) {
	isPast := func(at time.Time) bool { return !now.Before(at) }
	switch {
	case !s.leftAt.IsZero() && isPast(s.leftAt.Add(leaveTimeout)):
		s.engine.logger.Warn("the server didn't answer the worker's leaving in time")
		return end{left: true}, true
	case s.pingInterval > 0 && isPast(s.heardAt.Add(silentIntervals*s.pingInterval)):
		return end{err: silence("the server has been silent for three ping intervals")}, true
	case s.serverDrains && len(s.engine.inflight.held) == 0 && !s.engine.isDone():
		return end{draining: true, reconnectAfter: s.reconnectAfter}, true
	default:
		return end{}, false
	}
}

func (s *session) endedByServer(err error) end {
	ended := endedBy(err)
	switch {
	case !s.leftAt.IsZero():
		return end{left: true}
	case s.serverDrains && !ended.fatal:
		return end{draining: true, reconnectAfter: s.reconnectAfter}
	default:
		return ended
	}
}

func (s *session) received(received *pb.DispatchResponse, now time.Time) {
	s.heardAt = now
	switch frame := received.GetFrame().(type) {
	case *pb.DispatchResponse_Jobs:
		s.engine.pushed(frame.Jobs.GetJobs(), now)
	case *pb.DispatchResponse_Settled:
		s.engine.settled(frame.Settled.GetResults(), now)
	case *pb.DispatchResponse_Extended:
		s.engine.extended(frame.Extended.GetResults(), now)
	case *pb.DispatchResponse_Revoked:
		s.engine.revoked(frame.Revoked, now)
	case *pb.DispatchResponse_Draining:
		s.serverDrains = true
		s.reconnectAfter = max(frame.Draining.GetReconnectAfter().AsDuration(), 0)
		s.engine.logger.Info("the server drains", "grace", frame.Draining.GetGrace().AsDuration())
	default:
		// Pings are heard, a second Welcome says nothing new, and frames of a newer server are to be ignored.
	}
}

// outboundFrames may wait for the transport; beyond, none is made, and what they would say is gathered.
const outboundFrames = 16

// stream is the two goroutines around a call of Dispatch. They share nothing with the engine but channels.
type stream struct {
	events   chan streamEvent
	outbound chan *pb.DispatchRequest
	// room is told once a frame has gone.
	room   chan struct{}
	cancel context.CancelFunc
	ended  chan struct{}
}

// streamEvent is a frame of the server, or the stream's end.
type streamEvent struct {
	frame *pb.DispatchResponse
	err   error
}

func openStream(ctx context.Context, jobs pb.JobServiceClient, hello *pb.WorkerHello) *stream {
	ctx, cancel := context.WithCancel(ctx)
	s := &stream{
		events:   make(chan streamEvent),
		outbound: make(chan *pb.DispatchRequest, outboundFrames),
		room:     make(chan struct{}, 1),
		cancel:   cancel,
		ended:    make(chan struct{}),
	}
	s.send(&pb.DispatchRequest{Frame: &pb.DispatchRequest_Hello{Hello: hello}})
	go s.receiveAll(ctx, jobs)
	return s
}

func (s *stream) hasRoom() bool { return len(s.outbound) < cap(s.outbound) }

// send needs room. The engine's goroutine is the only sender, so that room which it sees stays.
func (s *stream) send(frame *pb.DispatchRequest) { s.outbound <- frame }

// close ends the call and waits for the goroutines.
func (s *stream) close() {
	s.cancel()
	<-s.ended
}

func (s *stream) receiveAll(ctx context.Context, jobs pb.JobServiceClient) {
	defer close(s.ended)
	call, err := jobs.Dispatch(ctx)
	if err != nil {
		s.tell(ctx, streamEvent{err: err})
		return
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		s.sendAll(ctx, call)
	}()
	defer func() { <-sent }()
	defer s.cancel()
	for err == nil {
		var frame *pb.DispatchResponse
		frame, err = call.Recv()
		s.tell(ctx, streamEvent{frame, err})
	}
}

func (s *stream) tell(ctx context.Context, event streamEvent) {
	select {
	case s.events <- event:
	case <-ctx.Done():
	}
}

// sendAll ends with the call; why that ended is what receiving says.
func (s *stream) sendAll(ctx context.Context, call pb.JobService_DispatchClient) {
	for {
		select {
		case frame := <-s.outbound:
			if call.Send(frame) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
		select {
		case s.room <- struct{}{}:
		default:
		}
	}
}
