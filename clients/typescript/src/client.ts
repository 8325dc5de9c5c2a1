/** All calls of the contract, in this package's values. Owns no decision: what is sent and what comes back is mapped elsewhere. */

import { randomUUID } from "node:crypto";

import type { Budget, BudgetDefinition, PolicyPatch } from "./budget.js";
import { budgetFromWire, patchToWire, policyToWire } from "./budget.js";
import type { CallOptions, ClientOptions } from "./connection.js";
import { Connection } from "./connection.js";
import type { JobExplanation } from "./explain.js";
import { explanationFromWire } from "./explain.js";
import type { JobFilter } from "./filter.js";
import { changingFilterToWire, filterToWire } from "./filter.js";
import { JobView } from "./gen/sluicegate/v1/job_pb.js";
import type { BindingOperation } from "./gen/sluicegate/v1/job_service_pb.js";
import type { CancelOptions, JobCalls } from "./job.js";
import { Job, jobFromWire } from "./job.js";
import type { JobPatch, NewJob } from "./job_spec.js";
import { jobPatchToWire, jobToWire } from "./job_spec.js";
import type { ExtendResult, LeaseRequest, SettleResult, Settlement } from "./lease.js";
import { LeasedJob, extendResultFromWire, settleResultFromWire, settlementToWire } from "./lease.js";
import type { ListOptions } from "./listing.js";
import { entriesOf } from "./listing.js";
import type { Queue } from "./queue.js";
import { queueFromWire } from "./queue.js";
import type { BulkOptions, Changed, SelectionCalls } from "./selection.js";
import { JobSelection } from "./selection.js";
import type { Integer } from "./values.js";
import { durationFromMs, uint32, uint64 } from "./values.js";

/** How a budget is defined. */
export interface DefineOptions extends CallOptions {
  /** Overwrites the policy of a budget that exists, in place of `ConflictError`; it keeps its `createTime`. */
  readonly replace?: boolean;
  /** With `replace`: the etag the policy must have, else `EtagMismatchError`. */
  readonly etag?: string;
}

/** How an enqueue is made. */
export interface EnqueueOptions extends CallOptions {
  /**
   * Makes a repeat of the call return the first answer, for 10 min: 1..=128 bytes, best a random UUID. Give one to repeat the call
   * yourself after its outcome was unknown; a random one where absent.
   */
  readonly requestId?: string;
}

/** The job that was taken in, or was there. */
export interface Enqueued {
  /** As it stands now, without its payload. */
  readonly job: Job;
  /** Whether a job that holds the same unique key was there, so that none was created. */
  readonly existing: boolean;
}

/** What became of one job of a batch. */
export interface BatchEnqueued {
  /** The job's id. */
  readonly id: string;
  /** Whether a job that holds the same unique key was there, so that none was created. */
  readonly existing: boolean;
}

/**
 * A client of one server. Connects with its first call, and anew when the connection was lost. Calls reject with
 * `SluicegateError`s, or with the reason of an aborted signal.
 *
 * ```ts
 * const client = new Client("127.0.0.1:7654");
 * await client.enqueue({ queue: "emails", type: "welcome", payload: "ada@example.com" });
 * client.close();
 * ```
 */
export class Client implements JobCalls, SelectionCalls {
  readonly #address: string;
  readonly #options: ClientOptions;
  readonly #connection: Connection;

  /** Opens no connection yet. `address` is `host:port`, or a URL of http or https; `ClientError` for anything else. */
  constructor(address: string, options: ClientOptions = {}) {
    this.#address = address;
    this.#options = options;
    this.#connection = new Connection(address, options);
  }

  /** Closes the connection; calls that are open fail. */
  close(): void {
    this.#connection.close();
  }

  /** @internal A connection of its own, for a worker's stream. */
  openConnection(): Connection {
    return new Connection(this.#address, this.#options);
  }

  /**
   * Creates a budget; a `time_based` one starts full. `ConflictError` when it exists, which changes nothing, so that every instance
   * of an application may define its budgets on boot; `BudgetLimitReachedError`. With `replace` also `CostExceedsCapacityError` and
   * `EtagMismatchError`.
   */
  async defineBudget(definition: BudgetDefinition, options: DefineOptions = {}): Promise<Budget> {
    const { key } = definition;
    const policy = policyToWire(definition);
    const { budgets } = this.#connection;
    const { etag = "" } = options;
    const answer = await this.#connection.call<{ budget?: Parameters<typeof budgetFromWire>[0] }>(
      (call) =>
        options.replace === true
          ? budgets.replaceBudget({ key, policy, allowMissing: true, etag }, call)
          : budgets.createBudget({ key, policy }, call),
      options,
    );
    return budgetFromWire(answer.budget);
  }

  /** A budget as it stands. `BudgetNotFoundError`. */
  async getBudget(key: string, options?: CallOptions): Promise<Budget> {
    const { budget } = await this.#connection.call((call) => this.#connection.budgets.getBudget({ key }, call), options);
    return budgetFromWire(budget);
  }

  /** All budgets, by key; pages are fetched as they are read. */
  listBudgets(options: ListOptions & CallOptions = {}): AsyncGenerator<Budget, void, undefined> {
    const pageSize = uint32(options.pageSize ?? 0, "pageSize");
    return entriesOf(async (pageToken) => {
      const page = await this.#connection.call(
        (call) => this.#connection.budgets.listBudgets({ pageSize, pageToken }, call),
        options,
      );
      return { entries: page.budgets.map(budgetFromWire), nextPageToken: page.nextPageToken };
    });
  }

  /**
   * Changes what the patch names, and keeps the rest (semantics 7.1): `{ strategy: { burst: null } }` clears the burst.
   * `BudgetNotFoundError`, `EtagMismatchError`, `CostExceedsCapacityError`.
   */
  async updateBudget(key: string, patch: PolicyPatch, options: CallOptions & { readonly etag?: string } = {}): Promise<Budget> {
    const { policy, paths } = patchToWire(patch);
    const request = { key, policy, updateMask: { paths }, etag: options.etag ?? "" };
    const { budget } = await this.#connection.call((call) => this.#connection.budgets.updateBudget(request, call), options);
    return budgetFromWire(budget);
  }

  /** Deletes a budget. `BudgetInUseError` while unfinished jobs are bound to it, `BudgetNotFoundError`, `EtagMismatchError`. */
  async deleteBudget(
    key: string,
    options: CallOptions & { readonly allowMissing?: boolean; readonly etag?: string } = {},
  ): Promise<void> {
    const request = { key, allowMissing: options.allowMissing ?? false, etag: options.etag ?? "" };
    await this.#connection.call((call) => this.#connection.budgets.deleteBudget(request, call), options);
  }

  /** Lets a budget dispatch nothing for `durationMs` (up to 366 d), or until unblocked (semantics 9.4). `BudgetNotFoundError`. */
  async blockBudget(key: string, options: CallOptions & { readonly durationMs?: number } = {}): Promise<Budget> {
    const { durationMs } = options;
    const request = { key, ...(durationMs !== undefined && { duration: durationFromMs(durationMs, "durationMs") }) };
    const { budget } = await this.#connection.call((call) => this.#connection.budgets.blockBudget(request, call), options);
    return budgetFromWire(budget);
  }

  /** Ends a block, and whatever workers reported as throttled. `BudgetNotFoundError`. */
  async unblockBudget(key: string, options?: CallOptions): Promise<Budget> {
    const { budget } = await this.#connection.call((call) => this.#connection.budgets.unblockBudget({ key }, call), options);
    return budgetFromWire(budget);
  }

  /** Sets the level of a `time_based` pool, in tokens, from 0 to its capacity (semantics 9.5). `BudgetNotFoundError`. */
  async adjustBudget(key: string, level: Integer, options?: CallOptions): Promise<Budget> {
    const request = { key, level: uint64(level, "level") };
    const { budget } = await this.#connection.call((call) => this.#connection.budgets.adjustBudget(request, call), options);
    return budgetFromWire(budget);
  }

  /** Takes in one job. `BudgetNotFoundError`, `CostExceedsCapacityError`, `BudgetLimitReachedError`, `OverloadedError`. */
  async enqueue(job: NewJob, options: EnqueueOptions = {}): Promise<Enqueued> {
    const request = { job: jobToWire(job), requestId: options.requestId ?? randomUUID() };
    const answer = await this.#connection.call((call) => this.#connection.jobs.enqueue(request, call), options);
    return { job: jobFromWire(this, answer.job), existing: answer.existing };
  }

  /** Takes in jobs in this order: all of them, or none. Up to 10,000. Refused as {@link Client.enqueue} is. */
  async enqueueMany(jobs: readonly NewJob[], options: EnqueueOptions = {}): Promise<BatchEnqueued[]> {
    const wire = jobs.map((job, i) => jobToWire(job, `jobs[${i}]`));
    const request = { jobs: wire, requestId: options.requestId ?? randomUUID() };
    const answer = await this.#connection.call((call) => this.#connection.jobs.batchEnqueue(request, call), options);
    return answer.jobs.map(({ id, existing }) => ({ id, existing }));
  }

  /** A job with its payload. `JobNotFoundError`, also once it is removed. */
  async getJob(jobId: string, options?: CallOptions): Promise<Job> {
    const request = { jobId, view: JobView.FULL };
    const { job } = await this.#connection.call((call) => this.#connection.jobs.getJob(request, call), options);
    return jobFromWire(this, job);
  }

  /** Jobs in the order of their enqueues, without payloads, all of them without a filter; pages are fetched as they are read. */
  listJobs(filter: JobFilter = {}, options: ListOptions & CallOptions = {}): AsyncGenerator<Job, void, undefined> {
    const pageSize = uint32(options.pageSize ?? 0, "pageSize");
    const wire = filterToWire(filter);
    return entriesOf(async (pageToken) => {
      const request = { filter: wire, view: JobView.BASIC, pageSize, pageToken };
      const page = await this.#connection.call((call) => this.#connection.jobs.listJobs(request, call), options);
      return { entries: page.jobs.map((job) => new Job(this, job)), nextPageToken: page.nextPageToken };
    });
  }

  /** How many jobs a filter selects, all of them without one, at the instant of the answer. */
  async countJobs(filter: JobFilter = {}, options?: CallOptions): Promise<number> {
    const request = { filter: filterToWire(filter) };
    const { count } = await this.#connection.call((call) => this.#connection.jobs.countJobs(request, call), options);
    return Number(count);
  }

  /** A selection of jobs, to narrow down and to do something with: `client.jobs().byQueue("emails").cancel()`. */
  jobs(): JobSelection {
    return new JobSelection(this, {});
  }

  /** See {@link JobSelection.cancel}. */
  async cancelJobs(filter: JobFilter, options: BulkOptions & CancelOptions = {}): Promise<Changed> {
    const request = { ...changing(filter, options), force: options.stopInFlight ?? false };
    return changedFromWire(await this.#connection.call((call) => this.#connection.jobs.cancelJobs(request, call), options));
  }

  /** See {@link JobSelection.retry}. */
  async retryJobs(filter: JobFilter, options?: BulkOptions): Promise<Changed> {
    const request = changing(filter, options);
    return changedFromWire(await this.#connection.call((call) => this.#connection.jobs.retryJobs(request, call), options));
  }

  /** See {@link JobSelection.delete}. */
  async deleteJobs(filter: JobFilter, options?: BulkOptions): Promise<Changed> {
    const request = changing(filter, options);
    return changedFromWire(await this.#connection.call((call) => this.#connection.jobs.deleteJobs(request, call), options));
  }

  /** See {@link JobSelection.update}. */
  async updateJobs(filter: JobFilter, patch: JobPatch, options?: BulkOptions): Promise<Changed> {
    const { job, paths } = jobPatchToWire(patch);
    const request = { ...changing(filter, options), job, updateMask: { paths } };
    return changedFromWire(await this.#connection.call((call) => this.#connection.jobs.updateJobs(request, call), options));
  }

  /** @internal See the methods of {@link JobSelection}. */
  async modifyBindingsOf(filter: JobFilter, operation: BindingOperation, options?: BulkOptions): Promise<Changed> {
    const request = { ...changing(filter, options), operation };
    const { jobs } = this.#connection;
    return changedFromWire(await this.#connection.call((call) => jobs.bulkModifyBindings(request, call), options));
  }

  /** @internal See the methods of {@link Job}. */
  async modifyBindings(jobId: string, operation: BindingOperation, options?: CallOptions): Promise<Job> {
    const request = { jobId, operation };
    const { job } = await this.#connection.call((call) => this.#connection.jobs.modifyBindings(request, call), options);
    return jobFromWire(this, job);
  }

  /** Cancels one job; one that doesn't exist is changed by nothing. */
  cancelJob(jobId: string, options?: CancelOptions): Promise<Changed> {
    return this.cancelJobs({ ids: jobId }, options);
  }

  /** Retries one job; one that doesn't exist is changed by nothing. */
  retryJob(jobId: string, options?: CallOptions): Promise<Changed> {
    return this.retryJobs({ ids: jobId }, options);
  }

  /** Deletes one job; one that doesn't exist is changed by nothing. */
  deleteJob(jobId: string, options?: CallOptions): Promise<Changed> {
    return this.deleteJobs({ ids: jobId }, options);
  }

  /** Says why a job isn't being dispatched (semantics 12). `JobNotFoundError`. */
  async explainJob(jobId: string, options?: CallOptions): Promise<JobExplanation> {
    const answer = await this.#connection.call((call) => this.#connection.jobs.explainJob({ jobId }, call), options);
    return explanationFromWire(answer.explanation);
  }

  /** The queues that have jobs or are paused, by name; pages are fetched as they are read. */
  listQueues(options: ListOptions & CallOptions = {}): AsyncGenerator<Queue, void, undefined> {
    const pageSize = uint32(options.pageSize ?? 0, "pageSize");
    return entriesOf(async (pageToken) => {
      const page = await this.#connection.call(
        (call) => this.#connection.queues.listQueues({ pageSize, pageToken }, call),
        options,
      );
      return { entries: page.queues.map(queueFromWire), nextPageToken: page.nextPageToken };
    });
  }

  /** Dispatches nothing from a queue until it is resumed; it need not exist. */
  async pauseQueue(name: string, options?: CallOptions): Promise<Queue> {
    const { queue } = await this.#connection.call((call) => this.#connection.queues.pauseQueue({ name }, call), options);
    return queueFromWire(queue);
  }

  /** Dispatches from a queue again. */
  async resumeQueue(name: string, options?: CallOptions): Promise<Queue> {
    const { queue } = await this.#connection.call((call) => this.#connection.queues.resumeQueue({ name }, call), options);
    return queueFromWire(queue);
  }

  /** Leases jobs without a stream, waiting for the first if asked to. A `Worker` does this better. */
  async leaseJobs(request: LeaseRequest): Promise<LeasedJob[]> {
    const { workerId, queues, maxJobs, maxBytes, leaseMs, waitMs, requestId } = request;
    const wire = {
      workerId,
      queues: [...queues],
      maxJobs: uint32(maxJobs ?? 0, "maxJobs"),
      maxBytes: uint64(maxBytes ?? 0, "maxBytes"),
      requestId: requestId ?? randomUUID(),
      ...(leaseMs !== undefined && { leaseDuration: durationFromMs(leaseMs, "leaseMs") }),
      ...(waitMs !== undefined && { wait: durationFromMs(waitMs, "waitMs") }),
    };
    const answer = await this.#connection.call((call) => this.#connection.jobs.leaseJobs(wire, call), request);
    return answer.jobs.map((job) => new LeasedJob(job));
  }

  /** Ends leases, 1..=1000 a call; each has its own result, in the order of the settlements. */
  async settleJobs(settlements: readonly Settlement[], options?: CallOptions): Promise<SettleResult[]> {
    const outcomes = settlements.map((settlement, i) => settlementToWire(settlement, `settlements[${i}]`));
    const answer = await this.#connection.call((call) => this.#connection.jobs.settleJobs({ outcomes }, call), options);
    return answer.results.map(settleResultFromWire);
  }

  /** Prolongs leases, each by its own duration from now, 1..=1000 a call; each has its own result, in the order of the ids. */
  async extendLeases(leaseIds: readonly string[], options?: CallOptions): Promise<ExtendResult[]> {
    const request = { leaseIds: [...leaseIds] };
    const answer = await this.#connection.call((call) => this.#connection.jobs.extendLeases(request, call), options);
    return answer.results.map(extendResultFromWire);
  }
}

function changing(filter: JobFilter, options: BulkOptions = {}) {
  return { filter: changingFilterToWire(filter), validateOnly: options.validateOnly ?? false };
}

function changedFromWire(wire: { changed: bigint; blocked: string[]; blockedCount: bigint }): Changed {
  return { changed: Number(wire.changed), blocked: wire.blocked, blockedCount: Number(wire.blockedCount) };
}
