"""A worker's counters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class WorkerStats:
    """What a worker has done; it goes on counting while the worker works."""

    #: Whether it has a stream now.
    connected: bool = False
    #: Streams it has had.
    connects: int = 0
    #: Leases it holds now: waiting, at work, or not yet confirmed.
    in_hand: int = 0
    succeeded: int = 0
    #: Failures and discards.
    failed: int = 0
    #: Jobs given back: releases, throttled ones, and what was never started.
    released: int = 0
    #: Jobs whose lease ended before their handler did.
    lost: int = 0
