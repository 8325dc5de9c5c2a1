"""Between the values of the conformance protocol and the client's."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from sluicegate import (
    NEVER,
    Backoff,
    BinaryPayload,
    Binding,
    Budget,
    Changed,
    ClientError,
    Discard,
    Failure,
    JobPatch,
    JobState,
    JobValue,
    JsonPayload,
    NewJob,
    Outcome,
    Payload,
    Policy,
    PolicyPatch,
    Release,
    ReserveAfter,
    Retention,
    ServerError,
    Strategy,
    StrategyPatch,
    Success,
    Throttled,
    TimeBased,
    Unique,
    UniqueScope,
    WhileInFlight,
)

Json = dict[str, Any]


class UnsupportedError(Exception):
    """A command that can't be done here."""


def error_out(error: BaseException) -> Json:
    out: Json = {"reason": None, "kind": type(error).__name__, "retryable": False, "retryAfterMs": None, "fields": []}
    out["message"] = str(error)
    if isinstance(error, ClientError):
        out["kind"] = "Client"
    elif isinstance(error, ServerError):
        out["reason"] = error.reason
        out["retryable"] = error.retryable
        out["fields"] = [violation.field for violation in error.fields]
        if error.retry_after is not None:
            out["retryAfterMs"] = _ms(error.retry_after)
    return out


def span(value: Any) -> timedelta | None:
    return None if value is None else timedelta(milliseconds=value)


def integer(value: Any) -> int | None:
    return None if value is None else int(value)


def _ms(value: timedelta) -> int:
    return value // timedelta(milliseconds=1)


def _strategy(value: Json) -> Strategy:
    if value["type"] == "while_in_flight":
        return WhileInFlight()
    return TimeBased(timedelta(milliseconds=value.get("durationMs") or 0), integer(value.get("burst")))


def _reserve_after(value: Any) -> ReserveAfter | None:
    if value is None:
        return None
    return NEVER if value == "never" else timedelta(milliseconds=value["afterMs"])


def policy(value: Json) -> Policy:
    strategy = _strategy(value["strategy"])
    return Policy(int(value.get("allocation") or 0), strategy, _reserve_after(value.get("reserveAfter")))


def policy_patch(value: Json) -> PolicyPatch:
    changes: Json = {}
    if "allocation" in value:
        changes["allocation"] = int(value["allocation"])
    strategy = value.get("strategy")
    if strategy is not None and "type" in strategy:
        changes["strategy"] = _strategy(strategy)
    elif strategy is not None:
        inside: Json = {}
        if "durationMs" in strategy:
            inside["duration"] = timedelta(milliseconds=strategy["durationMs"])
        if "burst" in strategy:
            inside["burst"] = integer(strategy["burst"])
        changes["strategy"] = StrategyPatch(**inside)
    if "reserveAfter" in value:
        changes["reserve_after"] = _reserve_after(value["reserveAfter"])
    return PolicyPatch(**changes)


def policy_out(found: Policy) -> Json:
    out: Json = {"allocation": str(found.allocation)}
    if isinstance(found.strategy, TimeBased):
        out["strategy"] = {"type": "time_based", "durationMs": _ms(found.strategy.duration)}
        if found.strategy.burst is not None:
            out["strategy"]["burst"] = str(found.strategy.burst)
    else:
        out["strategy"] = {"type": "while_in_flight"}
    if found.reserve_after is NEVER:
        out["reserveAfter"] = "never"
    elif found.reserve_after is not None:
        out["reserveAfter"] = {"afterMs": _ms(found.reserve_after)}
    return out


def budget_out(found: Budget) -> Json:
    return {
        "key": found.key,
        "policy": policy_out(found.policy),
        "etag": found.etag,
        "available": str(found.available),
        "capacity": str(found.capacity),
        "inFlightCost": str(found.in_flight_cost),
        "inFlightJobs": str(found.in_flight_jobs),
        "parkedJobs": str(found.parked_jobs),
        "boundJobs": str(found.bound_jobs),
        "blocked": found.blocked,
    }


def payload(value: Json | None) -> Payload | None:
    if value is None:
        return None
    return JsonPayload(value["json"]) if "json" in value else BinaryPayload(base64.b64decode(value["base64"]))


def payload_out(found: Payload | None) -> Json | None:
    if found is None:
        return None
    if isinstance(found, JsonPayload):
        return {"json": found.text}
    return {"base64": base64.b64encode(found.data).decode()}


def binding(value: Json) -> Binding:
    create_with = value.get("createWith")
    return Binding(value["key"], integer(value.get("cost")), policy(create_with) if create_with else None)


def bindings(values: list[Json] | None) -> list[Binding]:
    return [binding(value) for value in values or []]


def bindings_out(found: tuple[Binding, ...]) -> list[Json]:
    return [{"key": one.key, "cost": str(one.cost)} for one in found]


def _percent(value: Any) -> int | None:
    return None if value is None else round(value * 100)


def _backoff(value: Json | None) -> Backoff | None:
    if value is None:
        return None
    initial, most = span(value.get("initialMs")), span(value.get("maxMs"))
    return Backoff(initial, most, _percent(value.get("multiplier")), _percent(value.get("jitter")))


def _retention(value: Json | None) -> Retention | None:
    if value is None:
        return None
    return Retention(span(value.get("completedMs")), span(value.get("deadMs")), span(value.get("cancelledMs")))


def _unique(value: Json | None) -> Unique | None:
    if value is None:
        return None
    return Unique(value["key"], UniqueScope[value["scope"]]) if "scope" in value else Unique(value["key"])


def _run_at(value: Any) -> datetime | None:
    return None if value is None else datetime.now(timezone.utc) + timedelta(milliseconds=value)


def job(value: Json) -> NewJob:
    return NewJob(
        queue=value.get("queue", ""),
        type=value.get("type", ""),
        payload=payload(value.get("payload")),
        priority=value.get("priority"),
        run_at=_run_at(value.get("runInMs")),
        budgets=bindings(value.get("budgets")),
        max_attempts=value.get("maxAttempts"),
        backoff=_backoff(value.get("backoff")),
        retention=_retention(value.get("retention")),
        timeout=span(value.get("timeoutMs")),
        unique=_unique(value.get("unique")),
        metadata=value.get("metadata") or {},
    )


def job_out(found: JobValue) -> Json:
    out: Json = {
        "id": found.id,
        "queue": found.queue,
        "type": found.type,
        "state": found.state.name,
        "priority": found.priority,
        "attempts": found.attempts,
        "maxAttempts": found.max_attempts,
        "payload": payload_out(found.payload),
        "budgets": bindings_out(found.budgets),
        "metadata": dict(found.metadata),
        "errors": [{"attempt": failed.attempt, "error": failed.message} for failed in found.errors],
    }
    if found.result:
        out["resultBase64"] = base64.b64encode(found.result).decode()
    return out


def job_patch(value: Json) -> JobPatch:
    changes: Json = {key: value[key] for key in ("queue", "type", "priority") if key in value}
    if "maxAttempts" in value:
        changes["max_attempts"] = value["maxAttempts"]
    if "runInMs" in value:
        changes["run_at"] = _run_at(value["runInMs"])
    return JobPatch(**changes)


def states(names: list[str] | None) -> list[JobState]:
    return [JobState[name] for name in names or []]


def changed_out(found: Changed) -> Json:
    return {"changed": str(found.changed), "blocked": list(found.blocked), "blockedCount": str(found.blocked_count)}


def outcome(value: Json) -> Outcome:
    """The outcome that a handler answers with; a plain error is raised."""
    (kind, said), *_ = value.items()
    if kind == "success":
        return Success(base64.b64decode(said.get("resultBase64") or ""))
    if kind == "failure":
        return Failure(said["message"], retry_after=span(said.get("retryAfterMs")))
    if kind == "discard":
        return Discard(said["message"])
    if kind == "release":
        return Release(span(said.get("delayMs")))
    if kind == "throttled":
        return Throttled(said["budget"], timedelta(milliseconds=said["retryAfterMs"]))
    raise RuntimeError(said["message"])


def usage(values: list[Json] | None) -> Mapping[str, int]:
    return {value["key"]: int(value["cost"]) for value in values or []}
