/**
 * Workers: they take jobs from a stream, run handlers, keep leases alive, and come back after whatever happens.
 *
 * | part | owns |
 * | --- | --- |
 * | `settings` | how a worker is put together |
 * | `session`, `outbox` | one stream: frames in, frames out, pings, its end |
 * | `engine` | what outlives a stream: drain and stop, and the two below |
 * | `inflight`, `deadlines` | which leases are held, and what is to be said of them; pure |
 * | `runner` | handlers at work |
 * | `context`, `outcome` | what a handler gets, and what its answer becomes |
 * | `backoff`, `stats` | delays, counters |
 */

import type { Client } from "../client.js";
import { ClientError } from "../errors.js";
import { Backoff } from "./backoff.js";
import { Engine } from "./engine.js";
import type { End } from "./session.js";
import { Session } from "./session.js";
import type { Settings, WorkerOptions } from "./settings.js";
import { settingsOf } from "./settings.js";
import { WorkerStats } from "./stats.js";

/**
 * Takes jobs from some queues and runs their handlers, at most a window of them at once.
 *
 * Leases are extended while handlers run, outcomes are sent in batches and kept until the server has confirmed them, and a
 * connection that is lost comes back, for ever, with all that is in hand. A handler that computes for long without awaiting holds up
 * the process, extensions included: give such work to `node:worker_threads`.
 *
 * ```ts
 * const worker = new Worker(client, {
 *   queues: ["emails"],
 *   handlers: { welcome: (job) => console.log(`welcome, ${String(job.payload)}`) },
 * });
 * await worker.run({ signal });
 * ```
 */
export class Worker {
  readonly #client: Client;
  readonly #settings: Settings;
  readonly #stats = new WorkerStats();
  #isUsed = false;

  /** Takes nothing yet. `ClientError` without a queue, a handler or a place in the window. */
  constructor(client: Client, options: WorkerOptions) {
    this.#client = client;
    this.#settings = settingsOf(options);
  }

  /** The worker's id. */
  get workerId(): string {
    return this.#settings.workerId;
  }

  /** Its counters, which go on counting while it works. */
  get stats(): WorkerStats {
    return this.#stats;
  }

  /**
   * Works until `signal` is aborted; then drains: takes nothing more, gives back what wasn't started, waits for handlers up to the
   * drain grace, tells the rest to stop and waits for them up to the stop grace, leaves, and resolves. Runs once.
   *
   * Rejects only where coming back is of no use: `SessionSupersededError`, and `InvalidFieldError` for settings that the server
   * refuses. Handlers are stopped then.
   */
  async run({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#isUsed) {
      throw new ClientError("a worker runs once: make another one");
    }
    this.#isUsed = true;
    const engine = new Engine(this.#settings, this.#stats);
    const drain = () => {
      engine.drain();
    };
    signal?.addEventListener("abort", drain, { once: true });
    if (signal?.aborted === true) {
      drain();
    }
    try {
      await this.#work(engine);
    } finally {
      signal?.removeEventListener("abort", drain);
      engine.close();
    }
  }

  async #work(engine: Engine): Promise<void> {
    const backoff = new Backoff(Math.random);
    for (;;) {
      const end = await this.#stream(engine, backoff);
      if (end.is === "left") {
        return;
      }
      if (end.is === "fatal") {
        await engine.abandon();
        throw end.error;
      }
      await pause(engine, this.#waitMs(end, backoff));
      if (engine.isDone) {
        if (engine.inflight.size > 0) {
          this.#settings.logger?.warn(`the worker ends without a server; ${engine.inflight.size} leases will expire`);
        }
        return;
      }
    }
  }

  /** One stream on a connection of its own, so that what ends the one ends nothing else. */
  async #stream(engine: Engine, backoff: Backoff): Promise<End> {
    const connection = this.#client.openConnection();
    try {
      const session = new Session(connection, engine, () => {
        backoff.reset();
      });
      return await session.run();
    } finally {
      this.#stats.setConnected(false);
      connection.close();
    }
  }

  #waitMs(end: Extract<End, { is: "broken" | "draining" }>, backoff: Backoff): number {
    const { logger } = this.#settings;
    if (end.is === "draining") {
      logger?.info("the server goes; the worker comes back");
      return end.reconnectAfterMs + backoff.nextDelayMs();
    }
    const waitMs = Math.max(backoff.nextDelayMs(), end.error.retryAfterMs ?? 0);
    logger?.warn(`no connection to the server, and the worker tries again in ${Math.round(waitMs)} ms: ${end.error.message}`);
    return waitMs;
  }
}

/** Waits between two streams, while handlers go on; no longer than the worker has something to wait for. */
function pause(engine: Engine, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      engine.onChange = () => undefined;
      resolve();
    };
    const timer = setTimeout(over, waitMs);
    engine.onChange = () => {
      if (engine.isDone) {
        over();
      }
    };
    engine.onChange();
  });
}
