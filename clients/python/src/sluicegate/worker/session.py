"""One stream, from Hello to its end. Owns frames, pings and the watch for silence; what frames mean is the engine's."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import grpc

from sluicegate import _wire
from sluicegate.connection import Connection
from sluicegate.errors import InvalidFieldError, ServerError, SessionSupersededError, UnavailableError, from_rpc
from sluicegate.v1 import dispatch_pb2 as pb

from .engine import Engine

_LOG = logging.getLogger("sluicegate.worker")

#: How long connecting and the answer to a Hello may take.
_OPEN_TIMEOUT_S = 15.0
#: How long a worker that leaves waits for the end of its stream.
_LEAVE_TIMEOUT_S = 5.0
#: Frames that may wait for the transport; beyond, none is made, and what they would say is gathered.
_OUTBOUND_FRAMES = 16
#: What a frame holds at most, in leases and in encoded bytes.
_FRAME_LEASES_MAX = 256
_FRAME_BYTES_MAX = 1 << 20
#: How many silent ping intervals a stream survives.
_SILENT_INTERVALS = 3


@dataclass(frozen=True)
class Left:
    """The worker has left, or has nothing left to do."""


@dataclass(frozen=True)
class Broken:
    """The stream broke, or was never there."""

    error: ServerError


@dataclass(frozen=True)
class Draining:
    """The server shuts down, in its own good order."""

    reconnect_after: timedelta


@dataclass(frozen=True)
class Fatal:
    """Coming back is of no use."""

    error: ServerError


#: How a stream ended.
End = Left | Broken | Draining | Fatal


class Session:
    """A stream at work. Runs once."""

    def __init__(self, connection: Connection, engine: Engine, on_welcome: Callable[[], None]) -> None:
        self._connection = connection
        self._engine = engine
        self._on_welcome = on_welcome
        self._opened_at = engine.now()
        self._end: End | None = None
        self._outbound: deque[pb.DispatchRequest] = deque()
        self._sendable = asyncio.Event()
        self._welcomed = False
        #: The window that the server knows.
        self._announced_window = 0
        self._frame_leases_max = _FRAME_LEASES_MAX
        #: Infinity: no pings.
        self._ping_interval_s = math.inf
        self._sent_at = self._opened_at
        self._heard_at = self._opened_at
        #: Set once the server has said that it goes.
        self._reconnect_after: timedelta | None = None
        #: Set once the worker has said that it goes.
        self._left_at: float | None = None

    async def run(self) -> End:
        """Opens the stream and works on it to its end."""
        engine = self._engine
        hello = engine.hello()
        self._announced_window = engine.window
        self._push(pb.DispatchRequest(hello=hello))
        call = self._connection.stubs().jobs.Dispatch(metadata=self._connection.target.metadata)
        both = [asyncio.create_task(self._read(call)), asyncio.create_task(self._write(call))]
        try:
            while self._end is None:
                now = engine.now()
                self._end = self._given_up(now)
                if self._end is None:
                    self._send(now)
                    await engine.wait(self._wake_at(now))
            return self._end
        finally:
            call.cancel()
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)

    async def _read(self, call: Any) -> None:
        try:
            while (frame := await call.read()) is not grpc.aio.EOF:
                self._received(frame)
                self._engine.wake()
            # The end's reason. A proxy that goes may look like a clean one.
            code = await call.code()
            if code == grpc.StatusCode.OK:
                self._ended_by_server(UnavailableError("the server ended the stream", code=code))
            else:
                details, trailers = await call.details(), await call.trailing_metadata()
                initial = grpc.aio.Metadata()
                self._ended_by_server(from_rpc(grpc.aio.AioRpcError(code, initial, trailers, details)))
        except grpc.aio.AioRpcError as error:
            self._ended_by_server(from_rpc(error))
        except grpc.aio.UsageError as error:
            self._ended_by_server(UnavailableError(str(error)))
        except asyncio.CancelledError:
            if not call.cancelled():
                raise
            # The server's CANCELLED comes as the call's own cancellation; so does this session's, which has its end.
            self._ended_by_server(UnavailableError("the stream was cancelled", code=grpc.StatusCode.CANCELLED))

    async def _write(self, call: Any) -> None:
        # Why a stream can't be written to is what reading it says.
        with contextlib.suppress(grpc.aio.AioRpcError, grpc.aio.UsageError, asyncio.InvalidStateError):
            while True:
                await self._sendable.wait()
                await call.write(self._outbound[0])
                self._outbound.popleft()
                if not self._outbound:
                    self._sendable.clear()
                self._engine.wake()

    def _push(self, frame: pb.DispatchRequest) -> None:
        self._outbound.append(frame)
        self._sendable.set()

    def _ended_by_server(self, error: ServerError) -> None:
        if self._end is None:
            self._end = self._end_of(error)
            self._engine.wake()

    def _end_of(self, error: ServerError) -> End:
        if self._left_at is not None:
            return Left()
        if isinstance(error, (SessionSupersededError, InvalidFieldError)):
            return Fatal(error)
        if self._reconnect_after is not None:
            return Draining(self._reconnect_after)
        return Broken(error)

    def _given_up(self, now: float) -> End | None:
        """Why this side ends the stream, if it does."""
        if not self._welcomed:
            if self._engine.is_done():
                return Left()
            is_late = now >= self._opened_at + _OPEN_TIMEOUT_S
            return Broken(UnavailableError("the server didn't answer the worker's Hello in time")) if is_late else None
        if self._left_at is not None and now >= self._left_at + _LEAVE_TIMEOUT_S:
            _LOG.warning("the server didn't answer the worker's leaving in time")
            return Left()
        if now >= self._silent_at:
            return Broken(UnavailableError("the server has been silent for three ping intervals"))
        is_free = len(self._engine.inflight) == 0 and not self._engine.is_done()
        return Draining(self._reconnect_after) if self._reconnect_after is not None and is_free else None

    @property
    def _silent_at(self) -> float:
        return self._heard_at + _SILENT_INTERVALS * self._ping_interval_s

    @property
    def _has_room(self) -> bool:
        return len(self._outbound) < _OUTBOUND_FRAMES

    def _send(self, now: float) -> None:
        """Makes all frames that are due, as far as there is room."""
        while self._welcomed and self._has_room:
            frame = self._next_frame(now)
            if frame is None:
                return
            self._push(frame)
            self._sent_at = now

    def _wake_at(self, now: float) -> float:
        """When to look again if nothing happens before."""
        if not self._welcomed:
            return self._opened_at + _OPEN_TIMEOUT_S
        if self._left_at is not None:
            return min(self._silent_at, self._left_at + _LEAVE_TIMEOUT_S)
        # What is due waits for room, not for time.
        send_at = self._send_due(now) if self._has_room else math.inf
        return min(self._silent_at, send_at)

    def _send_due(self, now: float) -> float:
        inflight = self._engine.inflight
        if self._engine.window != self._announced_window or self._engine.is_done():
            return now
        dues = (inflight.settle_due, inflight.extend_due, inflight.receipts_due)
        return min(*dues, self._sent_at + self._ping_interval_s)

    def _next_frame(self, now: float) -> pb.DispatchRequest | None:
        """The most urgent frame that is due. The window comes first, so that a drain isn't answered with more jobs."""
        if self._left_at is not None:
            return None
        engine, inflight = self._engine, self._engine.inflight
        if engine.window != self._announced_window:
            self._announced_window = engine.window
            return pb.DispatchRequest(window=engine.window_frame())
        # A worker that leaves gathers nothing any more.
        is_done = engine.is_done()
        if is_done or inflight.settle_due <= now:
            outcomes = inflight.take_settlements(self._frame_leases_max, _FRAME_BYTES_MAX)
            if outcomes:
                return pb.DispatchRequest(settle=pb.SettleLeases(outcomes=outcomes))
        if inflight.extend_due <= now:
            lease_ids = inflight.take_extensions(now, self._frame_leases_max)
            if lease_ids:
                return pb.DispatchRequest(extend=pb.ExtendLeases(lease_ids=lease_ids))
        if inflight.receipts_due <= now:
            lease_ids = inflight.take_receipts(self._frame_leases_max)
            if lease_ids:
                return pb.DispatchRequest(received=pb.LeasesReceived(lease_ids=lease_ids))
        if is_done:
            self._left_at = now
            return pb.DispatchRequest(leaving=pb.WorkerLeaving())
        return pb.DispatchRequest(ping=pb.Ping()) if self._sent_at + self._ping_interval_s <= now else None

    def _received(self, received: pb.DispatchResponse) -> None:
        self._heard_at = self._engine.now()
        kind = received.WhichOneof("frame")
        if not self._welcomed:
            if kind == "welcome":
                self._welcome(received.welcome)
            else:
                self._ended_by_server(UnavailableError("the server's first frame is no Welcome"))
        elif kind == "jobs":
            self._engine.pushed(received.jobs.jobs)
        elif kind == "settled":
            self._engine.settled(received.settled.results)
        elif kind == "extended":
            self._engine.extended(received.extended.results)
        elif kind == "revoked":
            self._engine.revoked(received.revoked)
        elif kind == "draining":
            self._reconnect_after = max(_wire.span(received.draining.reconnect_after), timedelta(0))
            _LOG.info("the server drains")
        # Pings are heard, a second Welcome says nothing new, and frames of a newer server are to be ignored.

    def _welcome(self, welcome: pb.Welcome) -> None:
        self._welcomed = True
        server_max = welcome.limits.max_lease_batch
        if server_max > 0:
            self._frame_leases_max = min(server_max, _FRAME_LEASES_MAX)
        ping_interval_s = _wire.span(welcome.ping_interval).total_seconds()
        self._ping_interval_s = ping_interval_s if ping_interval_s > 0 else math.inf
        self._sent_at = self._engine.now()
        self._engine.stats.connected = True
        self._engine.stats.connects += 1
        self._engine.welcomed(welcome.lost_lease_ids)
        self._on_welcome()
        resumed, lost = len(welcome.resumed_lease_ids), len(welcome.lost_lease_ids)
        _LOG.info("connected to server %s: %d leases resumed, %d lost", welcome.server_version, resumed, lost)
