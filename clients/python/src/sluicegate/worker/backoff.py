"""How long to wait before the next attempt to connect."""

from __future__ import annotations

import random

_FIRST_S = 0.1
_MOST_S = 10.0


class Backoff:
    """Full jitter: anything up to a bound, which doubles from 100 ms to 10 s with each attempt."""

    def __init__(self) -> None:
        self._bound_s = _FIRST_S

    def reset(self) -> None:
        """A connection has worked."""
        self._bound_s = _FIRST_S

    def next_s(self) -> float:
        """The next wait, in seconds."""
        bound_s = self._bound_s
        self._bound_s = min(bound_s * 2, _MOST_S)
        return random.uniform(0, bound_s)  # noqa: S311 - it spreads load, and keeps no secret
