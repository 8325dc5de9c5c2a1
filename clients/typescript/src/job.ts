/** Stored jobs: what is known of them, and what can be done with one. A value: each call returns another. */

import { UnexpectedAnswerError } from "./errors.js";
import type { JobExplanation } from "./explain.js";
import type { JobState } from "./filter.js";
import { stateFromWire } from "./filter.js";
import type { Binding as WireBinding } from "./gen/sluicegate/v1/budget_pb.js";
import type { Job as WireJob, Lease as WireLease } from "./gen/sluicegate/v1/job_pb.js";
import { JobSpecSchema } from "./gen/sluicegate/v1/job_pb.js";
import type { BindingOperation } from "./gen/sluicegate/v1/job_service_pb.js";
import type { NewBinding } from "./job_spec.js";
import * as operation from "./operation.js";
import { PayloadReader } from "./payload.js";
import type { CallOptions } from "./connection.js";
import type { Changed } from "./selection.js";
import type { Integer } from "./values.js";
import { date, defined, integer, msFromDuration } from "./values.js";
import { create } from "@bufbuild/protobuf";

/** What one dispatch of a job debits from one budget. */
export interface Binding {
  /** The budget's key. */
  readonly key: string;
  /** Tokens. */
  readonly cost: Integer;
}

/** A failed attempt. */
export interface AttemptError {
  /** Which attempt, from 1. */
  readonly attempt: number;
  /** When it ended. */
  readonly time?: Date;
  /** What the worker said, or the server. */
  readonly message: string;
}

/** The live lease of a job in flight (semantics 5.1). */
export interface Lease {
  /** Whoever knows it may settle and extend the lease. Opaque. */
  readonly id: string;
  /** The worker it was granted to. */
  readonly workerId: string;
  /** Which attempt this is, from 1. */
  readonly attempt: number;
  /** When the job was dispatched. */
  readonly dispatchTime?: Date;
  /** When the lease ends unless it is extended. */
  readonly expireTime?: Date;
  /** What the grant and each extension is worth, in milliseconds. */
  readonly durationMs: number;
  /** Whether the job was cancelled meanwhile. */
  readonly cancelRequested: boolean;
}

/** How a cancellation is done. */
export interface CancelOptions extends CallOptions {
  /** Ends the leases of jobs in flight as well, though their handlers may still be at work (semantics 6.1). */
  readonly stopInFlight?: boolean;
}

/** What a job needs of its client. */
export interface JobCalls {
  modifyBindings(jobId: string, change: BindingOperation, options?: CallOptions): Promise<Job>;
  explainJob(jobId: string, options?: CallOptions): Promise<JobExplanation>;
  cancelJob(jobId: string, options?: CancelOptions): Promise<Changed>;
  retryJob(jobId: string, options?: CallOptions): Promise<Changed>;
  deleteJob(jobId: string, options?: CallOptions): Promise<Changed>;
  getJob(jobId: string, options?: CallOptions): Promise<Job>;
}

/** A job as it stood at the instant of the answer. */
export class Job {
  /** Opaque; ids sort in the order of enqueue. */
  readonly id: string;
  readonly queue: string;
  /** Tells handlers apart; may be empty. */
  readonly type: string;
  /** Where it is in its life; undefined for a state that this client doesn't know, and for a job that was removed. */
  readonly state: JobState | undefined;
  /** 0 is the most urgent, 65535 the least. */
  readonly priority: number;
  /** Attempts used up. */
  readonly attempts: number;
  /** Failed attempts after which it is dead. */
  readonly maxAttempts: number;
  /** What its dispatch debits. */
  readonly budgets: readonly Binding[];
  /** The longest one attempt may take, in milliseconds; undefined: no limit. */
  readonly timeoutMs: number | undefined;
  /** Free pairs that travel with it. Empty in lists. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The last 10 failed attempts, oldest first. Empty in lists. */
  readonly errors: readonly AttemptError[];
  /** What the worker returned with success; empty in lists. */
  readonly result: Uint8Array;
  /** The live lease; there while, and only while, it is in flight. */
  readonly lease: Lease | undefined;
  /** Bytes of payload and metadata together. */
  readonly bodyBytes: number;
  readonly createTime: Date | undefined;
  /** When it became ready, or will. */
  readonly readyTime: Date | undefined;
  /** When it was over. */
  readonly finishTime: Date | undefined;
  /** When it will be removed. */
  readonly removeTime: Date | undefined;
  /** Not dispatched before, since a release said so. */
  readonly delayedUntil: Date | undefined;

  readonly #payload: PayloadReader;
  readonly #calls: JobCalls;

  /** @internal */
  constructor(calls: JobCalls, wire: WireJob) {
    const spec = wire.spec ?? create(JobSpecSchema);
    this.#calls = calls;
    this.#payload = new PayloadReader(spec.payload);
    this.id = wire.id;
    this.queue = spec.queue;
    this.type = spec.type;
    this.state = stateFromWire(wire.state);
    this.priority = spec.priority ?? 0;
    this.attempts = wire.attempts;
    this.maxAttempts = spec.maxAttempts ?? 0;
    this.budgets = bindingsFromWire(spec.bindings);
    this.timeoutMs = spec.timeout && msFromDuration(spec.timeout);
    this.metadata = spec.metadata;
    this.errors = wire.errors.map(({ attempt, time, message }) => defined({ attempt, time: date(time), message }));
    this.result = wire.result;
    this.lease = wire.lease && leaseFromWire(wire.lease);
    this.bodyBytes = Number(wire.bodyBytes);
    this.createTime = date(wire.createTime);
    this.readyTime = date(wire.readyTime);
    this.finishTime = date(wire.finishTime);
    this.removeTime = date(wire.removeTime);
    this.delayedUntil = date(wire.delayedUntil);
  }

  /** The handler's input: the JSON value, or the bytes; undefined where there is none, and in lists. */
  get payload(): unknown {
    return this.#payload.value;
  }

  /** The payload's JSON text as it was written; undefined where it isn't JSON. */
  get payloadText(): string | undefined {
    return this.#payload.text;
  }

  /** Adds a binding. `AlreadyBoundError`, `BudgetNotFoundError`, `CostExceedsCapacityError`, `JobInFlightError`, `JobFinishedError`. */
  bindBudget(binding: NewBinding, options?: CallOptions): Promise<Job> {
    return this.#calls.modifyBindings(this.id, operation.bind(binding), options);
  }

  /** Replaces the binding to this budget whole, or adds it. Refused as {@link Job.bindBudget} is, but for `AlreadyBoundError`. */
  rebindBudget(binding: NewBinding, options?: CallOptions): Promise<Job> {
    return this.#calls.modifyBindings(this.id, operation.rebind(binding), options);
  }

  /** Changes what a binding costs: 1..=10^12 tokens. `NotBoundError`, `CostExceedsCapacityError`, `JobInFlightError`, `JobFinishedError`. */
  setCost(key: string, cost: Integer, options?: CallOptions): Promise<Job> {
    return this.#calls.modifyBindings(this.id, operation.setCost(key, cost), options);
  }

  /** Takes a binding away. `NotBoundError`, `JobInFlightError`, `JobFinishedError`. */
  unbindBudget(key: string, options?: CallOptions): Promise<Job> {
    return this.#calls.modifyBindings(this.id, operation.unbind(key), options);
  }

  /** Takes all bindings away. `JobInFlightError`, `JobFinishedError`. */
  unbindAll(options?: CallOptions): Promise<Job> {
    return this.#calls.modifyBindings(this.id, operation.unbindAll(), options);
  }

  /** Puts these bindings in place of all there are. Refused as {@link Job.rebindBudget} is. */
  replaceBudgets(budgets: readonly NewBinding[], options?: CallOptions): Promise<Job> {
    return this.#calls.modifyBindings(this.id, operation.replaceAll(budgets), options);
  }

  /** Cancels it; in flight, asks its worker to stop. */
  cancel(options?: CancelOptions): Promise<Changed> {
    return this.#calls.cancelJob(this.id, options);
  }

  /** Makes it ready: dead or cancelled with its attempts reset, waiting for its backoff with its attempts kept (semantics 6.5). */
  retry(options?: CallOptions): Promise<Changed> {
    return this.#calls.retryJob(this.id, options);
  }

  /** Deletes it, unless it is in flight. */
  delete(options?: CallOptions): Promise<Changed> {
    return this.#calls.deleteJob(this.id, options);
  }

  /** Says why it isn't being dispatched. `JobNotFoundError`. */
  explain(options?: CallOptions): Promise<JobExplanation> {
    return this.#calls.explainJob(this.id, options);
  }

  /** The job as it stands now, with its payload. `JobNotFoundError`. */
  refresh(options?: CallOptions): Promise<Job> {
    return this.#calls.getJob(this.id, options);
  }
}

/** Bindings of the wire. */
export function bindingsFromWire(wire: readonly WireBinding[]): Binding[] {
  return wire.map(({ budget, cost }) => ({ key: budget, cost: integer(cost ?? 1n) }));
}

/** A lease of the wire. */
export function leaseFromWire(wire: WireLease): Lease {
  return defined({
    id: wire.id,
    workerId: wire.workerId,
    attempt: wire.attempt,
    dispatchTime: date(wire.dispatchTime),
    expireTime: date(wire.expireTime),
    durationMs: wire.duration ? msFromDuration(wire.duration) : 0,
    cancelRequested: wire.cancelRequested,
  });
}

/** A job of the wire. */
export function jobFromWire(calls: JobCalls, wire: WireJob | undefined): Job {
  if (!wire) {
    throw new UnexpectedAnswerError("the job");
  }
  return new Job(calls, wire);
}
