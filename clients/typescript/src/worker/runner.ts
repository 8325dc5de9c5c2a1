/**
 * Handlers at work, at most the window of them at once. Knows nothing of streams and leases' lives: it is told what to start and
 * what to stop, and says what has ended.
 */

import type { LeasedJob } from "../lease.js";
import type { CancelReason } from "./context.js";
import { JobContext, StopSignal } from "./context.js";
import type { Answer, Reports } from "./outcome.js";
import { Failure } from "./outcome.js";

/**
 * Does a job. What it returns is kept as the job's result: bytes as they are, undefined is none, anything else as JSON, at most
 * 64 KiB. What it throws is a failure, unless it is a `Discard`, `Release` or `Throttled`; those may be returned as well.
 */
export type Handler = (job: JobContext) => unknown;

/** Which handler does which type of job. */
export interface Handlers {
  readonly byType: ReadonlyMap<string, Handler>;
  readonly forAll: Handler | undefined;
}

/** A handler that has ended. */
export interface Finished {
  readonly id: string;
  readonly answer: Answer;
  readonly reports: Reports;
  /** Why it had been told to stop, if it had. */
  readonly stopped: CancelReason | undefined;
}

/** The handlers at work and the jobs that wait for a place. */
export class Runner {
  readonly #handlers: Handlers;
  readonly #places: number;
  readonly #onFinished: (finished: Finished) => void;
  readonly #waiting = new Map<string, LeasedJob>();
  readonly #started = new Map<string, StopSignal>();

  constructor(handlers: Handlers, places: number, onFinished: (finished: Finished) => void) {
    this.#handlers = handlers;
    this.#places = places;
    this.#onFinished = onFinished;
  }

  /** Handlers that haven't ended, those of lost leases included. */
  get busy(): number {
    return this.#started.size;
  }

  /** Puts a job in line. */
  enqueue(id: string, job: LeasedJob): void {
    this.#waiting.set(id, job);
  }

  /** Forgets the jobs in line. */
  clearWaiting(): void {
    this.#waiting.clear();
  }

  /** Starts jobs in line while there are places. `mayStart` is asked once for each, and those it denies are forgotten. */
  startWaiting(mayStart: (id: string) => boolean): void {
    for (const [id, job] of this.#waiting) {
      if (this.#started.size >= this.#places) {
        return;
      }
      this.#waiting.delete(id);
      if (mayStart(id)) {
        const stop = new StopSignal();
        this.#started.set(id, stop);
        void this.#handle(id, job, stop);
      }
    }
  }

  /** Tells a handler to stop; a job in line is forgotten. False if the job has no handler. */
  stop(id: string, reason: CancelReason): boolean {
    this.#waiting.delete(id);
    const stop = this.#started.get(id);
    stop?.stop(reason);
    return stop !== undefined;
  }

  /** Tells all handlers to stop. */
  stopAll(reason: CancelReason): void {
    for (const stop of this.#started.values()) {
      stop.stop(reason);
    }
  }

  /** Waits for no handler any more: JavaScript can't end them, so what they still answer is dropped. */
  abandonAll(): void {
    this.#started.clear();
  }

  async #handle(id: string, job: LeasedJob, stop: StopSignal): Promise<void> {
    const context = new JobContext(job, stop);
    const answer = await this.#answer(context);
    if (this.#started.get(id) === stop) {
      this.#started.delete(id);
      this.#onFinished({ id, answer, reports: context.reports, stopped: stop.reason });
    }
  }

  async #answer(context: JobContext): Promise<Answer> {
    // Handlers begin in a turn of their own, so that one that throws or computes at once doesn't hold up the frame it came with.
    await Promise.resolve();
    const handler = this.#handlers.byType.get(context.type) ?? this.#handlers.forAll;
    if (!handler) {
      return { thrown: new Failure(`this worker has no handler for jobs of type \`${context.type}\``) };
    }
    try {
      return { returned: await handler(context) };
    } catch (thrown) {
      return { thrown };
    }
  }
}
