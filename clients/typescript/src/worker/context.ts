/** What a handler gets: its job, whether it should stop, and where to report what it used. */

import type { Binding } from "../job.js";
import type { LeasedJob } from "../lease.js";
import type { Integer } from "../values.js";
import { Reports } from "./outcome.js";

/**
 * Why a handler should stop.
 *
 * - `lease_lost`: the lease has ended without it, and another worker may have the job. Whatever the handler answers is dropped.
 * - `cancel_requested`: the job was cancelled (semantics 6.1). Success still completes it; any other answer cancels it.
 * - `worker_stopping`: the worker stops, and waits no longer. A failure now counts as a release.
 */
export type CancelReason = "lease_lost" | "cancel_requested" | "worker_stopping";

const WORDS: Record<CancelReason, string> = {
  lease_lost: "the lease was lost",
  cancel_requested: "the job was cancelled",
  worker_stopping: "the worker stops",
};

/** The reason of {@link JobContext.signal}: what calls that were given the signal throw. */
export class JobCancelled extends Error {
  /** Why the handler should stop. */
  readonly cancelReason: CancelReason;

  constructor(cancelReason: CancelReason) {
    super(WORDS[cancelReason]);
    this.name = "JobCancelled";
    this.cancelReason = cancelReason;
  }
}

/** Tells a handler to stop, and why. The first reason stays. */
export class StopSignal {
  readonly #controller = new AbortController();
  #reason: CancelReason | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get reason(): CancelReason | undefined {
    return this.#reason;
  }

  stop(reason: CancelReason): void {
    if (this.#reason === undefined) {
      this.#reason = reason;
      this.#controller.abort(new JobCancelled(reason));
    }
  }
}

/** A handler's job and its surroundings. */
export class JobContext {
  /** The job with its lease. */
  readonly job: LeasedJob;
  readonly #stop: StopSignal;
  /** @internal */
  readonly reports = new Reports();

  /** @internal */
  constructor(job: LeasedJob, stop: StopSignal) {
    this.job = job;
    this.#stop = stop;
  }

  /** The job's id. */
  get id(): string {
    return this.job.id;
  }

  get queue(): string {
    return this.job.queue;
  }

  /** Tells handlers apart; may be empty. */
  get type(): string {
    return this.job.type;
  }

  /** Which attempt this is, from 1. */
  get attempt(): number {
    return this.job.lease.attempt;
  }

  /** The JSON value, or the bytes; undefined where there is none. JSON is parsed each time. */
  get payload(): unknown {
    return this.job.payload;
  }

  /** Free pairs that travel with the job, such as `traceparent`. */
  get metadata(): Readonly<Record<string, string>> {
    return this.job.metadata;
  }

  /** What its dispatch debited. */
  get budgets(): readonly Binding[] {
    return this.job.budgets;
  }

  /** Aborted when the handler should stop, with a {@link JobCancelled}. To hand on: to `fetch`, timers and so on. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Why the handler should stop; undefined as long as it shouldn't. */
  get cancelReason(): CancelReason | undefined {
    return this.#stop.reason;
  }

  /**
   * Reports what this attempt has used of a budget in all, in tokens (0..=10^12), with whatever outcome follows (semantics 9.1). The
   * last report for a budget counts. The job must be bound to it.
   */
  reportUsage(budget: string, cost: Integer): void {
    this.reports.used(budget, cost);
  }

  /**
   * Reports a limit of the far side, with whatever outcome follows: the budget dispatches nothing for this long, in milliseconds
   * (0..=24 h; semantics 9.3). The last report for a budget counts. The job must be bound to it.
   */
  reportThrottled(budget: string, retryAfterMs: number): void {
    this.reports.throttled(budget, retryAfterMs);
  }
}
