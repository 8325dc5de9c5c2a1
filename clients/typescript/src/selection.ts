/** A selection of jobs, put together condition by condition, and what can be done with all of it. */

import type { CallOptions } from "./connection.js";
import { ClientError } from "./errors.js";
import type { JobFilter, JobState, OneOrMany } from "./filter.js";
import type { BindingOperation } from "./gen/sluicegate/v1/job_service_pb.js";
import type { CancelOptions, Job } from "./job.js";
import type { JobPatch, NewBinding } from "./job_spec.js";
import type { ListOptions } from "./listing.js";
import * as operation from "./operation.js";
import type { Integer } from "./values.js";

/** What a call over a selection did. */
export interface Changed {
  /** Jobs that were changed, or, with `validateOnly`, would be. */
  readonly changed: number;
  /** Jobs that the call would have changed and could not: the first 1000 ids. A list to retry. */
  readonly blocked: readonly string[];
  /** How many these are, those not listed included. */
  readonly blockedCount: number;
}

/** How a call over a selection is made. */
export interface BulkOptions extends CallOptions {
  /** Changes nothing, and answers, or refuses, as if it had. */
  readonly validateOnly?: boolean;
}

/** What a selection needs of its client. */
export interface SelectionCalls {
  listJobs(filter: JobFilter, options?: ListOptions & CallOptions): AsyncGenerator<Job, void, undefined>;
  countJobs(filter: JobFilter, options?: CallOptions): Promise<number>;
  cancelJobs(filter: JobFilter, options?: BulkOptions & CancelOptions): Promise<Changed>;
  retryJobs(filter: JobFilter, options?: BulkOptions): Promise<Changed>;
  deleteJobs(filter: JobFilter, options?: BulkOptions): Promise<Changed>;
  updateJobs(filter: JobFilter, patch: JobPatch, options?: BulkOptions): Promise<Changed>;
  modifyBindingsOf(filter: JobFilter, change: BindingOperation, options?: BulkOptions): Promise<Changed>;
}

/**
 * The jobs that meet all conditions that were said. Immutable: each condition makes another selection.
 *
 * ```ts
 * const { changed, blocked } = await client.jobs().byQueue("emails").byState("READY").bindBudget({ key: "smtp" });
 * ```
 *
 * Calls that change jobs refuse a selection without a condition, with `ClientError`, unless {@link JobSelection.all} was said.
 */
export class JobSelection implements AsyncIterable<Job> {
  readonly #calls: SelectionCalls;
  readonly #filter: JobFilter;

  /** @internal */
  constructor(calls: SelectionCalls, filter: JobFilter) {
    this.#calls = calls;
    this.#filter = filter;
  }

  /** Every job. With any other condition the server refuses it. */
  all(): JobSelection {
    return this.#with({ all: true });
  }

  /** The jobs with these ids; none of them selects nothing. At most 10,000. */
  byIds(...ids: readonly string[]): JobSelection {
    return this.#with({ ids });
  }

  /** In one of these queues. At most 100. */
  byQueue(...queue: readonly [string, ...string[]]): JobSelection {
    return this.#with({ queue });
  }

  /** Of one of these types; "" is jobs without one. At most 100. */
  byType(...type: readonly [string, ...string[]]): JobSelection {
    return this.#with({ type });
  }

  /** In one of these states. */
  byState(...state: readonly [JobState, ...JobState[]]): JobSelection {
    return this.#with({ state });
  }

  /** Bound to one of these budgets. At most 100. */
  byBudgetsKey(...budgetsKey: readonly [string, ...string[]]): JobSelection {
    return this.#with({ budgetsKey });
  }

  /** Of a priority from `min` to `max`, both included. 0..=65535, 0 the most urgent. */
  byPriority(min: number, max: number): JobSelection {
    return this.#with({ priorityMin: min, priorityMax: max });
  }

  /** Enqueued at or after `from` and before `until`. */
  byCreateTime(from: Date, until: Date): JobSelection {
    return this.#with({ createdFrom: from, createdUntil: until });
  }

  /** Ready at or after `from` and before `until`. */
  byReadyTime(from: Date, until: Date): JobSelection {
    return this.#with({ runFrom: from, runUntil: until });
  }

  /** Adds a binding to each that isn't bound to the budget. */
  bindBudget(binding: NewBinding, options?: BulkOptions): Promise<Changed> {
    return this.#calls.modifyBindingsOf(this.#filter, operation.bind(binding), options);
  }

  /** Replaces the binding of each to this budget whole, or adds it. */
  rebindBudget(binding: NewBinding, options?: BulkOptions): Promise<Changed> {
    return this.#calls.modifyBindingsOf(this.#filter, operation.rebind(binding), options);
  }

  /** Changes what the bindings to this budget cost: 1..=10^12 tokens. */
  setCost(key: string, cost: Integer, options?: BulkOptions): Promise<Changed> {
    return this.#calls.modifyBindingsOf(this.#filter, operation.setCost(key, cost), options);
  }

  /** Takes the bindings to this budget away. */
  unbindBudget(key: string, options?: BulkOptions): Promise<Changed> {
    return this.#calls.modifyBindingsOf(this.#filter, operation.unbind(key), options);
  }

  /** Takes all bindings away. */
  unbindAll(options?: BulkOptions): Promise<Changed> {
    return this.#calls.modifyBindingsOf(this.#filter, operation.unbindAll(), options);
  }

  /** Puts these bindings in place of all there are. */
  replaceBudgets(budgets: readonly NewBinding[], options?: BulkOptions): Promise<Changed> {
    return this.#calls.modifyBindingsOf(this.#filter, operation.replaceAll(budgets), options);
  }

  /** Cancels scheduled and ready jobs, and asks the workers of those in flight to stop (semantics 6.1). */
  cancel(options?: BulkOptions & CancelOptions): Promise<Changed> {
    return this.#calls.cancelJobs(this.#filter, options);
  }

  /** Makes dead and cancelled jobs ready, and those that wait for their backoff (semantics 6.5). */
  retry(options?: BulkOptions): Promise<Changed> {
    return this.#calls.retryJobs(this.#filter, options);
  }

  /** Deletes jobs that aren't in flight. */
  delete(options?: BulkOptions): Promise<Changed> {
    return this.#calls.deleteJobs(this.#filter, options);
  }

  /** Changes scheduled and ready jobs. */
  update(patch: JobPatch, options?: BulkOptions): Promise<Changed> {
    return this.#calls.updateJobs(this.#filter, patch, options);
  }

  /** How many there are, at the instant of the answer. */
  count(options?: CallOptions): Promise<number> {
    return this.#calls.countJobs(this.#filter, options);
  }

  /** All of them, in the order of their enqueues, without payloads; pages are fetched as they are read. */
  list(options?: ListOptions & CallOptions): AsyncGenerator<Job, void, undefined> {
    return this.#calls.listJobs(this.#filter, options);
  }

  [Symbol.asyncIterator](): AsyncGenerator<Job, void, undefined> {
    return this.list();
  }

  #with(condition: Partial<Record<keyof JobFilter, OneOrMany<string> | number | Date | boolean>>): JobSelection {
    for (const name of Object.keys(condition)) {
      if (name in this.#filter) {
        throw new ClientError(`the condition ${name} was said before; name all its values at once`, name);
      }
    }
    return new JobSelection(this.#calls, { ...this.#filter, ...condition } as JobFilter);
  }
}
