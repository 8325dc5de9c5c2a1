"""Between this package's values and the contract's: integers, durations, instants. Refuses what the wire can't carry."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta, timezone
from typing import TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from .errors import ClientError

UINT32_MAX = 2**32 - 1
UINT64_MAX = 2**64 - 1

T = TypeVar("T")


def uint(field: str, value: int, most: int = UINT64_MAX) -> int:
    """Checks an integer that is to go on the wire."""
    if isinstance(value, bool) or not isinstance(value, int):
        message = f"`{field}` is {value!r}: give an integer"
        raise ClientError(message, field)
    if not 0 <= value <= most:
        message = f"`{field}` is {value}: give 0 to {most}"
        raise ClientError(message, field)
    return value


def uint_or_none(field: str, value: int | None, most: int = UINT64_MAX) -> int | None:
    """Checks an integer that may be left out."""
    return None if value is None else uint(field, value, most)


def duration(field: str, value: timedelta) -> Duration:
    """Checks a span; bounds beyond the sign are the server's affair."""
    if not isinstance(value, timedelta):
        message = f"`{field}` is {value!r}: give a timedelta"
        raise ClientError(message, field)
    wire = Duration()
    wire.FromTimedelta(value)
    return wire


def duration_or_none(field: str, value: timedelta | None) -> Duration | None:
    """Checks a span that may be left out."""
    return None if value is None else duration(field, value)


def span(wire: Duration) -> timedelta:
    """A span of the server, down to its microseconds."""
    return timedelta(seconds=wire.seconds, microseconds=wire.nanos // 1000)


def timestamp(field: str, value: datetime) -> Timestamp:
    """Checks an instant: one without a time zone could be any of twenty-four."""
    if value.tzinfo is None:
        message = f"`{field}` has no time zone: give an aware datetime, such as datetime.now(timezone.utc)"
        raise ClientError(message, field)
    wire = Timestamp()
    wire.FromDatetime(value)
    return wire


def timestamp_or_none(field: str, value: datetime | None) -> Timestamp | None:
    """Checks an instant that may be left out."""
    return None if value is None else timestamp(field, value)


def instant(wire: Timestamp) -> datetime:
    """An instant of the server, in UTC, down to its microseconds."""
    epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
    return epoch + timedelta(seconds=wire.seconds, microseconds=wire.nanos // 1000)


def valid_text(text: str) -> str:
    """Replaces what isn't UTF-8, such as lone surrogates, which no message of the contract can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def random_id() -> str:
    """An id unlike any other."""
    return secrets.token_hex(16)
