"""How a worker is put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from .runner import Handler


@dataclass(frozen=True)
class Settings:
    """What :class:`~sluicegate.Worker` was told, with its defaults."""

    worker_id: str
    queues: tuple[str, ...]
    window: int
    window_bytes: int
    lease_duration: timedelta | None
    lease_total_max: timedelta | None
    ping_interval: timedelta
    max_message_bytes: int
    drain_grace: timedelta
    stop_grace: timedelta
    by_type: Mapping[str, Handler]
    for_all: Handler | None
