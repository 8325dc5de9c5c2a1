"""A handler's job and its surroundings."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from enum import Enum
from typing import Any

from sluicegate import _wire
from sluicegate.job import Binding, Payload
from sluicegate.lease import LeasedJob


class CancelReason(Enum):
    """Why a handler should stop."""

    #: The lease has ended: it expired, timed out, was forced to, or was taken over. What the handler answers is dropped.
    LEASE_LOST = "lease_lost"
    #: The job was cancelled. What the handler answers counts.
    CANCEL_REQUESTED = "cancel_requested"
    #: The worker stops. A failure counts as a release.
    WORKER_STOPPING = "worker_stopping"


class JobContext:
    """What a handler gets: its job, and where it reports to. Safe for many threads."""

    def __init__(self, job: LeasedJob) -> None:
        self._job = job
        self._cancelled = threading.Event()
        self._reason: CancelReason | None = None
        self._usage: dict[str, int] = {}
        self._throttled: dict[str, timedelta] = {}

    @property
    def job(self) -> LeasedJob:
        """The job, whole, with its lease."""
        return self._job

    @property
    def id(self) -> str:
        """The job's id."""
        return self._job.id

    @property
    def queue(self) -> str:
        """The job's queue."""
        return self._job.queue

    @property
    def type(self) -> str:
        """The job's type; may be empty."""
        return self._job.type

    @property
    def attempt(self) -> int:
        """Which attempt this is, from 1."""
        return self._job.attempt

    @property
    def payload(self) -> Payload | None:
        """The job's input; None where it has none."""
        return self._job.payload

    def json(self) -> Any:
        """What the payload means as JSON. ClientError where the job has none, or another one."""
        return self._job.json()

    @property
    def budgets(self) -> tuple[Binding, ...]:
        """What this dispatch has debited."""
        return self._job.budgets

    @property
    def metadata(self) -> Mapping[str, str]:
        """Free pairs that travel with the job from its producer, such as ``traceparent``."""
        return self._job.metadata

    @property
    def cancel_reason(self) -> CancelReason | None:
        """Why the handler should stop; None as long as it shouldn't. The first reason stays."""
        return self._reason

    def is_cancelled(self) -> bool:
        """Whether the handler should stop. Handlers on threads look at it; tasks of asyncio are cancelled."""
        return self._cancelled.is_set()

    def wait_cancelled(self, timeout: float | None = None) -> bool:
        """Waits, on a thread, until the handler should stop, for so many seconds at most. Whether it should."""
        return self._cancelled.wait(timeout)

    def report_usage(self, key: str, used: int) -> None:
        """Reports what this attempt has used of a budget in all, in tokens (0 to 10^12), with whatever answer follows.

        The last report for a budget counts. The job must be bound to it (semantics 9.1).
        """
        self._usage[key] = _wire.uint(f"usage of {key}", used)

    def report_throttled(self, key: str, retry_after: timedelta) -> None:
        """Reports a limit of the far side, with whatever answer follows: the budget dispatches nothing for this long.

        0 to 24 h. The last report for a budget counts. The job must be bound to it (semantics 9.3).
        """
        _wire.duration(f"retry_after of {key}", retry_after)
        self._throttled[key] = retry_after

    def cancel(self, reason: CancelReason) -> bool:
        """Marks it cancelled; for the worker. False if it was already."""
        if self._reason is not None:
            return False
        self._reason = reason
        self._cancelled.set()
        return True

    def reports(self) -> tuple[dict[str, int], dict[str, timedelta]]:
        """What was reported: usage, and throttled budgets; for the worker."""
        return dict(self._usage), dict(self._throttled)
