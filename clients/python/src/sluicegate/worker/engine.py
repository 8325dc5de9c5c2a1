"""A worker between its streams: what it holds, its handlers, and whether it works, drains or stops.

Outlives every stream, and goes on without one. Sends nothing.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
from collections.abc import Iterable
from enum import Enum, auto
from importlib import metadata

from sluicegate import _wire
from sluicegate.job import fields_of_job
from sluicegate.lease import LeasedJob, Settlement
from sluicegate.outcome import Failure, Release, Success, Throttled
from sluicegate.v1 import dispatch_pb2 as pb
from sluicegate.v1 import job_pb2, settle_pb2

from .context import CancelReason
from .inflight import Confirmation, InFlight, Stop
from .runner import Finished, Runner
from .settings import Settings
from .stats import WorkerStats

_LOG = logging.getLogger("sluicegate.worker")


class _Phase(Enum):
    #: It takes jobs.
    WORKING = auto()
    #: It takes none, and waits for its handlers.
    DRAINING = auto()
    #: It has told its handlers to stop.
    STOPPING = auto()
    #: It waits for nothing any more.
    OVER = auto()


class Engine:
    """The part of a worker that outlives its streams."""

    def __init__(self, settings: Settings, stats: WorkerStats) -> None:
        self.settings = settings
        self.stats = stats
        total_max = settings.lease_total_max
        total_max_s = total_max.total_seconds() if total_max is not None else math.inf
        self.inflight = InFlight(total_max_s, random.uniform)
        self._runner = Runner(settings.by_type, settings.for_all, settings.window, self._finished)
        self._phase = _Phase.WORKING
        self._phase_end = math.inf
        self._changed = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def now(self) -> float:
        """Seconds of the loop's clock."""
        return self._loop.time()

    def wake(self) -> None:
        """Something has changed: whoever waits looks again."""
        self._changed.set()

    async def wait(self, until: float) -> None:
        """Waits until something has changed, or this instant has come, and ends the phase whose time is over."""
        seconds = min(until, self._phase_end) - self.now()
        if not self._changed.is_set() and seconds > 0:
            timer = None if math.isinf(seconds) else self._loop.call_later(seconds, self.wake)
            try:
                await self._changed.wait()
            finally:
                if timer is not None:
                    timer.cancel()
        else:
            # Others get a turn, however much there is to do.
            await asyncio.sleep(0)
        self._changed.clear()
        if self.now() >= self._phase_end:
            self._next_phase()
        self.stats.in_hand = len(self.inflight)

    async def pause(self, seconds: float) -> bool:
        """Waits between two streams, while handlers go on. True if the worker is done before."""
        end = self.now() + seconds
        while not self.is_done():
            if self.now() >= end:
                return False
            await self.wait(end)
        if len(self.inflight) > 0:
            _LOG.warning("the worker ends without a server; its %d leases will expire", len(self.inflight))
        return True

    def drain(self) -> None:
        """Takes nothing more, and gives back what has no handler."""
        if self._phase is not _Phase.WORKING:
            return
        self._phase = _Phase.DRAINING
        self._phase_end = self.now() + self.settings.drain_grace.total_seconds()
        self._runner.clear_waiting()
        released = self.inflight.release_waiting(self.now())
        self.stats.released += released
        _LOG.info("the worker drains: %d handlers at work, %d jobs given back", self._runner.busy, released)
        self.wake()

    def is_done(self) -> bool:
        """Whether the worker is on its way out and has nothing left to wait for."""
        if self._phase in (_Phase.DRAINING, _Phase.STOPPING):
            return self._runner.busy == 0 and len(self.inflight) == 0
        return self._phase is _Phase.OVER

    @property
    def window(self) -> int:
        """Jobs that the server may let this worker hold: handlers whose leases are lost take places away."""
        lost = max(self._runner.busy - self.inflight.started, 0)
        return max(self.settings.window - lost, 0) if self._phase is _Phase.WORKING else 0

    def hello(self) -> pb.WorkerHello:
        """What opens a stream: who this worker is, and what it still holds (semantics 5.2)."""
        settings = self.settings
        return pb.WorkerHello(
            worker_id=settings.worker_id,
            queues=[pb.WorkerQueue(name=name) for name in settings.queues],
            window=self.window_frame(),
            lease_duration=_wire.duration_or_none("lease_duration", settings.lease_duration),
            held_leases=pb.HeldLeases(lease_ids=self.inflight.lease_ids()),
            confirms_receipt=True,
            ping_interval=_wire.duration("ping_interval", settings.ping_interval),
            max_message_bytes=settings.max_message_bytes,
            client=pb.ClientInfo(name="sluicegate-client-python", version=_version()),
        )

    def window_frame(self) -> pb.Window:
        """The window as it is now."""
        return pb.Window(max_jobs=self.window, max_bytes=self.settings.window_bytes)

    def pushed(self, jobs: Iterable[job_pb2.LeasedJob]) -> None:
        """Takes in pushed jobs."""
        now = self.now()
        for wire in jobs:
            job = LeasedJob(**fields_of_job(wire.job, wire.lease))
            if not self.inflight.pushed(job, now):
                continue
            if self._phase is not _Phase.WORKING or wire.lease.cancel_requested:
                self.inflight.release(job.lease_id, now)
                self.stats.released += 1
            else:
                self._runner.enqueue(job)
        self._runner.start_waiting(self.inflight.start)

    def welcomed(self, lost_lease_ids: Iterable[str]) -> None:
        """Takes in what a stream began with."""
        self._stop(self.inflight.welcomed(lost_lease_ids, self.now()))

    def settled(self, results: Iterable[settle_pb2.SettleResult]) -> None:
        """Takes in what became of settlements."""
        for result in results:
            confirmation = self.inflight.confirmed(result, self.now())
            if confirmation is Confirmation.TOO_LATE:
                _LOG.warning("lease %s had ended before its settlement", result.lease_id)
            elif confirmation is Confirmation.RETRIED:
                words = "settlement of %s refused (%s); sent again without what is optional"
                _LOG.error(words, result.lease_id, result.error.message)
            elif confirmation is Confirmation.ABANDONED:
                words = "settlement of %s refused (%s); the lease will expire"
                _LOG.error(words, result.lease_id, result.error.message)

    def extended(self, results: Iterable[settle_pb2.ExtendResult]) -> None:
        """Takes in what became of extensions."""
        now = self.now()
        self._stop(stop for result in results if (stop := self.inflight.extended(result, now)) is not None)

    def revoked(self, revoked: pb.LeasesRevoked) -> None:
        """Takes in that leases were taken away, or are to be ended."""
        now = self.now()
        found = (self.inflight.revoked(lease_id, revoked.reason, now) for lease_id in revoked.lease_ids)
        self._stop(stop for stop in found if stop is not None)

    async def abandon(self) -> None:
        """Ends all handlers: they are told that their leases are lost, and left behind if they don't listen."""
        self._runner.clear_waiting()
        self._runner.stop_all(CancelReason.LEASE_LOST)
        self._phase = _Phase.OVER
        self._phase_end = math.inf
        end = self.now() + self.settings.stop_grace.total_seconds()
        while self._runner.busy > 0 and self.now() < end:
            await self.wait(end)
        self.close()

    def close(self) -> None:
        """The worker works no more."""
        self._phase = _Phase.OVER
        self._runner.clear_waiting()
        self._runner.abandon_all()
        self.stats.in_hand = 0

    def _finished(self, finished: Finished) -> None:
        context, outcome = finished.context, finished.outcome
        if context.cancel_reason is CancelReason.WORKER_STOPPING and isinstance(outcome, Failure):
            # A failure of a handler that was told to stop since its worker stops says nothing about the job.
            outcome = Release()
        usage, throttled = context.reports()
        lease_id = context.job.lease_id
        try:
            wire = Settlement(lease_id, outcome, usage, throttled).to_wire()
        except ValueError as error:
            outcome = Failure(f"the handler's answer can't be sent: {error}")
            wire = Settlement(lease_id, outcome).to_wire()
        if not self.inflight.settle(lease_id, wire, self.now()):
            self.stats.lost += 1
        elif isinstance(outcome, Success):
            self.stats.succeeded += 1
        elif isinstance(outcome, (Release, Throttled)):
            self.stats.released += 1
        else:
            self.stats.failed += 1
        self._runner.start_waiting(self.inflight.start)
        self.wake()

    def _next_phase(self) -> None:
        if self._phase is _Phase.DRAINING:
            _LOG.warning("the worker stops its %d handlers", self._runner.busy)
            self._phase = _Phase.STOPPING
            self._phase_end = self.now() + self.settings.stop_grace.total_seconds()
            self._runner.stop_all(CancelReason.WORKER_STOPPING)
        else:
            self._phase = _Phase.OVER
            self._phase_end = math.inf

    def _stop(self, stops: Iterable[Stop]) -> None:
        for lease_id, reason in stops:
            if self._runner.stop(lease_id, reason):
                continue
            if reason is CancelReason.LEASE_LOST:
                self.stats.lost += 1
            else:
                self.stats.released += 1


def _version() -> str:
    try:
        return metadata.version("sluicegate-client")
    except metadata.PackageNotFoundError:
        # Used from its sources.
        return ""
