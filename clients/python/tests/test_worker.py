"""Workers and producers against a real server. What all clients do alike is the conformance script's to prove."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from sluicegate import (
    Binding,
    Client,
    ClientError,
    ConflictError,
    JobContext,
    JobState,
    NewJob,
    Policy,
    PolicyPatch,
    Retention,
    StrategyPatch,
    SyncClient,
    TimeBased,
    WhileInFlight,
    Worker,
    trace,
)
from sluicegate.errors import BudgetNotFoundError, InvalidFieldError, SessionSupersededError

PATIENCE_S = 60
KEPT = Retention(completed=timedelta(minutes=1))
PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def run(test: Callable[[Client], Awaitable[None]], address: str) -> None:
    async def bounded() -> None:
        async with Client(address) as client:
            await asyncio.wait_for(test(client), PATIENCE_S)

    asyncio.run(bounded())


@asynccontextmanager
async def working(client: Client, **settings: Any) -> AsyncIterator[Worker]:
    """Run a worker for the body, and drain it."""
    worker = Worker(client, queues=["q"], **settings)
    work = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        worker.stop()
        await work


async def until_none_is_left(client: Client, but: int = 0) -> None:
    while await client.jobs().by_queue("q").by_state(JobState.READY, JobState.IN_FLIGHT).count() > but:
        await asyncio.sleep(0.005)


def test_a_job_goes_from_its_producer_to_its_handler_and_its_result_comes_back(server: str) -> None:
    async def test(client: Client) -> None:
        bound = Binding("b", create_with=Policy(1, WhileInFlight()))
        with trace.use(PARENT):
            new = NewJob(queue="q", type="sum", payload=[1, 2**63 - 1], budgets=[bound], retention=KEPT)
        enqueued = await client.enqueue(new)
        seen: list[Any] = []

        async def add(job: JobContext) -> dict[str, int]:
            seen.extend([job.json(), dict(trace.current()), job.budgets])
            return {"sum": 3}

        async with working(client, handlers={"sum": add}) as worker:
            await until_none_is_left(client)
        job = await client.get_job(enqueued.job.id)
        assert job.state is JobState.COMPLETED
        assert json.loads(job.result) == {"sum": 3}
        assert seen == [[1, 2**63 - 1], {}, (Binding("b", 1),)]
        assert worker.stats.succeeded == 1

    run(test, server)


def test_what_a_handler_enqueues_goes_on_with_its_trace(server: str) -> None:
    async def test(client: Client) -> None:
        with trace.use(PARENT, "vendor=1"):
            await client.enqueue(NewJob(queue="q", type="first"))

        async def first(_: JobContext) -> None:
            await client.enqueue(NewJob(queue="other", metadata={"more": "yes"}))

        async with working(client, handler=first):
            await until_none_is_left(client)
        (job,) = [job async for job in client.jobs().by_queue("other")]
        found = await client.get_job(job.id)
        assert found.metadata == {"traceparent": PARENT, "tracestate": "vendor=1", "more": "yes"}

    run(test, server)


def test_handlers_that_block_hold_up_nobody(server: str) -> None:
    async def test(client: Client) -> None:
        release, begun = threading.Event(), threading.Event()

        def slow(job: JobContext) -> None:
            begun.set()
            while not release.wait(0.01) and not job.is_cancelled():
                pass

        await client.enqueue(NewJob(queue="q", type="slow"))
        async with working(
            client, window=2, handlers={"slow": slow}, handler=lambda _: None, lease_duration=timedelta(seconds=1)
        ):
            await asyncio.to_thread(begun.wait)
            # Longer than the lease that was granted: it must be extended meanwhile.
            await client.enqueue_many([NewJob(queue="q") for _ in range(50)])
            await until_none_is_left(client, but=1)
            explained = [job async for job in client.jobs().by_type("slow")]
            assert [(job.state, job.attempts) for job in explained] == [(JobState.IN_FLIGHT, 0)]
            release.set()
            await until_none_is_left(client)

    run(test, server)


def test_a_drain_gives_back_what_was_told_to_stop(server: str) -> None:
    async def test(client: Client) -> None:
        enqueued = await client.enqueue(NewJob(queue="q", max_attempts=1))
        begun = asyncio.Event()

        async def endless(_: JobContext) -> None:
            begun.set()
            await asyncio.Event().wait()

        async with working(client, handler=endless, drain_grace=timedelta(0)):
            await begun.wait()
        job = await client.get_job(enqueued.job.id)
        assert (job.state, job.attempts) == (JobState.READY, 0)

    run(test, server)


def test_whatever_a_handler_raises_is_its_jobs_failure(server: str) -> None:
    async def test(client: Client) -> None:
        def ends(_: JobContext) -> None:
            raise SystemExit(3)

        async def cancels(_: JobContext) -> None:
            raise asyncio.CancelledError

        jobs = [NewJob(queue="q", type=kind, max_attempts=1) for kind in ("ends", "cancels", "unknown")]
        enqueued = await client.enqueue_many(jobs)
        async with working(client, handlers={"ends": ends, "cancels": cancels}) as worker:
            await until_none_is_left(client)
        found = [await client.get_job(one.id) for one in enqueued]
        assert [job.state for job in found] == [JobState.DEAD] * 3
        words = [job.errors[0].message for job in found]
        assert words == ["SystemExit: 3", "the handler was cancelled", "this worker has no handler for jobs of type `unknown`"]
        assert worker.stats.failed == 3

    run(test, server)


def test_a_worker_ends_where_coming_back_is_of_no_use(server: str) -> None:
    async def test(client: Client) -> None:
        older = Worker(client, queues=["q"], worker_id="w", handler=lambda _: None)
        work = asyncio.create_task(older.run())
        while older.stats.connects == 0:
            await asyncio.sleep(0.005)
        async with working(client, worker_id="w", handler=lambda _: None):
            with pytest.raises(SessionSupersededError):
                await work
        with pytest.raises(InvalidFieldError):
            await Worker(client, queues=["no name!"], handler=lambda _: None).run()
        with pytest.raises(ClientError, match="runs once"):
            await older.run()

    run(test, server)


def test_what_is_refused_is_told_by_its_class(server: str) -> None:
    async def test(client: Client) -> None:
        smtp = Policy(100, TimeBased(timedelta(minutes=1), burst=8))
        await client.define_budget("smtp", smtp)
        with pytest.raises(ConflictError) as conflict:
            await client.define_budget("smtp", smtp)
        assert conflict.value.metadata == {"budget": "smtp"}
        cleared = await client.update_budget("smtp", PolicyPatch(strategy=StrategyPatch(burst=None)))
        assert cleared.policy.strategy == TimeBased(timedelta(minutes=1))
        with pytest.raises(BudgetNotFoundError):
            await client.enqueue(NewJob(queue="q", budgets=[Binding("none")]))
        with pytest.raises(InvalidFieldError) as invalid:
            await client.enqueue_many([NewJob(queue="q")] * 10_001)
        assert [violation.field for violation in invalid.value.fields] == ["jobs"]
        with pytest.raises(ClientError, match=r"all\(\)"):
            await client.jobs().cancel()

    run(test, server)


def test_a_producer_needs_no_asyncio(server: str) -> None:
    with SyncClient(server) as client:
        client.define_budget("b", Policy(3, WhileInFlight()))
        client.define_budget("b", Policy(4, WhileInFlight()), replace=True)
        with pytest.raises(ConflictError):
            client.define_budget("b", Policy(3, WhileInFlight()))
        patched = client.update_budget("b", PolicyPatch(allocation=5))
        assert (patched.policy.allocation, client.get_budget("b").etag) == (5, patched.etag)
        one = client.enqueue(NewJob(queue="q", payload="x", budgets=[Binding("b")]), request_id="once")
        assert client.enqueue(NewJob(queue="q", payload="x", budgets=[Binding("b")]), request_id="once") == one
        many = client.enqueue_many([NewJob(queue="q")] * 3)
        assert client.get_job(one.id).json() == "x"
        assert len({one.id, *(job.id for job in many)}) == 4
    with pytest.raises(ClientError):
        client.get_budget("b")
