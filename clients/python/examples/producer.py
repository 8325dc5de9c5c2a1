"""Defines a budget and enqueues jobs that are bound to it, one for each argument."""

import asyncio
import os
import sys
from datetime import timedelta

from sluicegate import Binding, Client, ConflictError, NewJob, Policy, TimeBased, WhileInFlight


async def main(receivers: list[str]) -> None:
    """Produce."""
    async with Client(os.environ.get("SLUICEGATE_SERVER", "127.0.0.1:7654")) as client:
        try:
            # 100 a minute, at most 8 at a stroke. Every instance may define it on boot.
            await client.define_budget("smtp", Policy(100, TimeBased(timedelta(minutes=1), burst=8)))
        except ConflictError:
            pass  # It keeps the policy that it has.

        # At most 4 at once for each receiver; the budget comes with its first job.
        per_receiver = Policy(4, WhileInFlight())
        jobs = [
            NewJob(
                queue="emails",
                type="welcome",
                payload={"to": receiver},
                budgets=[Binding("smtp"), Binding(f"to:{receiver}", create_with=per_receiver)],
            )
            for receiver in receivers
        ]
        for enqueued in await client.enqueue_many(jobs):
            print(f"enqueued {enqueued.id}")


asyncio.run(main(sys.argv[1:]))
