"""Commands of the conformance protocol, each as a call of the client's public API."""

from __future__ import annotations

import asyncio
import base64
import gc
import os
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import values
from sluicegate import Changed, Client, Job, JobSelection, Queue, Settlement
from values import Json, UnsupportedError
from workers import Workers

Command = Callable[[Json], Awaitable[Any]]


class Commands:
    def __init__(self, client: Client, emit: Callable[[Json], None]) -> None:
        self._client = client
        self._workers = Workers(client, emit)
        self._all: dict[str, Command] = {
            **self._budgets(),
            **self._bindings(),
            **self._selections(),
            "encodePolicy": self._encode_policy,
            "encodeJob": self._encode_job,
            "enqueue": self._enqueue,
            "enqueueMany": self._enqueue_many,
            "getJob": self._get_job,
            "listJobs": self._list_jobs,
            "countJobs": self._count_jobs,
            "explain": self._explain,
            "listQueues": self._list_queues,
            "pauseQueue": self._pause_queue,
            "resumeQueue": self._resume_queue,
            "leaseJobs": self._lease_jobs,
            "settleJobs": self._settle_jobs,
            "extendLeases": self._extend_leases,
            "startWorker": self._workers.start,
            "stopWorker": self._workers.stop,
            "finish": self._workers.finish,
            "resources": _resources,
        }

    async def do(self, name: str, args: Json) -> Any:
        command = self._all.get(name)
        if command is None:
            message = f"there is no command {name}"
            raise UnsupportedError(message)
        return await command(args)

    def _budgets(self) -> dict[str, Command]:
        client = self._client

        async def define(args: Json) -> Json:
            policy, replace = values.policy(args["policy"]), bool(args.get("replace"))
            return values.budget_out(await client.define_budget(args["key"], policy, replace=replace))

        async def get(args: Json) -> Json:
            return values.budget_out(await client.get_budget(args["key"]))

        async def list_all(args: Json) -> list[Json]:
            return [values.budget_out(found) async for found in client.list_budgets(args.get("pageSize") or 0)]

        async def update(args: Json) -> Json:
            patch = values.policy_patch(args["patch"])
            return values.budget_out(await client.update_budget(args["key"], patch, etag=args.get("etag") or ""))

        async def delete(args: Json) -> None:
            allow_missing = bool(args.get("allowMissing"))
            await client.delete_budget(args["key"], allow_missing=allow_missing, etag=args.get("etag") or "")

        async def block(args: Json) -> Json:
            return values.budget_out(await client.block_budget(args["key"], values.span(args.get("durationMs"))))

        async def unblock(args: Json) -> Json:
            return values.budget_out(await client.unblock_budget(args["key"]))

        async def adjust(args: Json) -> Json:
            return values.budget_out(await client.adjust_budget(args["key"], int(args["level"])))

        return {
            "defineBudget": define,
            "getBudget": get,
            "listBudgets": list_all,
            "updateBudget": update,
            "deleteBudget": delete,
            "blockBudget": block,
            "unblockBudget": unblock,
            "adjustBudget": adjust,
        }

    def _bindings(self) -> dict[str, Command]:
        """Changes of one job's bindings, by the methods of its value."""

        def by(change: Callable[[Job, Json], Awaitable[Job]]) -> Command:
            async def command(args: Json) -> Json:
                return values.job_out(await change(await self._client.get_job(args["jobId"]), args))

            return command

        return {
            "bind": by(lambda job, args: job.bind_budget(values.binding(args["budget"]))),
            "rebind": by(lambda job, args: job.rebind_budget(values.binding(args["budget"]))),
            "setCost": by(lambda job, args: job.set_cost(args["key"], int(args["cost"]))),
            "unbind": by(lambda job, args: job.unbind_budget(args["key"])),
            "unbindAll": by(lambda job, _: job.unbind_all()),
            "replaceBindings": by(lambda job, args: job.replace_budgets(values.bindings(args["budgets"]))),
        }

    def _selections(self) -> dict[str, Command]:
        """Changes of all jobs that meet a filter, by the methods of a selection."""

        def by(change: Callable[[JobSelection, Json, bool], Awaitable[Changed]]) -> Command:
            async def command(args: Json) -> Json:
                jobs = self._selection(args["filter"])
                return values.changed_out(await change(jobs, args, bool(args.get("validateOnly"))))

            return command

        return {
            "bulkBind": by(lambda jobs, args, only: jobs.bind_budget(values.binding(args["budget"]), validate_only=only)),
            "bulkRebind": by(lambda jobs, args, only: jobs.rebind_budget(values.binding(args["budget"]), validate_only=only)),
            "bulkSetCost": by(lambda jobs, args, only: jobs.set_cost(args["key"], int(args["cost"]), validate_only=only)),
            "bulkUnbind": by(lambda jobs, args, only: jobs.unbind_budget(args["key"], validate_only=only)),
            "bulkUnbindAll": by(lambda jobs, _, only: jobs.unbind_all(validate_only=only)),
            "bulkReplace": by(
                lambda jobs, args, only: jobs.replace_budgets(values.bindings(args["budgets"]), validate_only=only)
            ),
            "cancelJobs": by(lambda jobs, args, only: jobs.cancel(force=bool(args.get("stopInFlight")), validate_only=only)),
            "retryJobs": by(lambda jobs, _, only: jobs.retry(validate_only=only)),
            "deleteJobs": by(lambda jobs, _, only: jobs.delete(validate_only=only)),
            "updateJobs": by(lambda jobs, args, only: jobs.update(values.job_patch(args["patch"]), validate_only=only)),
        }

    def _selection(self, where: Json) -> JobSelection:
        """A selection by its conditions, as a user would put it together."""
        jobs = self._client.jobs()
        if where.get("all"):
            jobs = jobs.all()
        if where.get("ids") is not None:
            jobs = jobs.by_ids(*where["ids"])
        jobs = jobs.by_queue(*where.get("queues") or []).by_type(*where.get("types") or [])
        jobs = jobs.by_state(*values.states(where.get("states"))).by_budgets_key(*where.get("budgets") or [])
        return jobs.by_priority(where.get("priorityMin"), where.get("priorityMax"))

    async def _encode_policy(self, args: Json) -> str:
        return base64.b64encode(values.policy(args["policy"]).to_wire().SerializeToString(deterministic=True)).decode()

    async def _encode_job(self, args: Json) -> str:
        return base64.b64encode(values.job(args["job"]).to_wire().SerializeToString(deterministic=True)).decode()

    async def _enqueue(self, args: Json) -> Json:
        request_id = args.get("requestId") or ""
        enqueued = await self._client.enqueue(values.job(args["job"]), request_id=request_id)
        return {"job": values.job_out(enqueued.job), "existing": enqueued.existing}

    async def _enqueue_many(self, args: Json) -> list[Json]:
        jobs = [values.job(job) for job in args["jobs"]]
        enqueued = await self._client.enqueue_many(jobs, request_id=args.get("requestId"))
        return [{"id": one.id, "existing": one.existing} for one in enqueued]

    async def _get_job(self, args: Json) -> Json:
        return values.job_out(await self._client.get_job(args["jobId"]))

    async def _list_jobs(self, args: Json) -> list[Json]:
        jobs = self._selection(args["filter"]).list(args.get("pageSize") or 0)
        return [values.job_out(job) async for job in jobs]

    async def _count_jobs(self, args: Json) -> Json:
        return {"count": str(await self._selection(args["filter"]).count())}

    async def _explain(self, args: Json) -> Json:
        explanation = await self._client.explain_job(args["jobId"])
        return {"state": explanation.state.name, "holdUps": [found.name.lower() for found in explanation.hold_ups]}

    async def _list_queues(self, _: Json) -> list[Json]:
        return [_queue_out(queue) async for queue in self._client.list_queues()]

    async def _pause_queue(self, args: Json) -> Json:
        return _queue_out(await self._client.pause_queue(args["queue"]))

    async def _resume_queue(self, args: Json) -> Json:
        return _queue_out(await self._client.resume_queue(args["queue"]))

    async def _lease_jobs(self, args: Json) -> list[Json]:
        leased = await self._client.lease_jobs(
            args["workerId"],
            args["queues"],
            max_jobs=args["maxJobs"],
            wait=values.span(args.get("waitMs")),
            duration=values.span(args.get("leaseMs")),
            request_id=args.get("requestId") or "",
        )
        return [{"leaseId": job.lease_id, "job": values.job_out(job)} for job in leased]

    async def _settle_jobs(self, args: Json) -> list[str]:
        settlements = [
            Settlement(said["leaseId"], values.outcome(said["outcome"]), values.usage(said.get("usage")))
            for said in args["outcomes"]
        ]
        return [result.status.name for result in await self._client.settle_jobs(settlements)]

    async def _extend_leases(self, args: Json) -> list[str]:
        return [result.status.name for result in await self._client.extend_leases(args["leaseIds"])]


def _queue_out(queue: Queue) -> Json:
    return {"name": queue.name, "paused": queue.paused, "ready": str(queue.ready)}


async def _resources(_: Json) -> Json:
    gc.collect()
    # What has just ended may have a last callback to do.
    await asyncio.sleep(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])  # noqa: ASYNC240 - it never waits
    return {
        "threads": threading.active_count(),
        "tasks": len(asyncio.all_tasks()),
        "memoryBytes": pages * os.sysconf("SC_PAGE_SIZE"),
        "openFiles": len(os.listdir("/proc/self/fd")),  # noqa: PTH208 - names are enough
    }
