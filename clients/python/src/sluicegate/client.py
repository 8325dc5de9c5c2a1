"""All calls of the contract, for asyncio. Owns no decision: what is sent and what comes back is mapped elsewhere."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import grpc

from . import _wire
from .budget import Budget, budget_from_wire
from .connection import Connection, Stubs, Target
from .explain import Explanation, explanation_from_wire
from .job import Binding, JobValue, NewJob, fields_of_job
from .lease import (
    ExtendResult,
    LeasedJob,
    Settlement,
    SettleResult,
    extend_result_from_wire,
    settle_result_from_wire,
)
from .policy import Policy, PolicyPatch
from .queue import Queue, queue_from_wire
from .selection import (
    Changed,
    JobPatch,
    JobSelection,
    bind_operation,
    rebind_operation,
    replace_operation,
    set_cost_operation,
    unbind_all_operation,
    unbind_operation,
)
from .v1 import budget_service_pb2, job_pb2, job_service_pb2, queue_service_pb2

if TYPE_CHECKING:
    from typing_extensions import Self

#: The most bytes of payloads that one LeaseJobs asks for.
_LEASE_BYTES_MAX = 32 << 20

T = TypeVar("T")
Page = TypeVar("Page")


@dataclass(frozen=True)
class Job(JobValue):
    """A job as it stood at the instant of an answer. Its methods call the server and leave the value as it is.

    All changes of bindings return the job as it is then (semantics 8.1), and may be refused with JobInFlightError,
    JobFinishedError, JobNotFoundError, and where they fit BudgetNotFoundError, CostExceedsCapacityError,
    BudgetLimitReachedError.
    """

    _client: Client = field(repr=False, compare=False)

    async def bind_budget(self, binding: Binding) -> Job:
        """Adds a binding. AlreadyBoundError if there is one to this budget."""
        return await self._modify(bind_operation(binding))

    async def rebind_budget(self, binding: Binding) -> Job:
        """Replaces the binding to this budget whole, or adds it."""
        return await self._modify(rebind_operation(binding))

    async def set_cost(self, key: str, cost: int) -> Job:
        """Changes what a binding costs, in tokens. NotBoundError."""
        return await self._modify(set_cost_operation(key, cost))

    async def unbind_budget(self, key: str) -> Job:
        """Takes a binding away. NotBoundError."""
        return await self._modify(unbind_operation(key))

    async def unbind_all(self) -> Job:
        """Takes all bindings away."""
        return await self._modify(unbind_all_operation())

    async def replace_budgets(self, bindings: Sequence[Binding]) -> Job:
        """Puts these bindings in place of all there are. At most 16, each of another budget."""
        return await self._modify(replace_operation(bindings))

    async def cancel(self, *, force: bool = False) -> Changed:
        """Cancels this job, as :meth:`JobSelection.cancel` does."""
        return await self._selected().cancel(force=force)

    async def retry(self) -> Changed:
        """Makes this job ready again, as :meth:`JobSelection.retry` does."""
        return await self._selected().retry()

    async def delete(self) -> Changed:
        """Forgets this job, as :meth:`JobSelection.delete` does."""
        return await self._selected().delete()

    async def update(self, patch: JobPatch) -> Changed:
        """Changes this job, as :meth:`JobSelection.update` does."""
        return await self._selected().update(patch)

    async def explain(self) -> Explanation:
        """Why this job isn't being dispatched (semantics 12). JobNotFoundError."""
        return await self._client.explain_job(self.id)

    async def _modify(self, operation: job_service_pb2.BindingOperation) -> Job:
        request = job_service_pb2.ModifyBindingsRequest(job_id=self.id, operation=operation)
        answer: job_service_pb2.ModifyBindingsResponse = await self._client.connection.call(
            lambda stubs: stubs.jobs.ModifyBindings, request
        )
        return Job(**fields_of_job(answer.job), _client=self._client)

    def _selected(self) -> JobSelection:
        return self._client.jobs().by_ids(self.id)


@dataclass(frozen=True)
class Enqueued:
    """The job that was taken in, or was there."""

    #: As it stands now, without its payload.
    job: Job
    #: Whether a job that holds the same unique key was there, so that none was created.
    existing: bool


@dataclass(frozen=True)
class BatchEnqueued:
    """What became of one job of a batch."""

    #: The job's id.
    id: str
    #: Whether a job that holds the same unique key was there, so that none was created.
    existing: bool


class Client:
    """Talks to one server over one connection, which many tasks and workers of one event loop may share.

    It connects with the first call, and again whenever the connection is lost. All calls raise subclasses of
    :class:`~sluicegate.errors.ServerError`, :class:`~sluicegate.errors.ClientError` where nothing was sent, and
    :class:`asyncio.CancelledError` where their task is cancelled, after which whether they took effect is unknown.
    """

    def __init__(
        self,
        address: str = "127.0.0.1:7654",
        *,
        credentials: grpc.ChannelCredentials | None = None,
        metadata: Sequence[tuple[str, str]] = (),
        timeout: timedelta | None = None,
        options: Sequence[tuple[str, Any]] = (),
    ) -> None:
        """A client of the server at ``host:port``.

        :param credentials: TLS, such as ``grpc.ssl_channel_credentials()``; None: none.
        :param metadata: headers that go with each call, such as ``authorization``.
        :param timeout: the time limit of each call; None: none. Streams of workers have none.
        :param options: gRPC's own channel options; they win over this package's.
        """
        self.connection = Connection(Target(address, credentials, metadata, timeout, options))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connection, and all calls that still wait. End workers first."""
        await self.connection.close()

    async def define_budget(self, key: str, policy: Policy, *, replace: bool = False, etag: str = "") -> Budget:
        """Creates a budget; a time-based one starts full. Keys are 1 to 128 bytes of ``[A-Za-z0-9._:/@-]``.

        ConflictError where it exists, which changes nothing, so that every instance of a program may define its budgets on
        boot (semantics 7.1). ``replace`` puts the policy in place of the one there is instead; with ``etag`` only that one,
        else EtagMismatchError. CostExceedsCapacityError, BudgetLimitReachedError.
        """
        wire = policy.to_wire()
        if replace:
            replacing = budget_service_pb2.ReplaceBudgetRequest(key=key, policy=wire, allow_missing=not etag, etag=etag)
            return await self._budget(lambda stubs: stubs.budgets.ReplaceBudget, replacing)
        creating = budget_service_pb2.CreateBudgetRequest(key=key, policy=wire)
        return await self._budget(lambda stubs: stubs.budgets.CreateBudget, creating)

    async def get_budget(self, key: str) -> Budget:
        """One budget. BudgetNotFoundError."""
        return await self._budget(lambda stubs: stubs.budgets.GetBudget, budget_service_pb2.GetBudgetRequest(key=key))

    def list_budgets(self, page_size: int = 0) -> AsyncIterator[Budget]:
        """All budgets, in the order of their keys' bytes, page by page (0 to 1000 a page; 0: 100)."""
        size = _wire.uint("page_size", page_size, _wire.UINT32_MAX)

        async def page(token: str) -> budget_service_pb2.ListBudgetsResponse:
            request = budget_service_pb2.ListBudgetsRequest(page_size=size, page_token=token)
            answer: budget_service_pb2.ListBudgetsResponse = await self.connection.call(
                lambda stubs: stubs.budgets.ListBudgets, request
            )
            return answer

        return _pages(page, lambda found: (budget_from_wire(wire) for wire in found.budgets))

    async def update_budget(self, key: str, patch: PolicyPatch, *, etag: str = "") -> Budget:
        """Changes what is given of a policy and keeps the rest (semantics 7.1).

        BudgetNotFoundError, EtagMismatchError, CostExceedsCapacityError; InvalidFieldError also where what results is
        incomplete.
        """
        policy, mask = patch.to_wire()
        request = budget_service_pb2.UpdateBudgetRequest(key=key, policy=policy, update_mask=mask, etag=etag)
        return await self._budget(lambda stubs: stubs.budgets.UpdateBudget, request)

    async def delete_budget(self, key: str, *, allow_missing: bool = False, etag: str = "") -> None:
        """Deletes a budget to which nothing unfinished is bound; else BudgetInUseError (semantics 7.5).

        BudgetNotFoundError unless ``allow_missing``, EtagMismatchError with ``etag``.
        """
        request = budget_service_pb2.DeleteBudgetRequest(key=key, allow_missing=allow_missing, etag=etag)
        await self.connection.call(lambda stubs: stubs.budgets.DeleteBudget, request)

    async def block_budget(self, key: str, duration: timedelta | None = None) -> Budget:
        """Lets a budget dispatch nothing for a while (up to 366 d), or until unblocked (semantics 9.4).

        Where it is blocked already the later end holds. BudgetNotFoundError.
        """
        request = budget_service_pb2.BlockBudgetRequest(key=key, duration=_wire.duration_or_none("duration", duration))
        return await self._budget(lambda stubs: stubs.budgets.BlockBudget, request)

    async def unblock_budget(self, key: str) -> Budget:
        """Ends a block, and whatever workers reported as throttled (semantics 9.4). BudgetNotFoundError."""
        request = budget_service_pb2.UnblockBudgetRequest(key=key)
        return await self._budget(lambda stubs: stubs.budgets.UnblockBudget, request)

    async def adjust_budget(self, key: str, level: int) -> Budget:
        """Sets the level of a time-based pool in tokens, 0 to its capacity (semantics 9.5).

        BudgetNotFoundError, InvalidFieldError for a budget while in flight.
        """
        request = budget_service_pb2.AdjustBudgetRequest(key=key, level=_wire.uint("level", level))
        return await self._budget(lambda stubs: stubs.budgets.AdjustBudget, request)

    async def enqueue(self, job: NewJob, *, request_id: str = "") -> Enqueued:
        """Takes in one job.

        InvalidFieldError, BudgetNotFoundError, CostExceedsCapacityError, BudgetLimitReachedError. After UnavailableError and
        StoreUnavailableError it may have been taken in: give a ``request_id`` (1 to 128 bytes, best a random UUID, known for
        10 min) and repeat the call with it.
        """
        request = job_service_pb2.EnqueueRequest(job=job.to_wire(), request_id=request_id)
        answer: job_service_pb2.EnqueueResponse = await self.connection.call(lambda stubs: stubs.jobs.Enqueue, request)
        return Enqueued(self._job(answer.job), answer.existing)

    async def enqueue_many(self, jobs: Iterable[NewJob], *, request_id: str | None = None) -> list[BatchEnqueued]:
        """Takes in jobs in this order: all of them, or none. 1 to 10,000.

        Refused as :meth:`enqueue` is, naming ``jobs[i]``. The call has a request id, a random one where none is given, and is
        repeated with it a few times, for about a second in all, while the server is unavailable.
        """
        request = job_service_pb2.BatchEnqueueRequest(
            jobs=[job.to_wire() for job in jobs], request_id=request_id or _wire.random_id()
        )
        answer: job_service_pb2.BatchEnqueueResponse = await self.connection.call(
            lambda stubs: stubs.jobs.BatchEnqueue, request
        )
        return [BatchEnqueued(found.id, found.existing) for found in answer.jobs]

    async def get_job(self, job_id: str) -> Job:
        """One job, all of it. JobNotFoundError, also once it is removed."""
        request = job_service_pb2.GetJobRequest(job_id=job_id, view=job_pb2.JobView.JOB_VIEW_FULL)
        answer: job_service_pb2.GetJobResponse = await self.connection.call(lambda stubs: stubs.jobs.GetJob, request)
        return self._job(answer.job)

    def jobs(self) -> JobSelection:
        """Selects no particular jobs yet."""
        return JobSelection(self)

    def list_jobs(self, selection: JobSelection | None = None, page_size: int = 0) -> AsyncIterator[Job]:
        """The jobs of a selection; all where there is none. See :meth:`JobSelection.list`."""
        where = (selection or self.jobs()).to_wire()
        size = _wire.uint("page_size", page_size, _wire.UINT32_MAX)

        async def page(token: str) -> job_service_pb2.ListJobsResponse:
            request = job_service_pb2.ListJobsRequest(filter=where, page_size=size, page_token=token)
            answer: job_service_pb2.ListJobsResponse = await self.connection.call(lambda stubs: stubs.jobs.ListJobs, request)
            return answer

        return _pages(page, lambda found: (self._job(wire) for wire in found.jobs))

    async def count_jobs(self, selection: JobSelection | None = None) -> int:
        """How many jobs a selection has; all where there is none."""
        request = job_service_pb2.CountJobsRequest(filter=(selection or self.jobs()).to_wire())
        answer: job_service_pb2.CountJobsResponse = await self.connection.call(lambda stubs: stubs.jobs.CountJobs, request)
        return answer.count

    async def explain_job(self, job_id: str) -> Explanation:
        """Why a job isn't being dispatched (semantics 12). JobNotFoundError."""
        request = job_service_pb2.ExplainJobRequest(job_id=job_id)
        answer: job_service_pb2.ExplainJobResponse = await self.connection.call(lambda stubs: stubs.jobs.ExplainJob, request)
        return explanation_from_wire(answer.explanation)

    def list_queues(self, page_size: int = 0) -> AsyncIterator[Queue]:
        """All queues, in the order of their names' bytes, page by page (0 to 1000 a page; 0: 100)."""
        size = _wire.uint("page_size", page_size, _wire.UINT32_MAX)

        async def page(token: str) -> queue_service_pb2.ListQueuesResponse:
            request = queue_service_pb2.ListQueuesRequest(page_size=size, page_token=token)
            answer: queue_service_pb2.ListQueuesResponse = await self.connection.call(
                lambda stubs: stubs.queues.ListQueues, request
            )
            return answer

        return _pages(page, lambda found: (queue_from_wire(wire) for wire in found.queues))

    async def pause_queue(self, name: str) -> Queue:
        """Lets a queue dispatch nothing until it is resumed. QueueNotFoundError."""
        request = queue_service_pb2.PauseQueueRequest(name=name)
        answer: queue_service_pb2.PauseQueueResponse = await self.connection.call(
            lambda stubs: stubs.queues.PauseQueue, request
        )
        return queue_from_wire(answer.queue)

    async def resume_queue(self, name: str) -> Queue:
        """Lets a paused queue go on. QueueNotFoundError."""
        request = queue_service_pb2.ResumeQueueRequest(name=name)
        answer: queue_service_pb2.ResumeQueueResponse = await self.connection.call(
            lambda stubs: stubs.queues.ResumeQueue, request
        )
        return queue_from_wire(answer.queue)

    async def lease_jobs(
        self,
        worker_id: str,
        queues: Sequence[str],
        *,
        max_jobs: int = 1,
        wait: timedelta | None = None,
        duration: timedelta | None = None,
        request_id: str = "",
    ) -> list[LeasedJob]:
        """Leases jobs without a worker, for programs that do with little: whoever leases extends and settles.

        Answers as soon as a job can be dispatched, with what can be at that instant, in rank order; with none after ``wait``
        (0 to 30 s). 1 to 64 queues, 1 to 1000 jobs, leases of 1 s to 24 h (30 s by default). A repeat with the same
        ``request_id`` returns those leases of the first that are still live.
        """
        request = job_service_pb2.LeaseJobsRequest(
            worker_id=worker_id,
            queues=queues,
            max_jobs=_wire.uint("max_jobs", max_jobs, _wire.UINT32_MAX),
            max_bytes=_LEASE_BYTES_MAX,
            lease_duration=_wire.duration_or_none("duration", duration),
            wait=_wire.duration_or_none("wait", wait),
            request_id=request_id,
        )
        answer: job_service_pb2.LeaseJobsResponse = await self.connection.call(lambda stubs: stubs.jobs.LeaseJobs, request)
        return [LeasedJob(**fields_of_job(found.job, found.lease)) for found in answer.jobs]

    async def settle_jobs(self, settlements: Iterable[Settlement]) -> list[SettleResult]:
        """Ends leases, 1 to 1000, each for itself: results are in the same order, and a bad one fails no other."""
        request = job_service_pb2.SettleJobsRequest(outcomes=[settlement.to_wire() for settlement in settlements])
        answer: job_service_pb2.SettleJobsResponse = await self.connection.call(lambda stubs: stubs.jobs.SettleJobs, request)
        return [settle_result_from_wire(result) for result in answer.results]

    async def extend_leases(self, lease_ids: Iterable[str]) -> list[ExtendResult]:
        """Prolongs leases, 1 to 1000, each by its own duration from now. Results are in the same order."""
        request = job_service_pb2.ExtendLeasesRequest(lease_ids=lease_ids)
        answer: job_service_pb2.ExtendLeasesResponse = await self.connection.call(
            lambda stubs: stubs.jobs.ExtendLeases, request
        )
        return [extend_result_from_wire(result) for result in answer.results]

    async def _budget(self, method: Callable[[Stubs], Callable[..., Awaitable[Any]]], request: object) -> Budget:
        answer = await self.connection.call(method, request)
        return budget_from_wire(answer.budget)

    def _job(self, wire: job_pb2.Job) -> Job:
        return Job(**fields_of_job(wire), _client=self)


async def _pages(page: Callable[[str], Awaitable[Page]], entries: Callable[[Page], Iterable[T]]) -> AsyncIterator[T]:
    token = ""
    while True:
        found = await page(token)
        for entry in entries(found):
            yield entry
        token = getattr(found, "next_page_token", "")
        if not token:
            return
