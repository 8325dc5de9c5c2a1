/** Leases: what was dispatched, how it ends, and asking for it without a stream (semantics 5). */

import { create } from "@bufbuild/protobuf";

import { UnexpectedAnswerError } from "./errors.js";
import type { LeasedJob as WireLeasedJob } from "./gen/sluicegate/v1/job_pb.js";
import { ErrorReason } from "./gen/sluicegate/v1/error_reason_pb.js";
import type {
  ExtendResult as WireExtendResult,
  SettleOutcome,
  SettleResult as WireSettleResult,
} from "./gen/sluicegate/v1/settle_pb.js";
import { ExtendStatus, SettleOutcomeSchema, SettleStatus } from "./gen/sluicegate/v1/settle_pb.js";
import type { Binding, Lease } from "./job.js";
import { bindingsFromWire, leaseFromWire } from "./job.js";
import { PayloadReader } from "./payload.js";
import type { CallOptions } from "./connection.js";
import type { Integer } from "./values.js";
import { date, defined, durationFromMs, msFromDuration, uint64 } from "./values.js";

/** A dispatched job, as a worker gets it. */
export class LeasedJob {
  /** The job's id. */
  readonly id: string;
  /** The lease; its `workerId` is empty: it is this worker's. */
  readonly lease: Lease;
  readonly queue: string;
  /** Tells handlers apart; may be empty. */
  readonly type: string;
  /** 0 is the most urgent, 65535 the least. */
  readonly priority: number;
  /** What its dispatch debited. */
  readonly budgets: readonly Binding[];
  /** Attempts used up before this one. */
  readonly attempts: number;
  /** Failed attempts after which it is dead. */
  readonly maxAttempts: number;
  /** The longest this attempt may take, in milliseconds; undefined: no limit. */
  readonly timeoutMs: number | undefined;
  /** Free pairs that travel with the job, such as `traceparent`. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly createTime: Date | undefined;
  readonly readyTime: Date | undefined;
  readonly #payload: PayloadReader;

  /** @internal */
  constructor({ lease, job }: WireLeasedJob) {
    const spec = job?.spec;
    if (!lease || !job || !spec) {
      throw new UnexpectedAnswerError("the lease, the job or its spec");
    }
    this.#payload = new PayloadReader(spec.payload);
    this.id = job.id;
    this.lease = leaseFromWire(lease);
    this.queue = spec.queue;
    this.type = spec.type;
    this.priority = spec.priority ?? 0;
    this.budgets = bindingsFromWire(spec.bindings);
    this.attempts = job.attempts;
    this.maxAttempts = spec.maxAttempts ?? 0;
    this.timeoutMs = spec.timeout && msFromDuration(spec.timeout);
    this.metadata = spec.metadata;
    this.createTime = date(job.createTime);
    this.readyTime = date(job.readyTime);
  }

  /** The handler's input: the JSON value, or the bytes; undefined where there is none. */
  get payload(): unknown {
    return this.#payload.value;
  }

  /** The payload's JSON text as it was written; undefined where it isn't JSON. */
  get payloadText(): string | undefined {
    return this.#payload.text;
  }
}

/** What one attempt used of one budget. */
export interface Usage {
  /** The budget's key; the job must be bound to it. */
  readonly key: string;
  /** Tokens used in all. 0..=10^12; 0 says that nothing was started (semantics 9.1). */
  readonly cost: Integer;
}

/** A limit that the far side enforced. */
export interface Throttle {
  /** The budget's key; the job must be bound to it. */
  readonly key: string;
  /** For how long it dispatches nothing, in milliseconds. 0..=24 h (semantics 9.3). */
  readonly retryAfterMs: number;
}

/** How an attempt ends. */
export type LeaseEnd =
  /** The job is done; the result, of at most 64 KiB, is kept with it as long as it is retained. */
  | { readonly type: "success"; readonly result?: Uint8Array }
  /** The attempt is used up; the job is retried after its backoff, or after `retryAfterMs` (0..=24 h). */
  | { readonly type: "failure"; readonly message: string; readonly retryAfterMs?: number | undefined }
  /** The job is dead at once. */
  | { readonly type: "discard"; readonly message: string }
  /** The job goes back at its old rank, for at least `delayMs` (0..=24 h); no attempt is used. */
  | { readonly type: "release"; readonly delayMs?: number | undefined };

/** How one lease is to end. */
export interface Settlement {
  readonly leaseId: string;
  readonly outcome: LeaseEnd;
  /** The costs actually used, each of another budget. */
  readonly usage?: readonly Usage[];
  /** Limits of the far side that were met, each of another budget; they go with any outcome. */
  readonly throttled?: readonly Throttle[];
}

/** What became of a settlement (semantics 5.4). */
export interface SettleResult {
  readonly leaseId: string;
  readonly status: "SETTLED" | "ALREADY_SETTLED" | "LOST" | "GONE" | "INVALID" | "UNKNOWN";
  /** With SETTLED: whether a result was sent and not kept. */
  readonly resultDropped: boolean;
  /** With INVALID: what was wrong. The lease is live still. */
  readonly error?: { readonly reason: string; readonly field: string; readonly message: string };
}

/** What became of one lease's extension (semantics 5.4). */
export interface ExtendResult {
  readonly leaseId: string;
  readonly status: "EXTENDED" | "ALREADY_SETTLED" | "LOST" | "GONE" | "UNKNOWN";
  /** With EXTENDED: when it ends unless extended again. */
  readonly expireTime?: Date;
  /** With EXTENDED: whether the job was cancelled, so that its handler should stop and settle. */
  readonly cancelRequested: boolean;
}

/** Asks for leases by a call, without a stream. */
export interface LeaseRequest extends CallOptions {
  /** 1..=128 bytes of `[A-Za-z0-9._:/@-]`. */
  readonly workerId: string;
  /** 1..=64 queues. */
  readonly queues: readonly string[];
  /** Most jobs to lease. 1..=1000; 1 where absent. */
  readonly maxJobs?: number;
  /** Most bytes of the answer. 64 KiB..=64 MiB; 4 MiB where absent. */
  readonly maxBytes?: number;
  /** What the leases, and each extension, are worth, in milliseconds. 1 s..=24 h; 30 s where absent. */
  readonly leaseMs?: number;
  /** How long to wait for the first job, in milliseconds. 0..=30 s; not at all where absent. */
  readonly waitMs?: number;
  /** Makes a repeat of the call return the leases of the first. */
  readonly requestId?: string;
}

/** The settlement as it is sent. */
export function settlementToWire(settlement: Settlement, field = "settlement"): SettleOutcome {
  return create(SettleOutcomeSchema, {
    leaseId: settlement.leaseId,
    outcome: endToWire(settlement.outcome, `${field}.outcome`),
    usage: (settlement.usage ?? []).map(({ key, cost }, i) => ({
      budget: key,
      cost: uint64(cost, `${field}.usage[${i}].cost`),
    })),
    throttled: (settlement.throttled ?? []).map(({ key, retryAfterMs }, i) => ({
      budget: key,
      retryAfter: durationFromMs(retryAfterMs, `${field}.throttled[${i}].retryAfterMs`),
    })),
  });
}

function endToWire(end: LeaseEnd, field: string): SettleOutcome["outcome"] {
  const init = (outcome: NonNullable<Parameters<typeof create<typeof SettleOutcomeSchema>>[1]>["outcome"]) =>
    create(SettleOutcomeSchema, outcome === undefined ? {} : { outcome }).outcome;
  switch (end.type) {
    case "success":
      return init({ case: "success", value: { result: end.result ?? new Uint8Array() } });
    case "failure": {
      const { message, retryAfterMs } = end;
      const wait = retryAfterMs === undefined ? {} : { retryAfter: durationFromMs(retryAfterMs, `${field}.retryAfterMs`) };
      return init({ case: "failure", value: { error: message, ...wait } });
    }
    case "discard":
      return init({ case: "failure", value: { error: end.message, discard: true } });
    case "release": {
      const delay = end.delayMs === undefined ? {} : { delay: durationFromMs(end.delayMs, `${field}.delayMs`) };
      return init({ case: "release", value: delay });
    }
  }
}

/** What became of a settlement, from the wire. */
export function settleResultFromWire(wire: WireSettleResult): SettleResult {
  const statuses = new Map<SettleStatus, SettleResult["status"]>([
    [SettleStatus.SETTLED, "SETTLED"],
    [SettleStatus.ALREADY_SETTLED, "ALREADY_SETTLED"],
    [SettleStatus.LOST, "LOST"],
    [SettleStatus.GONE, "GONE"],
    [SettleStatus.INVALID, "INVALID"],
  ]);
  const { error } = wire;
  return defined({
    leaseId: wire.leaseId,
    status: statuses.get(wire.status) ?? "UNKNOWN",
    resultDropped: wire.resultDropped,
    error: error && { reason: reasonName(error.reason), field: error.field, message: error.message },
  });
}

/** What became of an extension, from the wire. */
export function extendResultFromWire(wire: WireExtendResult): ExtendResult {
  const statuses = new Map<ExtendStatus, ExtendResult["status"]>([
    [ExtendStatus.EXTENDED, "EXTENDED"],
    [ExtendStatus.ALREADY_SETTLED, "ALREADY_SETTLED"],
    [ExtendStatus.LOST, "LOST"],
    [ExtendStatus.GONE, "GONE"],
  ]);
  return defined({
    leaseId: wire.leaseId,
    status: statuses.get(wire.status) ?? "UNKNOWN",
    expireTime: date(wire.expireTime),
    cancelRequested: wire.cancelRequested,
  });
}

/** The name of a reason. Enums of the wire are open: one of a newer server has none here. */
function reasonName(reason: ErrorReason): string {
  const names: Readonly<Record<number, string | undefined>> = ErrorReason;
  return names[reason] ?? "UNKNOWN";
}
