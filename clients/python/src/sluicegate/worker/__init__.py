"""Workers: they take jobs from a stream, run handlers, keep leases alive, and come back after whatever happens.

==================  ====================================================
``settings``        how a worker is put together
``session``         one stream: frames in, frames out, pings, its end
``engine``          what outlives a stream: drain and stop, and the two below
``inflight``        which leases are held, and what is to be said of them; pure
``runner``          handlers at work
``context``         what a handler gets
``backoff, stats``  delays, counters
==================  ====================================================
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import TypeVar

from sluicegate import _wire
from sluicegate.client import Client
from sluicegate.connection import Connection
from sluicegate.errors import ClientError

from .backoff import Backoff
from .context import CancelReason, JobContext
from .engine import Engine
from .runner import Handler
from .session import Draining, End, Fatal, Left, Session
from .settings import Settings
from .stats import WorkerStats

_LOG = logging.getLogger("sluicegate.worker")

H = TypeVar("H", bound=Handler)


class Worker:
    """Takes jobs from some queues and runs their handlers, at most a window of them at once.

    Leases are extended while handlers run, outcomes are sent in batches and kept until the server has confirmed them, and a
    connection that is lost comes back, for ever, with all that is in hand. Coroutine functions run on the loop, which they
    must not block; other handlers run on a thread each. A worker runs once.
    """

    def __init__(
        self,
        client: Client,
        *,
        queues: Sequence[str],
        window: int = 16,
        window_bytes: int = 0,
        worker_id: str | None = None,
        lease_duration: timedelta | None = None,
        lease_total_max: timedelta | None = None,
        ping_interval: timedelta = timedelta(seconds=15),
        max_message_bytes: int = 32 << 20,
        drain_grace: timedelta = timedelta(seconds=30),
        stop_grace: timedelta = timedelta(seconds=5),
        handlers: Mapping[str, Handler] | None = None,
        handler: Handler | None = None,
    ) -> None:
        """Takes nothing yet.

        :param queues: 1 to 64 names.
        :param window: the most jobs in hand, and so the most handlers at once. 1 to 100,000.
        :param window_bytes: the most bytes of payloads and metadata in hand, up to 1 GiB; 0: the server's default, 64 MiB.
        :param worker_id: 1 to 128 bytes of ``[A-Za-z0-9._:/@-]``, unique among the workers; None: a random one. A worker that
            starts with the id of one that is gone ends the leases of that one at once; with the id of one that is there it
            takes that one's place, which ends with SessionSupersededError.
        :param lease_duration: what a lease, and each extension, is worth: how long a job of a worker that died stays away.
            1 s to 24 h; None: 30 s.
        :param lease_total_max: how long after its receipt a job's lease is extended at most, so that a handler that hangs
            loses its job; None: for ever.
        :param ping_interval: how often a silent side says that it is there; after three times this without a sign the worker
            connects anew. 1 s to 10 min.
        :param max_message_bytes: the largest frame that the worker takes; jobs that don't fit aren't offered to it. 64 KiB to
            64 MiB.
        :param drain_grace: how long a drain waits for handlers before it tells them to stop.
        :param stop_grace: how long handlers that were told to stop have then before they are left behind.
        :param handlers: the handlers, by the types of jobs.
        :param handler: the handler of all jobs whose type has none of its own. Without one such jobs fail.
        """
        if isinstance(queues, str) or not queues:
            raise ClientError("`queues` is no list of names: a worker needs a queue to serve", "queues")
        if _wire.uint("window", window) < 1:
            raise ClientError("`window` is 0: give 1 or more", "window")
        self._client = client
        self._queues = tuple(queues)
        self._window = window
        self._window_bytes = _wire.uint("window_bytes", window_bytes)
        self._worker_id = worker_id if worker_id is not None else f"worker-{_wire.random_id()[:16]}"
        self._lease_duration = lease_duration
        self._lease_total_max = lease_total_max
        self._ping_interval = ping_interval
        self._max_message_bytes = _wire.uint("max_message_bytes", max_message_bytes, _wire.UINT32_MAX)
        self._drain_grace = drain_grace
        self._stop_grace = stop_grace
        self._by_type: dict[str, Handler] = dict(handlers or {})
        self._for_all = handler
        self._stats = WorkerStats()
        self._engine: Engine | None = None
        self._has_run = False
        self._stopping = False

    @property
    def worker_id(self) -> str:
        """The worker's id."""
        return self._worker_id

    @property
    def stats(self) -> WorkerStats:
        """Its counters, which go on counting while it works."""
        return self._stats

    def handles(self, *types: str) -> Callable[[H], H]:
        """Makes a function the handler of the jobs of these types, or without any of all that have none of their own."""

        def register(handler: H) -> H:
            for name in types:
                self._by_type[name] = handler
            if not types:
                self._for_all = handler
            return handler

        return register

    def stop(self) -> None:
        """Begins to drain, and returns at once: what is begun is finished, and nothing more is taken. On the loop's thread."""
        self._stopping = True
        if self._engine is not None:
            self._engine.drain()

    async def run(self) -> None:
        """Works until :meth:`stop`; then drains, and returns.

        A drain takes nothing more, gives back what wasn't started, waits for handlers up to the drain grace, cancels the rest
        and waits for them up to the stop grace, and leaves. A cancellation of this task drains nothing: handlers are
        cancelled, and leases expire.

        Raises only where coming back is of no use: SessionSupersededError, and InvalidFieldError for settings that the server
        refuses. Handlers are cancelled then.
        """
        if self._has_run:
            raise ClientError("a worker runs once: make another one")
        self._has_run = True
        engine = Engine(self._settings(), self._stats)
        self._engine = engine
        try:
            if self._stopping:
                engine.drain()
            await self._work(engine)
        finally:
            self._stats.connected = False
            self._engine = None
            engine.close()

    async def run_until_signal(self) -> None:
        """Works as :meth:`run` does, until SIGTERM or SIGINT; for the main thread."""
        loop = asyncio.get_running_loop()
        signals = (signal.SIGTERM, signal.SIGINT)
        for number in signals:
            loop.add_signal_handler(number, self.stop)
        try:
            await self.run()
        finally:
            for number in signals:
                loop.remove_signal_handler(number)

    async def _work(self, engine: Engine) -> None:
        backoff = Backoff()
        while True:
            end = await self._stream(engine, backoff)
            if isinstance(end, Left):
                return
            if isinstance(end, Fatal):
                await engine.abandon()
                raise end.error
            wait_s = backoff.next_s()
            if isinstance(end, Draining):
                wait_s += end.reconnect_after.total_seconds()
                _LOG.info("the server goes; the worker comes back in %.3f s", wait_s)
            else:
                asked = end.error.retry_after
                wait_s = max(wait_s, asked.total_seconds() if asked is not None else 0)
                _LOG.warning("no connection to the server (%s); the worker tries again in %.3f s", end.error, wait_s)
            if await engine.pause(wait_s):
                return

    async def _stream(self, engine: Engine, backoff: Backoff) -> End:
        """One stream on a connection of its own, so that what ends the one ends nothing else."""
        connection = Connection(self._client.connection.target)
        try:
            return await Session(connection, engine, backoff.reset).run()
        finally:
            self._stats.connected = False
            await connection.close()

    def _settings(self) -> Settings:
        if not self._by_type and self._for_all is None:
            raise ClientError("a worker needs a handler", "handlers")
        return Settings(
            worker_id=self._worker_id,
            queues=self._queues,
            window=self._window,
            window_bytes=self._window_bytes,
            lease_duration=self._lease_duration,
            lease_total_max=self._lease_total_max,
            ping_interval=self._ping_interval,
            max_message_bytes=self._max_message_bytes,
            drain_grace=self._drain_grace,
            stop_grace=self._stop_grace,
            by_type=dict(self._by_type),
            for_all=self._for_all,
        )


__all__ = ["CancelReason", "Handler", "JobContext", "Worker", "WorkerStats"]
