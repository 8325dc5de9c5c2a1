/** Workers and producers against a real server. What all clients do alike is the conformance script's to prove. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";

import type { JobContext, WorkerOptions } from "@sluicegate/client";
import { BudgetNotFoundError, Client, ClientError, ConflictError, JsonText, Worker } from "@sluicegate/client";

import { skip, withServer } from "./server.js";

const quiet = { skip, timeout: 60_000 };

/** Runs a worker for the body of a test, and drains it. */
async function working(client: Client, options: Omit<WorkerOptions, "logger">, body: () => Promise<void>): Promise<Worker> {
  const shutdown = new AbortController();
  const worker = new Worker(client, { ...options, logger: null });
  const ended = worker.run({ signal: shutdown.signal });
  try {
    await body();
  } finally {
    shutdown.abort();
    await ended;
  }
  return worker;
}

/** A promise and what fulfils it. */
function signal<T>(): { promise: Promise<T>; give: (value: T) => void } {
  let give: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    give = resolve;
  });
  return { promise, give };
}

test("a job goes from its producer to its handler, and its result comes back", quiet, () =>
  withServer(async (address) => {
    const client = new Client(address);
    const { job } = await client.enqueue({
      ...{ queue: "q", type: "sum", payload: new JsonText("[1, 9223372036854775807]"), retention: { completedMs: 60_000 } },
      budgets: [{ key: "b", createWith: { allocation: 1, strategy: { type: "while_in_flight" } } }],
    });
    const done = signal<string>();
    const sum = (context: JobContext) => {
      done.give(String(context.job.payloadText));
      return { sum: 3 };
    };
    const worker = await working(client, { queues: ["q"], handlers: { sum } }, async () => {
      assert.equal(await done.promise, "[1, 9223372036854775807]");
    });
    const settled = await client.getJob(job.id);
    assert.equal(settled.state, "COMPLETED");
    assert.deepEqual(JSON.parse(new TextDecoder().decode(settled.result)), { sum: 3 });
    assert.equal(worker.stats.succeeded, 1);
    client.close();
  }),
);

test("a handler that is slow doesn't keep others, and one that is told to stop may end", quiet, () =>
  withServer(async (address) => {
    const client = new Client(address);
    const [slow] = await client.enqueueMany([{ queue: "q", type: "slow" }]);
    assert.ok(slow);
    const begun = signal<undefined>();
    const handlers = {
      slow: async (context: JobContext) => {
        begun.give(undefined);
        await once(context.signal, "abort");
        throw new Error("told to stop");
      },
      quick: () => undefined,
    };
    await working(client, { queues: ["q"], window: 2, handlers, drainGraceMs: 0 }, async () => {
      await begun.promise;
      await client.enqueueMany(Array.from({ length: 20 }, () => ({ queue: "q", type: "quick" })));
      while ((await client.countJobs({ queue: "q" })) > 1) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
    // A failure of a handler whose worker stops is a release.
    const released = await client.getJob(slow.id);
    assert.deepEqual([released.state, released.attempts], ["READY", 0]);
    client.close();
  }),
);

test("what is refused is told by its class, and what is senseless isn't sent", quiet, () =>
  withServer(async (address) => {
    const client = new Client(address);
    const smtp = { key: "smtp", allocation: 100, strategy: { type: "time_based", durationMs: 60_000, burst: 8 } } as const;
    await client.defineBudget(smtp);
    await assert.rejects(client.defineBudget(smtp), ConflictError);
    const cleared = await client.updateBudget("smtp", { strategy: { burst: null } });
    assert.deepEqual(cleared.policy.strategy, { type: "time_based", durationMs: 60_000 });
    await assert.rejects(client.enqueue({ queue: "q", budgets: [{ key: "none" }] }), BudgetNotFoundError);
    await assert.rejects(client.jobs().cancel(), ClientError);
    await assert.rejects(client.enqueue({ queue: "q", budgets: [{ key: "smtp", cost: 2 ** 60 }] }), ClientError);
    client.close();
  }),
);
