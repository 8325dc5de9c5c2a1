"""Jobs by conditions, and changes of all that meet them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from google.protobuf.field_mask_pb2 import FieldMask

from . import _wire
from .errors import ClientError
from .job import Backoff, Binding, JobState, Retention
from .v1 import job_filter_pb2, job_pb2
from .v1 import job_service_pb2 as pb

if TYPE_CHECKING:
    from .client import Client, Job


@dataclass(frozen=True)
class Changed:
    """What a call over a selection did."""

    #: How many jobs were changed.
    changed: int
    #: Jobs that should have been changed and couldn't, mostly since they are in flight: the first 1000 by id.
    blocked: tuple[str, ...]
    #: How many these are, those not listed included.
    blocked_count: int


class _ChangeAnswer(Protocol):
    changed: int
    blocked_count: int

    @property
    def blocked(self) -> Sequence[str]: ...


def changed_from_wire(wire: _ChangeAnswer) -> Changed:
    """What an answer says."""
    return Changed(wire.changed, tuple(wire.blocked), wire.blocked_count)


class _Keep(Enum):
    KEEP = "keep"


_KEEP: Final = _Keep.KEEP
_Kept = Literal[_Keep.KEEP]


@dataclass(frozen=True, kw_only=True)
class JobPatch:
    """Changes of scheduled and ready jobs. What isn't given stays; None is the server's default."""

    queue: str | _Kept = _KEEP
    type: str | _Kept = _KEEP
    #: 0 for the most urgent to 65535.
    priority: int | _Kept | None = _KEEP
    #: None: at once.
    run_at: datetime | _Kept | None = _KEEP
    #: 1 to 1000.
    max_attempts: int | _Kept | None = _KEEP
    backoff: Backoff | _Kept | None = _KEEP
    retention: Retention | _Kept | None = _KEEP

    def to_wire(self) -> tuple[job_pb2.JobSpec, FieldMask]:
        """The values, and the paths that say which of them count."""
        spec, paths = job_pb2.JobSpec(), list[str]()
        if self.queue is not _KEEP:
            spec.queue = self.queue
            paths.append("queue")
        if self.type is not _KEEP:
            spec.type = self.type
            paths.append("type")
        if self.priority is not _KEEP:
            if self.priority is not None:
                spec.priority = _wire.uint("priority", self.priority, _wire.UINT32_MAX)
            paths.append("priority")
        if self.run_at is not _KEEP:
            at = self.run_at if self.run_at is not None else datetime.now(timezone.utc)
            spec.run_time.CopyFrom(_wire.timestamp("run_at", at))
            paths.append("run_time")
        if self.max_attempts is not _KEEP:
            if self.max_attempts is not None:
                spec.max_attempts = _wire.uint("max_attempts", self.max_attempts, _wire.UINT32_MAX)
            paths.append("max_attempts")
        if self.backoff is not _KEEP:
            if self.backoff is not None:
                spec.backoff.CopyFrom(self.backoff.to_wire())
            paths.append("backoff")
        if self.retention is not _KEEP:
            if self.retention is not None:
                spec.retention.CopyFrom(self.retention.to_wire())
            paths.append("retention")
        if not paths:
            raise ClientError("the patch changes nothing: give a field")
        return spec, FieldMask(paths=paths)


def bind_operation(binding: Binding) -> pb.BindingOperation:
    """Adds a binding."""
    return pb.BindingOperation(bind=binding.to_wire())


def rebind_operation(binding: Binding) -> pb.BindingOperation:
    """Replaces the binding to a budget, or adds it."""
    return pb.BindingOperation(rebind=binding.to_wire())


def set_cost_operation(key: str, cost: int) -> pb.BindingOperation:
    """Changes what a binding costs."""
    return pb.BindingOperation(set_cost=pb.SetBindingCost(budget=key, cost=_wire.uint("cost", cost)))


def unbind_operation(key: str) -> pb.BindingOperation:
    """Takes a binding away."""
    return pb.BindingOperation(unbind=pb.Unbind(budget=key))


def unbind_all_operation() -> pb.BindingOperation:
    """Takes all bindings away."""
    return pb.BindingOperation(unbind_all=pb.UnbindAll())


def replace_operation(bindings: Sequence[Binding]) -> pb.BindingOperation:
    """Puts these bindings in place of all there are."""
    return pb.BindingOperation(replace_all=pb.ReplaceBindings(bindings=[binding.to_wire() for binding in bindings]))


@dataclass(frozen=True)
class _Conditions:
    ids: tuple[str, ...] | None = None
    queues: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    states: tuple[JobState, ...] = ()
    budgets: tuple[str, ...] = ()
    priority_min: int | None = None
    priority_max: int | None = None
    created_from: datetime | None = None
    created_until: datetime | None = None
    run_from: datetime | None = None
    run_until: datetime | None = None


@dataclass(frozen=True)
class JobSelection:
    """The jobs that meet all conditions; of one condition's list, any entry.

    Each method returns another selection and leaves this one as it is. One without any condition lists and counts all jobs,
    but changes none: that takes :meth:`all`. Up to 10,000 jobs are changed in one commit; beyond, an interrupted call stays
    part-done, and repeating it finishes (semantics 8.2).
    """

    _client: Client = field(repr=False, compare=False)
    _conditions: _Conditions = _Conditions()
    _all: bool = False

    def all(self) -> JobSelection:
        """Every job. It doesn't go together with other conditions."""
        return replace(self, _all=True)

    def by_ids(self, *ids: str) -> JobSelection:
        """The jobs with these ids, at most 10,000 in all; without any, none. Ids that no job has are no error."""
        return self._with(ids=(self._conditions.ids or ()) + ids)

    def by_queue(self, *names: str) -> JobSelection:
        """The jobs in these queues. At most 100 in all."""
        return self._with(queues=self._conditions.queues + names)

    def by_type(self, *types: str) -> JobSelection:
        """The jobs of these types; an empty one selects jobs without. At most 100 in all."""
        return self._with(types=self._conditions.types + types)

    def by_state(self, *states: JobState) -> JobSelection:
        """The jobs in these states."""
        return self._with(states=self._conditions.states + states)

    def by_budgets_key(self, *keys: str) -> JobSelection:
        """The jobs bound to one of these budgets, which need not exist. At most 100 in all."""
        return self._with(budgets=self._conditions.budgets + keys)

    def by_priority(self, least: int | None = None, most: int | None = None) -> JobSelection:
        """The jobs of these priorities, both included; None: no bound."""
        return self._with(priority_min=least, priority_max=most)

    def created_between(self, start: datetime | None = None, end: datetime | None = None) -> JobSelection:
        """The jobs enqueued from ``start`` on and before ``end``; None: no bound."""
        return self._with(created_from=start, created_until=end)

    def running_between(self, start: datetime | None = None, end: datetime | None = None) -> JobSelection:
        """The jobs whose run time is from ``start`` on and before ``end``; None: no bound."""
        return self._with(run_from=start, run_until=end)

    def to_wire(self, *, changes: bool = False) -> job_filter_pb2.JobFilter:
        """The selection as the contract's message."""
        found = self._conditions
        if changes and not self._all and found == _Conditions():
            raise ClientError("the selection has no condition, and would change every job: say all() for that", "filter")
        return job_filter_pb2.JobFilter(
            ids=job_filter_pb2.JobIds(ids=found.ids) if found.ids is not None else None,
            queues=found.queues,
            types=found.types,
            states=[f"JOB_STATE_{state.name}" for state in found.states],
            budgets=found.budgets,
            priority_min=_wire.uint_or_none("priority_min", found.priority_min, _wire.UINT32_MAX),
            priority_max=_wire.uint_or_none("priority_max", found.priority_max, _wire.UINT32_MAX),
            created_from=_wire.timestamp_or_none("created_from", found.created_from),
            created_until=_wire.timestamp_or_none("created_until", found.created_until),
            run_from=_wire.timestamp_or_none("run_from", found.run_from),
            run_until=_wire.timestamp_or_none("run_until", found.run_until),
            all=self._all,
        )

    def list(self, page_size: int = 0) -> AsyncIterator[Job]:
        """The jobs, in the order of their ids, page by page (0 to 1000 a page; 0: 100), without their payloads."""
        return self._client.list_jobs(self, page_size)

    def __aiter__(self) -> AsyncIterator[Job]:
        return self.list()

    async def count(self) -> int:
        """How many these are."""
        return await self._client.count_jobs(self)

    async def bind_budget(self, binding: Binding, *, validate_only: bool = False) -> Changed:
        """Adds a binding to the jobs that have none to this budget.

        A change of bindings that is invalid for any selected job refuses the whole call, and nothing changes:
        BudgetNotFoundError, CostExceedsCapacityError, BudgetLimitReachedError, InvalidFieldError.
        """
        return await self._modify(bind_operation(binding), validate_only)

    async def rebind_budget(self, binding: Binding, *, validate_only: bool = False) -> Changed:
        """Replaces the jobs' bindings to this budget whole, or adds them."""
        return await self._modify(rebind_operation(binding), validate_only)

    async def set_cost(self, key: str, cost: int, *, validate_only: bool = False) -> Changed:
        """Changes what the jobs' bindings to a budget cost, in tokens, where they have one."""
        return await self._modify(set_cost_operation(key, cost), validate_only)

    async def unbind_budget(self, key: str, *, validate_only: bool = False) -> Changed:
        """Takes the jobs' bindings to a budget away."""
        return await self._modify(unbind_operation(key), validate_only)

    async def unbind_all(self, *, validate_only: bool = False) -> Changed:
        """Takes all bindings away."""
        return await self._modify(unbind_all_operation(), validate_only)

    async def replace_budgets(self, bindings: Sequence[Binding], *, validate_only: bool = False) -> Changed:
        """Puts these bindings in place of all there are. At most 16, each of another budget."""
        return await self._modify(replace_operation(bindings), validate_only)

    async def cancel(self, *, force: bool = False, validate_only: bool = False) -> Changed:
        """Ends jobs that are scheduled or ready, and asks the workers of those in flight, which are among the blocked.

        ``force`` ends their leases as well, and frees their holds at once, though their handlers may still run: the promise
        of a budget while in flight doesn't cover them (semantics 6.1, 13).
        """
        request = pb.CancelJobsRequest(filter=self.to_wire(changes=True), force=force, validate_only=validate_only)
        return await self._change(lambda jobs: jobs.CancelJobs, request)

    async def retry(self, *, validate_only: bool = False) -> Changed:
        """Makes dead and cancelled jobs ready, attempts reset, and those that wait for their backoff (semantics 6.5)."""
        request = pb.RetryJobsRequest(filter=self.to_wire(changes=True), validate_only=validate_only)
        return await self._change(lambda jobs: jobs.RetryJobs, request)

    async def delete(self, *, validate_only: bool = False) -> Changed:
        """Forgets the jobs, but for those in flight, which are among the blocked."""
        request = pb.DeleteJobsRequest(filter=self.to_wire(changes=True), validate_only=validate_only)
        return await self._change(lambda jobs: jobs.DeleteJobs, request)

    async def update(self, patch: JobPatch, *, validate_only: bool = False) -> Changed:
        """Changes what is given of the jobs that are scheduled or ready."""
        job, mask = patch.to_wire()
        where = self.to_wire(changes=True)
        request = pb.UpdateJobsRequest(filter=where, job=job, update_mask=mask, validate_only=validate_only)
        return await self._change(lambda jobs: jobs.UpdateJobs, request)

    async def _modify(self, operation: pb.BindingOperation, validate_only: bool) -> Changed:  # noqa: FBT001 - inner
        where = self.to_wire(changes=True)
        request = pb.BulkModifyBindingsRequest(filter=where, operation=operation, validate_only=validate_only)
        return await self._change(lambda jobs: jobs.BulkModifyBindings, request)

    async def _change(self, method: Callable[[Any], Any], request: object) -> Changed:
        answer: _ChangeAnswer = await self._client.connection.call(lambda stubs: method(stubs.jobs), request)
        return changed_from_wire(answer)

    def _with(self, **conditions: Any) -> JobSelection:
        return replace(self, _conditions=replace(self._conditions, **conditions))
