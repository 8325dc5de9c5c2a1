"""Does the jobs that the producer enqueues, until it is told to end by SIGTERM or Ctrl-C."""

import asyncio
import os

from sluicegate import Client, JobContext, Worker


async def main() -> None:
    """Work."""
    async with Client(os.environ.get("SLUICEGATE_SERVER", "127.0.0.1:7654")) as client:
        worker = Worker(client, queues=["emails"], window=16)

        @worker.handles("welcome")
        async def welcome(job: JobContext) -> None:
            print(f"welcome, {job.json()['to']}", flush=True)

        # A signal drains: nothing more is taken, and what was begun is finished.
        await worker.run_until_signal()


asyncio.run(main())
