"""Handlers at work, at most the window of them at once.

Knows nothing of streams and leases' lives: it is told what to start and what to stop, and says what has ended. Coroutine
functions are tasks of the worker's loop; other handlers get a thread each, so that none holds up another.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import logging
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sluicegate import trace
from sluicegate.job import json_text
from sluicegate.lease import LeasedJob
from sluicegate.outcome import Discard, Failure, Outcome, Release, Success, Throttled

from .context import CancelReason, JobContext

_LOG = logging.getLogger("sluicegate.worker")

#: Does a job. What it returns is kept as the job's result, at most 64 KiB: bytes as they are, None is none, anything else as
#: JSON. What it raises is a failure, unless it is a Discard, Release or Throttled; those may be returned as well.
Handler = Callable[[JobContext], Any] | Callable[[JobContext], Awaitable[Any]]

#: How many causes of an error are told.
_CAUSES_MAX = 16


@dataclass(frozen=True)
class Finished:
    """A handler that has ended."""

    context: JobContext
    outcome: Outcome


@dataclass
class _Started:
    context: JobContext
    #: None for a handler on a thread.
    task: asyncio.Task[None] | None = None


class Runner:
    """The handlers at work and the jobs that wait for a place. Used on the worker's loop alone."""

    def __init__(
        self,
        by_type: Mapping[str, Handler],
        for_all: Handler | None,
        places: int,
        on_finished: Callable[[Finished], None],
    ) -> None:
        self._by_type = by_type
        self._for_all = for_all
        self._places = places
        self._on_finished = on_finished
        self._waiting: deque[LeasedJob] = deque()
        self._started: dict[str, _Started] = {}

    @property
    def busy(self) -> int:
        """Handlers that haven't ended, those of lost leases included."""
        return len(self._started)

    def enqueue(self, job: LeasedJob) -> None:
        """Puts a job in line."""
        self._waiting.append(job)

    def clear_waiting(self) -> None:
        """Forgets the jobs in line."""
        self._waiting.clear()

    def start_waiting(self, may_start: Callable[[str], bool]) -> None:
        """Starts jobs in line while there are places. ``may_start`` is asked once for each; those it denies are forgotten."""
        while self._waiting and len(self._started) < self._places:
            job = self._waiting.popleft()
            if may_start(job.lease_id):
                self._start(job)

    def stop(self, lease_id: str, reason: CancelReason) -> bool:
        """Tells a handler to stop. False if the job has none."""
        started = self._started.get(lease_id)
        if started is None:
            return False
        if started.context.cancel(reason) and started.task is not None:
            started.task.cancel()
        return True

    def stop_all(self, reason: CancelReason) -> None:
        """Tells all handlers to stop."""
        for lease_id in list(self._started):
            self.stop(lease_id, reason)

    def abandon_all(self) -> None:
        """Waits for no handler any more: threads can't be ended from outside, so what they still answer is dropped."""
        for started in self._started.values():
            if started.task is not None:
                started.task.cancel()
        self._started.clear()

    def _start(self, job: LeasedJob) -> None:
        context = JobContext(job)
        started = _Started(context)
        self._started[job.lease_id] = started
        surroundings = contextvars.copy_context()
        surroundings.run(trace.carry, job.metadata)
        handler = self._by_type.get(job.type, self._for_all)
        if handler is None:
            handler = _no_handler
        if inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(getattr(handler, "__call__", None)):  # noqa: B004 - whether calling it makes a coroutine
            work = self._as_task(handler, started)
            started.task = surroundings.run(asyncio.get_running_loop().create_task, work)
        else:
            loop = asyncio.get_running_loop()
            name = f"sluicegate-handler-{job.id}"
            thread = threading.Thread(
                target=surroundings.run, args=(self._on_thread, handler, started, loop), name=name, daemon=True
            )
            try:
                thread.start()
            except RuntimeError as error:
                # The system has no thread left; what was never started goes back.
                _LOG.warning("no thread for job %s: %s", job.id, error)
                loop.call_soon(self._ended, started, Release())

    async def _as_task(self, handler: Handler, started: _Started) -> None:
        outcome: Outcome = Failure("the handler was cancelled")
        try:
            outcome = _outcome_of(await handler(started.context))
        except asyncio.CancelledError:
            reason = started.context.cancel_reason
            outcome = Failure(f"cancelled: {reason.value}" if reason else "the handler was cancelled")
        except KeyboardInterrupt as error:
            outcome = _outcome_of_raised(error)
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a handler raises is its job's failure, not the worker's
            outcome = _outcome_of_raised(error)
        finally:
            self._ended(started, outcome)

    def _on_thread(self, handler: Handler, started: _Started, loop: asyncio.AbstractEventLoop) -> None:
        try:
            outcome = _outcome_of(handler(started.context))
        except BaseException as error:  # noqa: BLE001 - as above; nothing on this thread could take it
            outcome = _outcome_of_raised(error)
        # A worker that has ended listens no more.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(self._ended, started, outcome)

    def _ended(self, started: _Started, outcome: Outcome) -> None:
        lease_id = started.context.job.lease_id
        if self._started.get(lease_id) is started:
            del self._started[lease_id]
            self._on_finished(Finished(started.context, outcome))


def _no_handler(context: JobContext) -> None:
    raise Failure(f"this worker has no handler for jobs of type `{context.type}`")


def _outcome_of(returned: Any) -> Outcome:
    if returned is None:
        return Success()
    if isinstance(returned, (Success, Failure, Discard, Release, Throttled)):
        return returned
    if isinstance(returned, (bytes, bytearray, memoryview)):
        return Success(bytes(returned))
    if inspect.isawaitable(returned):
        if inspect.iscoroutine(returned):
            returned.close()
        return Failure("the handler returned an awaitable: make it a coroutine function")
    return Success(json_text("result", returned).encode())


def _outcome_of_raised(error: BaseException) -> Outcome:
    """What an error means: the first outcome among it and its causes, else a failure with the words of all."""
    found: BaseException | None = error
    for _ in range(_CAUSES_MAX):
        if found is None:
            break
        if isinstance(found, (Release, Throttled)):
            return found
        if isinstance(found, Discard):
            return found if found is error else Discard(describe(error))
        if isinstance(found, Failure):
            return found if found is error else Failure(describe(error), retry_after=found.retry_after)
        found = found.__cause__
    return Failure(describe(error))


def describe(error: BaseException) -> str:
    """An error and what caused it, joined by colons. A cause whose words its effect repeats is named once."""
    text = _words(error)
    cause = error.__cause__
    for _ in range(_CAUSES_MAX):
        if cause is None:
            break
        words = _words(cause)
        if words not in text:
            text = f"{text}: {words}"
        cause = cause.__cause__
    return text


def _words(error: BaseException) -> str:
    try:
        words = str(error)
    except Exception:  # noqa: BLE001 - an error that can't even be told
        words = ""
    name = type(error).__name__
    if isinstance(error, (Failure, Discard)):
        return words or name
    return f"{name}: {words}" if words else name
