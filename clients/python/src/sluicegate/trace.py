"""The trace that is current: a ``traceparent`` and ``tracestate`` of W3C Trace Context, carried from producers to handlers.

A job that is enqueued gets the current trace in its metadata, unless it has one; a handler runs with the trace of its job
current. So a chain of jobs is one trace without a word in the programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

TRACEPARENT: Final = "traceparent"
TRACESTATE: Final = "tracestate"

_current: ContextVar[Mapping[str, str]] = ContextVar("sluicegate_trace")


@contextmanager
def use(traceparent: str, tracestate: str = "") -> Iterator[None]:
    """Makes a trace current, in this thread or asyncio task, for the body of the ``with`` statement."""
    pairs = {TRACEPARENT: traceparent, **({TRACESTATE: tracestate} if tracestate else {})}
    token = _current.set(pairs)
    try:
        yield
    finally:
        _current.reset(token)


def current() -> Mapping[str, str]:
    """The metadata that the current trace stands for; empty where there is none."""
    return _current.get({})


def added_to(metadata: Mapping[str, str]) -> dict[str, str]:
    """Metadata with the current trace, unless it has one of its own."""
    return dict(metadata) if TRACEPARENT in metadata else {**current(), **metadata}


def carry(metadata: Mapping[str, str]) -> None:
    """Makes the trace of a job's metadata current, for the rest of this context."""
    _current.set({key: metadata[key] for key in (TRACEPARENT, TRACESTATE) if key in metadata})
