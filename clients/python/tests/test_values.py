from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from sluicegate import (
    NEVER,
    BinaryPayload,
    Binding,
    Client,
    ClientError,
    Discard,
    Failure,
    JobPatch,
    JsonPayload,
    NewJob,
    Policy,
    PolicyPatch,
    Release,
    Settlement,
    StrategyPatch,
    Success,
    Throttled,
    TimeBased,
    WhileInFlight,
)
from sluicegate.policy import policy_from_wire
from sluicegate.worker.runner import _outcome_of, _outcome_of_raised

MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    "policy",
    [
        Policy(3, WhileInFlight()),
        Policy(2**64 - 1, TimeBased(MINUTE), NEVER),
        Policy(100, TimeBased(timedelta(microseconds=1), burst=8), timedelta(0)),
    ],
)
def test_policies_survive_the_wire(policy: Policy) -> None:
    assert policy_from_wire(policy.to_wire()) == policy


@pytest.mark.parametrize("wrong", [-1, 2**64, True, 1.5, "1"])
def test_what_isnt_a_64_bit_number_is_refused_by_its_name(wrong: int) -> None:
    with pytest.raises(ClientError) as refused:
        Binding("b", wrong).to_wire()
    assert refused.value.field == "cost"


def test_instants_need_a_time_zone() -> None:
    with pytest.raises(ClientError, match="no time zone"):
        NewJob(queue="q", run_at=datetime(2026, 1, 1)).to_wire()  # noqa: DTZ001 - that is the point
    spec = NewJob(queue="q", run_at=datetime(2026, 1, 1, tzinfo=timezone.utc)).to_wire()
    assert spec.run_time.seconds == 1767225600


def test_patches_name_what_they_change() -> None:
    policy, mask = PolicyPatch(allocation=5, strategy=StrategyPatch(burst=None)).to_wire()
    assert (policy.allocation, policy.time_based.HasField("burst")) == (5, False)
    assert list(mask.paths) == ["allocation", "time_based.burst"]
    _, mask = PolicyPatch(strategy=WhileInFlight(), reserve_after=None).to_wire()
    assert list(mask.paths) == ["while_in_flight", "reserve_after"]
    for empty in (PolicyPatch(), JobPatch()):
        with pytest.raises(ClientError, match="changes nothing"):
            empty.to_wire()


def test_payloads_are_what_they_were() -> None:
    def sent(payload: object) -> tuple[str | None, object]:
        spec = NewJob(queue="q", payload=payload).to_wire()
        kind = spec.WhichOneof("payload")
        return kind, getattr(spec, kind) if kind else None

    assert sent(None) == (None, None)
    assert sent(b"\xff\x00") == ("binary", b"\xff\x00")
    assert sent(BinaryPayload(b"")) == ("binary", b"")
    assert sent({"to": "ü", "n": 2**63 - 1}) == ("json", '{"to":"ü","n":9223372036854775807}')
    assert sent(JsonPayload("[1.0, 1e400]")) == ("json", "[1.0, 1e400]")
    for wrong in (object(), float("nan"), {1: {2}}):
        with pytest.raises(ClientError, match="payload"):
            sent(wrong)


def test_every_answer_of_a_handler_is_an_outcome() -> None:
    assert _outcome_of(None) == Success()
    assert _outcome_of(b"x") == Success(b"x")
    assert _outcome_of([1, "ü"]) == Success('[1,"ü"]'.encode())
    release = Release(MINUTE)
    assert _outcome_of(release) is release

    async def forgotten() -> None: ...

    assert isinstance(_outcome_of(forgotten()), Failure)


def test_outcomes_are_found_among_causes() -> None:
    def raised(error: Exception, cause: Exception) -> BaseException:
        error.__cause__ = cause
        return error

    throttled = Throttled("b", MINUTE)
    assert _outcome_of_raised(raised(RuntimeError("sending"), throttled)) is throttled
    discard = _outcome_of_raised(raised(RuntimeError("sending"), Discard("no such receiver")))
    assert isinstance(discard, Discard)
    assert discard.message == "RuntimeError: sending: no such receiver"
    failure = _outcome_of_raised(raised(RuntimeError("sending"), Failure("later", retry_after=MINUTE)))
    assert isinstance(failure, Failure)
    assert failure.retry_after == MINUTE
    interrupted = _outcome_of_raised(SystemExit(3))
    assert isinstance(interrupted, Failure)
    assert interrupted.message == "SystemExit: 3"


def test_messages_are_cut_where_the_server_cuts_them() -> None:
    wire = Settlement("a", Failure("ü" * 3000 + "\ud800")).to_wire()
    assert wire.failure.error == "ü" * 2048


def test_addresses_are_checked_and_closed_clients_say_so() -> None:
    for wrong in ("", "http://127.0.0.1:7654"):
        with pytest.raises(ClientError, match="host:port"):
            Client(wrong)
