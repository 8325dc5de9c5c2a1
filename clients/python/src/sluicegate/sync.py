"""A producer for programs without asyncio: defines budgets, enqueues and looks at jobs. Workers are asyncio's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any

import grpc

from . import _wire
from .budget import Budget, budget_from_wire
from .client import BatchEnqueued
from .connection import Stubs, Target
from .errors import ClientError, from_rpc
from .job import JobValue, NewJob, fields_of_job
from .policy import Policy, PolicyPatch
from .v1 import budget_service_pb2, job_pb2, job_service_pb2

if TYPE_CHECKING:
    from typing_extensions import Self


class SyncClient:
    """Talks to one server over one connection, which many threads may share.

    Its methods are those of :class:`~sluicegate.Client` of the same names, and raise the same errors.
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
        """As :class:`~sluicegate.Client`."""
        self._target = Target(address, credentials, metadata, timeout, options)
        self._channel = self._target.sync()
        self._stubs = Stubs(self._channel)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection, and all calls that still wait."""
        self._channel.close()

    def define_budget(self, key: str, policy: Policy, *, replace: bool = False) -> Budget:
        """Creates a budget, or with ``replace`` puts the policy in place of the one there is."""
        if replace:
            request: object = budget_service_pb2.ReplaceBudgetRequest(key=key, policy=policy.to_wire(), allow_missing=True)
            return budget_from_wire(self._call(lambda stubs: stubs.budgets.ReplaceBudget, request).budget)
        request = budget_service_pb2.CreateBudgetRequest(key=key, policy=policy.to_wire())
        return budget_from_wire(self._call(lambda stubs: stubs.budgets.CreateBudget, request).budget)

    def get_budget(self, key: str) -> Budget:
        """One budget."""
        request = budget_service_pb2.GetBudgetRequest(key=key)
        return budget_from_wire(self._call(lambda stubs: stubs.budgets.GetBudget, request).budget)

    def update_budget(self, key: str, patch: PolicyPatch, *, etag: str = "") -> Budget:
        """Changes what is given of a policy and keeps the rest."""
        policy, mask = patch.to_wire()
        request = budget_service_pb2.UpdateBudgetRequest(key=key, policy=policy, update_mask=mask, etag=etag)
        return budget_from_wire(self._call(lambda stubs: stubs.budgets.UpdateBudget, request).budget)

    def enqueue(self, job: NewJob, *, request_id: str = "") -> BatchEnqueued:
        """Takes in one job."""
        request = job_service_pb2.EnqueueRequest(job=job.to_wire(), request_id=request_id)
        answer: job_service_pb2.EnqueueResponse = self._call(lambda stubs: stubs.jobs.Enqueue, request)
        return BatchEnqueued(answer.job.id, answer.existing)

    def enqueue_many(self, jobs: Iterable[NewJob], *, request_id: str | None = None) -> list[BatchEnqueued]:
        """Takes in jobs in this order: all of them, or none."""
        request = job_service_pb2.BatchEnqueueRequest(
            jobs=[job.to_wire() for job in jobs], request_id=request_id or _wire.random_id()
        )
        answer: job_service_pb2.BatchEnqueueResponse = self._call(lambda stubs: stubs.jobs.BatchEnqueue, request)
        return [BatchEnqueued(found.id, found.existing) for found in answer.jobs]

    def get_job(self, job_id: str) -> JobValue:
        """One job, all of it."""
        request = job_service_pb2.GetJobRequest(job_id=job_id, view=job_pb2.JobView.JOB_VIEW_FULL)
        answer: job_service_pb2.GetJobResponse = self._call(lambda stubs: stubs.jobs.GetJob, request)
        return JobValue(**fields_of_job(answer.job))

    def _call(self, method: Callable[[Stubs], Callable[..., Any]], request: object) -> Any:
        try:
            return method(self._stubs)(request, timeout=self._target.timeout, metadata=self._target.metadata)
        except grpc.RpcError as error:
            raise from_rpc(error) from None
        except ValueError as error:
            # A closed channel, or what can't be encoded, such as text that isn't Unicode.
            raise ClientError(str(error)) from error
