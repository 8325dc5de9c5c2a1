"""How one attempt of a job ends. All but success are exceptions that a handler may raise, or return."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class Success:
    """The job is done."""

    #: Kept with the job as long as it is retained. At most 64 KiB.
    result: bytes = b""


class Failure(Exception):  # noqa: N818 - it names an outcome, which is no error of the program
    """The attempt failed, and is used up; the job is retried, or dead when its attempts are used up."""

    def __init__(self, message: str, *, retry_after: timedelta | None = None) -> None:
        super().__init__(message)
        #: For people. Cut beyond 4 KiB.
        self.message = message
        #: The delay before the retry, 0 to 24 h; None: the job's backoff.
        self.retry_after = retry_after


class Discard(Exception):  # noqa: N818 - as above
    """The job is dead at once, whatever attempts are left."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        #: For people. Cut beyond 4 KiB.
        self.message = message


class Release(Exception):  # noqa: N818 - as above
    """The job goes back at its old rank; no attempt is used."""

    def __init__(self, delay: timedelta | None = None) -> None:
        super().__init__("released")
        #: Not to be dispatched again before, from now. 0 to 24 h; None: at once.
        self.delay = delay


class Throttled(Exception):  # noqa: N818 - as above
    """A limit of the far side was met: the job goes back, and the budget dispatches nothing for a while (semantics 9.3)."""

    def __init__(self, key: str, retry_after: timedelta) -> None:
        super().__init__(f"throttled: {key}")
        #: The budget's key; the job must be bound to it.
        self.key = key
        #: From now. 0 to 24 h.
        self.retry_after = retry_after


#: How an attempt ends: one of these, and nothing else.
Outcome = Success | Failure | Discard | Release | Throttled
