"""Workers of the conformance protocol: their handlers answer at once, ask an endpoint, or wait for the harness."""

from __future__ import annotations

import asyncio
import urllib.parse
import urllib.request
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

import values
from sluicegate import Client, Failure, Handler, JobContext, Worker
from values import Json, UnsupportedError, error_out

_ENDPOINT_TIMEOUT_S = 60


class Workers:
    def __init__(self, client: Client, emit: Callable[[Json], None]) -> None:
        self._client = client
        self._emit = emit
        self._workers: dict[str, tuple[Worker, asyncio.Task[None]]] = {}
        self._waiting: dict[tuple[str, str], deque[asyncio.Future[Json]]] = defaultdict(deque)

    async def start(self, args: Json) -> None:
        name, handler = args["name"], self._handler(args)
        settings: dict[str, Any] = {
            "worker_id": args.get("workerId"),
            "lease_duration": values.span(args.get("leaseMs")),
            "ping_interval": values.span(args.get("pingMs")),
            "drain_grace": values.span(args.get("drainGraceMs")),
            "stop_grace": values.span(args.get("stopGraceMs")),
        }
        said = {key: value for key, value in settings.items() if value is not None}
        worker = Worker(self._client, queues=args["queues"], window=args["window"], **said)
        worker.handles(*args.get("types") or [])(handler)
        self._workers[name] = (worker, asyncio.create_task(self._run(name, worker)))

    async def stop(self, args: Json) -> None:
        found = self._workers.get(args["name"])
        if found is None:
            message = f"there is no worker {args['name']}"
            raise UnsupportedError(message)
        worker, work = found
        worker.stop()
        await work

    async def finish(self, args: Json) -> None:
        waiting = self._waiting.get((args["worker"], args["jobId"]))
        if not waiting:
            message = f"no handler waits for job {args['jobId']}"
            raise UnsupportedError(message)
        waiting.popleft().set_result(args)

    async def _run(self, name: str, worker: Worker) -> None:
        error: Json | None = None
        try:
            await worker.run()
        except Exception as raised:  # noqa: BLE001 - the harness is told
            error = error_out(raised)
        del self._workers[name]
        if error is not None:
            self._emit({"event": "workerEnded", "worker": name, "error": error})

    def _handler(self, args: Json) -> Handler:
        name: str = args["name"]
        if args.get("auto"):
            return lambda _: values.outcome(args["auto"])
        if args.get("http"):
            return lambda context: _ask(f"{args['http']}?{urllib.parse.urlencode({'job': context.id, 'worker': name})}")

        async def wait(context: JobContext) -> Any:
            return await self._wait_for_finish(context, name, ignores_cancel=bool(args.get("ignoreCancel")))

        return wait

    async def _wait_for_finish(self, context: JobContext, worker: str, *, ignores_cancel: bool) -> Any:
        key = (worker, context.id)
        finished: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._waiting[key].append(finished)
        self._emit(
            {
                "event": "started",
                "worker": worker,
                "jobId": context.id,
                "type": context.type,
                "attempt": context.attempt,
                "payload": values.payload_out(context.payload),
                "metadata": dict(context.metadata),
                "budgets": values.bindings_out(context.budgets),
            }
        )
        try:
            while not finished.done():
                try:
                    await asyncio.shield(finished)
                except asyncio.CancelledError:
                    reason = context.cancel_reason
                    told = {"event": "cancelled", "worker": worker, "jobId": context.id}
                    self._emit({**told, "reason": reason.value if reason else None})
                    if not ignores_cancel:
                        raise
            said = finished.result()
            for budget, used in values.usage(said.get("usage")).items():
                context.report_usage(budget, used)
            return values.outcome(said["outcome"])
        finally:
            if finished in self._waiting[key]:
                self._waiting[key].remove(finished)
            if not self._waiting[key]:
                del self._waiting[key]
            self._emit({"event": "ended", "worker": worker, "jobId": context.id})


def _ask(url: str) -> None:
    """Calls the endpoint, on the handler's own thread."""
    with urllib.request.urlopen(url, timeout=_ENDPOINT_TIMEOUT_S) as response:  # noqa: S310 - the harness' own
        if response.status != 200:
            message = f"the endpoint answered {response.status}"
            raise Failure(message)
