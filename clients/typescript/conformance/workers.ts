/** Workers of the conformance protocol: their handlers answer at once, ask an endpoint, or wait for the harness. */

import type { Client, Handler, JobContext } from "@sluicegate/client";
import { Discard, Failure, Release, Throttled, Worker } from "@sluicegate/client";

import type { Json, JsonOutcome } from "./values.js";
import { budgetsOut, bytes, errorOut, payloadOut } from "./values.js";

export interface StartWorker {
  name: string;
  queues: string[];
  window: number;
  workerId?: string;
  leaseMs?: number;
  pingMs?: number;
  drainGraceMs?: number;
  stopGraceMs?: number;
  auto?: JsonOutcome;
  http?: string;
  types?: string[];
  ignoreCancel?: boolean;
}

export interface Finish {
  worker: string;
  jobId: string;
  outcome: JsonOutcome;
  usage?: { key: string; cost: string }[];
}

type Emit = (line: Json) => void;

/** The workers that were started, and the handlers that wait. */
export class Workers {
  readonly #client: Client;
  readonly #emit: Emit;
  readonly #stops = new Map<string, () => Promise<void>>();
  readonly #waiting = new Map<string, (finish: Finish) => void>();

  constructor(client: Client, emit: Emit) {
    this.#client = client;
    this.#emit = emit;
  }

  start(settings: StartWorker): void {
    const { name, queues, window, workerId, leaseMs, pingMs, drainGraceMs, stopGraceMs, types } = settings;
    const handler = this.#handler(settings);
    const handlers = types ? { handlers: Object.fromEntries(types.map((type) => [type, handler])) } : { handler };
    const worker = new Worker(this.#client, {
      ...{ queues, window, ...handlers },
      ...(workerId !== undefined && { workerId }),
      ...(leaseMs !== undefined && { leaseMs }),
      ...(pingMs !== undefined && { pingIntervalMs: pingMs }),
      ...(drainGraceMs !== undefined && { drainGraceMs }),
      ...(stopGraceMs !== undefined && { stopGraceMs }),
    });
    const shutdown = new AbortController();
    const ended = worker.run({ signal: shutdown.signal }).then(
      () => null,
      (error: unknown) => errorOut(error),
    );
    this.#stops.set(name, async () => {
      shutdown.abort();
      await ended;
    });
    void ended.then((error) => {
      this.#stops.delete(name);
      if (!shutdown.signal.aborted) {
        this.#emit({ event: "workerEnded", worker: name, error });
      }
    });
  }

  /** Drains a worker. False if there is none of this name. */
  async stop(name: string): Promise<boolean> {
    const stop = this.#stops.get(name);
    await stop?.();
    return stop !== undefined;
  }

  /** Ends a handler that waits. False if none does. */
  finish(finish: Finish): boolean {
    const key = `${finish.worker}\n${finish.jobId}`;
    const answer = this.#waiting.get(key);
    this.#waiting.delete(key);
    answer?.(finish);
    return answer !== undefined;
  }

  #handler({ name, auto, http, ignoreCancel }: StartWorker): Handler {
    if (auto) {
      return () => answer(auto);
    }
    if (http !== undefined) {
      return async (job) => {
        const url = `${http}?job=${encodeURIComponent(job.id)}&worker=${encodeURIComponent(name)}`;
        const response = await fetch(url, { signal: job.signal });
        await response.arrayBuffer();
        if (response.status !== 200) {
          throw new Failure(`the endpoint answered ${response.status}`);
        }
      };
    }
    return (job) => this.#waitForFinish(job, name, ignoreCancel ?? false);
  }

  async #waitForFinish(job: JobContext, worker: string, ignoreCancel: boolean): Promise<unknown> {
    const key = `${worker}\n${job.id}`;
    const finished = new Promise<Finish>((resolve, reject) => {
      this.#waiting.set(key, resolve);
      job.signal.addEventListener("abort", () => {
        this.#emit({ event: "cancelled", worker, jobId: job.id, reason: job.cancelReason });
        if (!ignoreCancel) {
          this.#waiting.delete(key);
          reject(job.signal.reason as Error);
        }
      });
    });
    this.#emit({
      ...{ event: "started", worker, jobId: job.id, type: job.type, attempt: job.attempt, metadata: job.metadata },
      payload: payloadOut(job.job),
      budgets: budgetsOut(job.job),
    });
    try {
      const { outcome, usage } = await finished;
      for (const { key, cost } of usage ?? []) {
        job.reportUsage(key, BigInt(cost));
      }
      return answer(outcome);
    } finally {
      this.#emit({ event: "ended", worker, jobId: job.id });
    }
  }
}

/** What a handler does to answer so. */
function answer({ success, failure, discard, release, throttled, raise }: JsonOutcome): unknown {
  if (success) {
    return success.resultBase64 === undefined ? undefined : bytes(success.resultBase64);
  }
  if (failure) {
    throw new Failure(failure.message, failure);
  }
  if (discard) {
    throw new Discard(discard.message);
  }
  if (throttled) {
    throw new Throttled(throttled.budget, throttled.retryAfterMs);
  }
  if (raise) {
    throw new Error(raise.message);
  }
  throw new Release(release);
}
