"""A queue as the server shows it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from . import _wire
from .v1 import queue_service_pb2 as pb


@dataclass(frozen=True)
class Queue:
    """A queue, and how many of its jobs are in which state."""

    name: str
    #: Whether nothing of it is dispatched.
    paused: bool
    scheduled: int
    ready: int
    in_flight: int
    completed: int
    dead: int
    cancelled: int
    #: How long its oldest ready job has been ready; None where none is.
    oldest_ready_age: timedelta | None
    #: Workers that serve it now.
    workers: int


def queue_from_wire(wire: pb.Queue) -> Queue:
    """The queue of an answer."""
    return Queue(
        name=wire.name,
        paused=wire.paused,
        scheduled=wire.scheduled,
        ready=wire.ready,
        in_flight=wire.in_flight,
        completed=wire.completed,
        dead=wire.dead,
        cancelled=wire.cancelled,
        oldest_ready_age=_wire.span(wire.oldest_ready_age) if wire.HasField("oldest_ready_age") else None,
        workers=wire.workers,
    )
