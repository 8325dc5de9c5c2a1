"""What a job is to do, and a job as the server shows it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from . import _wire, trace
from .errors import ClientError
from .policy import Policy
from .v1 import budget_pb2
from .v1 import job_pb2 as pb


class JobState(Enum):
    """Where a job is in its life (semantics 6.1)."""

    #: Of a newer server.
    UNKNOWN = 0
    #: Waits for its run time, its backoff, or the delay of a release.
    SCHEDULED = 1
    #: Waits for a worker and for its budgets; parked jobs are ready.
    READY = 2
    #: Has a live lease.
    IN_FLIGHT = 3
    #: Has succeeded.
    COMPLETED = 4
    #: Is out of attempts, or was discarded by its worker.
    DEAD = 5
    #: Was ended by a cancellation.
    CANCELLED = 6

    @classmethod
    def _missing_(cls, value: object) -> JobState:
        del value
        return cls.UNKNOWN


@dataclass(frozen=True)
class JsonPayload:
    """JSON as text, which arrives as it is: numbers keep their digits."""

    text: str

    def value(self) -> Any:
        """What it means. ValueError where it isn't JSON."""
        return json.loads(self.text)


@dataclass(frozen=True)
class BinaryPayload:
    """Bytes, which arrive as they are."""

    data: bytes


#: A handler's input.
Payload = JsonPayload | BinaryPayload


def payload_of(value: Any) -> Payload | None:
    """The payload that a value stands for: None is none, bytes are binary, all else becomes JSON."""
    if value is None or isinstance(value, (JsonPayload, BinaryPayload)):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return BinaryPayload(bytes(value))
    return JsonPayload(json_text("payload", value))


def json_text(field: str, value: Any) -> str:
    """Write a value as JSON, the shortest way; what JSON can't say is refused."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        message = f"`{field}` can't be written as JSON: {error}"
        raise ClientError(message, field) from error


@dataclass(frozen=True)
class Binding:
    """What one dispatch of a job debits from one budget."""

    #: The budget's key.
    key: str
    #: In tokens, 1 to 10^12; None: 1. More than the budget's capacity is :class:`CostExceedsCapacityError`.
    cost: int | None = None
    #: Creates the budget with this policy if it doesn't exist, in the same commit as the job; ignored if it does
    #: (semantics 3.4). None: :class:`BudgetNotFoundError` then.
    create_with: Policy | None = None

    def to_wire(self) -> budget_pb2.Binding:
        """The binding as the contract's message."""
        return budget_pb2.Binding(
            budget=self.key,
            cost=_wire.uint_or_none("cost", self.cost),
            create_with=self.create_with.to_wire() if self.create_with else None,
        )


@dataclass(frozen=True)
class Backoff:
    """The delay before a retry: exponential with jitter and a cap (semantics 6.3). None: the server's default."""

    #: Before the first retry. 0 to 24 h; 1 s by default.
    initial: timedelta | None = None
    #: The longest delay. 0 to 24 h, at least ``initial``; by default the larger of 1 h and ``initial``.
    max: timedelta | None = None
    #: The growth from one retry to the next, in percent. 100 to 1000; 200 by default.
    multiplier_percent: int | None = None
    #: The largest share taken off at random, in percent. 0 to 100; 20 by default.
    jitter_percent: int | None = None

    def to_wire(self) -> pb.Backoff:
        """The backoff as the contract's message."""
        return pb.Backoff(
            initial=_wire.duration_or_none("backoff.initial", self.initial),
            max=_wire.duration_or_none("backoff.max", self.max),
            multiplier_percent=_wire.uint_or_none("backoff.multiplier_percent", self.multiplier_percent, _wire.UINT32_MAX),
            jitter_percent=_wire.uint_or_none("backoff.jitter_percent", self.jitter_percent, _wire.UINT32_MAX),
        )


@dataclass(frozen=True)
class Retention:
    """How long a job is kept once it is over (semantics 6.4). Each 0 to 366 d; None: the server's default."""

    #: After success; by default 0, so that it is removed at once, and its result dropped.
    completed: timedelta | None = None
    #: After its last failure; 7 d by default.
    dead: timedelta | None = None
    #: After it was cancelled; 1 d by default.
    cancelled: timedelta | None = None

    def to_wire(self) -> pb.Retention:
        """The retention as the contract's message."""
        return pb.Retention(
            completed=_wire.duration_or_none("retention.completed", self.completed),
            dead=_wire.duration_or_none("retention.dead", self.dead),
            cancelled=_wire.duration_or_none("retention.cancelled", self.cancelled),
        )


class UniqueScope(Enum):
    """Until when a job holds its unique key."""

    #: While it is scheduled or ready.
    QUEUED = 1
    #: While it is scheduled, ready or in flight.
    UNFINISHED = 2
    #: Until it is removed, finished or not.
    RETAINED = 3


@dataclass(frozen=True)
class Unique:
    """A key that one job of the server holds at most: an enqueue that names a held key answers with its holder."""

    #: 1 to 256 bytes of UTF-8 without NUL, in one space for the whole server.
    key: str
    #: Until when the job holds it.
    scope: UniqueScope = UniqueScope.UNFINISHED

    def to_wire(self) -> pb.UniqueKey:
        """The key as the contract's message."""
        return pb.UniqueKey(key=self.key, scope=f"UNIQUE_SCOPE_{self.scope.name}")


@dataclass(frozen=True, kw_only=True)
class NewJob:
    """What a job is to do, and how. Only the queue is required. Names are 1 to 128 bytes of ``[A-Za-z0-9._:/@-]``."""

    #: It exists as soon as a job names it.
    queue: str
    #: Tells handlers apart; empty where one handler does all of a queue.
    type: str = ""
    #: The handler's input: None is none, bytes are binary, a :data:`Payload` is itself, all else becomes JSON. At most 1 MiB
    #: unless the server was told otherwise.
    payload: Any = None
    #: 0 for the most urgent to 65535; None: 32768.
    priority: int | None = None
    #: Not to be dispatched before; at most 366 d from now. None or past: at once.
    run_at: datetime | None = None
    #: What a dispatch debits: all of it at once, or it waits (semantics 3.1). At most 16, each of another budget.
    budgets: Sequence[Binding] = ()
    #: The failed attempts after which the job is dead. 1 to 1000; None: 25.
    max_attempts: int | None = None
    #: The delay before a retry.
    backoff: Backoff | None = None
    #: How long the job is kept once it is over.
    retention: Retention | None = None
    #: The longest one attempt may take (semantics 6.6). 1 ms to 24 h; None: no limit.
    timeout: timedelta | None = None
    #: Makes an enqueue answer with the job that holds the same unique key, if one does.
    unique: Unique | None = None
    #: Travels with the job. At most 64 pairs; keys as names, values any UTF-8; 4 KiB together. The trace that is current
    #: (:mod:`sluicegate.trace`) is added where ``traceparent`` isn't there.
    metadata: Mapping[str, str] = field(default_factory=dict)

    def to_wire(self) -> pb.JobSpec:
        """The job as the contract's message, for programs that use the generated code."""
        payload = payload_of(self.payload)
        return pb.JobSpec(
            queue=self.queue,
            type=self.type,
            json=payload.text if isinstance(payload, JsonPayload) else None,
            binary=payload.data if isinstance(payload, BinaryPayload) else None,
            priority=_wire.uint_or_none("priority", self.priority, _wire.UINT32_MAX),
            run_time=_wire.timestamp_or_none("run_at", self.run_at),
            bindings=[binding.to_wire() for binding in self.budgets],
            max_attempts=_wire.uint_or_none("max_attempts", self.max_attempts, _wire.UINT32_MAX),
            backoff=self.backoff.to_wire() if self.backoff else None,
            retention=self.retention.to_wire() if self.retention else None,
            timeout=_wire.duration_or_none("timeout", self.timeout),
            unique=self.unique.to_wire() if self.unique else None,
            metadata=trace.added_to(self.metadata),
        )


@dataclass(frozen=True)
class AttemptError:
    """A failed attempt."""

    #: Which, from 1.
    attempt: int
    #: When it ended.
    time: datetime
    #: What the worker said, or the server: "lease expired", "timed out", "worker restarted".
    message: str


@dataclass(frozen=True)
class Lease:
    """A worker's exclusive, expiring hold on one attempt of one job (semantics 5.1)."""

    #: Opaque and never used twice. Whoever knows it may settle and extend the lease.
    id: str
    #: The worker it was granted to; empty for that worker itself.
    worker_id: str
    #: Which attempt this is, from 1. A released attempt's number is used again.
    attempt: int
    #: When the job's budgets were debited.
    dispatch_time: datetime
    #: When the lease ends unless it is extended, by the server's clock.
    expire_time: datetime
    #: What the grant and each extension is worth, from then.
    duration: timedelta
    #: Whether the job was cancelled meanwhile (semantics 6.1).
    cancel_requested: bool


def lease_from_wire(wire: pb.Lease) -> Lease:
    """The lease of an answer."""
    return Lease(
        id=wire.id,
        worker_id=wire.worker_id,
        attempt=wire.attempt,
        dispatch_time=_wire.instant(wire.dispatch_time),
        expire_time=_wire.instant(wire.expire_time),
        duration=_wire.span(wire.duration),
        cancel_requested=wire.cancel_requested,
    )


@dataclass(frozen=True)
class JobValue:
    """What the server says of a job at the instant of an answer."""

    #: Opaque. Ids sort, as bytes, in the order of enqueue.
    id: str
    #: Where it is in its life.
    state: JobState
    #: As in its :class:`NewJob`.
    queue: str
    #: As in its :class:`NewJob`.
    type: str
    #: None where the job has none, and in the answers of all calls but ``get_job`` and ``lease_jobs``.
    payload: Payload | None
    #: 0 for the most urgent to 65535.
    priority: int
    #: Its bindings, with their costs.
    budgets: tuple[Binding, ...]
    #: Those used up. The one in flight doesn't count.
    attempts: int
    #: The failed attempts after which it is dead.
    max_attempts: int
    #: The longest one attempt may take; None: no limit.
    timeout: timedelta | None
    #: Travels with the job. Shown as ``payload`` is.
    metadata: Mapping[str, str]
    #: When it was enqueued.
    create_time: datetime
    #: When it became ready, or will.
    ready_time: datetime | None
    #: When it ended.
    finish_time: datetime | None
    #: When it will be removed.
    remove_time: datetime | None
    #: When it may be dispatched again after a release with a delay.
    delayed_until: datetime | None
    #: The live one; None unless the job is in flight.
    lease: Lease | None
    #: The last 10 failed attempts, oldest first. ``get_job`` alone shows them.
    errors: tuple[AttemptError, ...]
    #: What the handler returned with success. ``get_job`` alone shows it.
    result: bytes

    def json(self) -> Any:
        """What the payload means as JSON. :class:`ClientError` where the job has none, or another one."""
        if isinstance(self.payload, JsonPayload):
            return self.payload.value()
        message = f"job {self.id} has no JSON payload"
        raise ClientError(message, "payload")


def fields_of_job(wire: pb.Job, lease: pb.Lease | None = None) -> dict[str, Any]:
    """The fields of a :class:`JobValue`, from an answer; ``lease`` where it stands apart."""
    spec = wire.spec
    kind = spec.WhichOneof("payload")
    held = lease if lease is not None else (wire.lease if wire.HasField("lease") else None)
    payload: Payload | None = None
    if kind == "json":
        payload = JsonPayload(spec.json)
    elif kind == "binary":
        payload = BinaryPayload(spec.binary)
    return {
        "id": wire.id,
        "state": JobState(wire.state),
        "queue": spec.queue,
        "type": spec.type,
        "payload": payload,
        "priority": spec.priority,
        "budgets": tuple(Binding(found.budget, found.cost) for found in spec.bindings),
        "attempts": wire.attempts,
        "max_attempts": spec.max_attempts,
        "timeout": _wire.span(spec.timeout) if spec.HasField("timeout") else None,
        "metadata": dict(spec.metadata),
        "create_time": _wire.instant(wire.create_time),
        "ready_time": _wire.instant(wire.ready_time) if wire.HasField("ready_time") else None,
        "finish_time": _wire.instant(wire.finish_time) if wire.HasField("finish_time") else None,
        "remove_time": _wire.instant(wire.remove_time) if wire.HasField("remove_time") else None,
        "delayed_until": _wire.instant(wire.delayed_until) if wire.HasField("delayed_until") else None,
        "lease": lease_from_wire(held) if held is not None else None,
        "errors": tuple(AttemptError(found.attempt, _wire.instant(found.time), found.message) for found in wire.errors),
        "result": wire.result,
    }
