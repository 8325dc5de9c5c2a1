/** What a job is to do, and how, as a producer says it. Checks no bounds: those are the server's. */

import { create } from "@bufbuild/protobuf";

import type { Policy } from "./budget.js";
import { policyToWire } from "./budget.js";
import type { Binding as WireBinding } from "./gen/sluicegate/v1/budget_pb.js";
import { BindingSchema } from "./gen/sluicegate/v1/budget_pb.js";
import type { Backoff as WireBackoff, JobSpec, Retention as WireRetention } from "./gen/sluicegate/v1/job_pb.js";
import { BackoffSchema, JobSpecSchema, RetentionSchema, UniqueKeySchema, UniqueScope } from "./gen/sluicegate/v1/job_pb.js";
import type { Payload } from "./payload.js";
import { payloadToWire } from "./payload.js";
import type { Integer } from "./values.js";
import { defined, durationFromMs, timestamp, uint32, uint64 } from "./values.js";

/** What one dispatch of a job debits from one budget. */
export interface NewBinding {
  /** The budget's key. */
  readonly key: string;
  /** Tokens. 1..=10^12; 1 where absent. Above the budget's capacity: `CostExceedsCapacityError` (semantics 3.2). */
  readonly cost?: Integer;
  /** Creates the budget with this policy if it doesn't exist, in the same commit; ignored if it does (semantics 3.4). */
  readonly createWith?: Policy;
}

/** Exponential backoff with jitter and a cap (semantics 6.3). */
export interface Backoff {
  /** Before the first retry, in milliseconds. 0..=24 h; 1 s where absent. */
  readonly initialMs?: number;
  /** The longest delay, in milliseconds. 0..=24 h; the larger of 1 h and `initialMs` where absent. */
  readonly maxMs?: number;
  /** Growth from one retry to the next. 1..=10, in steps of 0.01 (rounded to the nearest); 2 where absent. */
  readonly multiplier?: number;
  /** The largest share taken off at random. 0..=1, in steps of 0.01 (rounded to the nearest); 0.2 where absent. */
  readonly jitter?: number;
}

/** How long a job is kept once it is over, in milliseconds; each 0..=366 d (semantics 6.4). */
export interface Retention {
  /** After success. 0 where absent: removed at once, its result is dropped. */
  readonly completedMs?: number;
  /** After its last failure. 7 d where absent. */
  readonly deadMs?: number;
  /** After it was cancelled. 1 d where absent. */
  readonly cancelledMs?: number;
}

/** A key that at most one job of the server holds; an enqueue that finds it held answers with the holder. */
export interface UniqueKey {
  /** 1..=256 bytes. One space for the whole server. */
  readonly key: string;
  /** Until when the job holds it: while it waits, until it is over, until it is removed. `UNFINISHED` where absent. */
  readonly scope?: "QUEUED" | "UNFINISHED" | "RETAINED";
}

/** A job to enqueue. */
export interface NewJob {
  /** The queue: 1..=128 bytes of `[A-Za-z0-9._:/@-]`. It exists as soon as a job names it. */
  readonly queue: string;
  /** Tells handlers apart: 1..=128 bytes of `[A-Za-z0-9._:/@-]`, or empty. */
  readonly type?: string;
  /** The handler's input; none where absent. */
  readonly payload?: Payload;
  /** 0 is the most urgent, 65535 the least; 32768 where absent. */
  readonly priority?: number;
  /** Not dispatched before. At most 366 d from now; absent or past means now. */
  readonly runAt?: Date;
  /** What a dispatch debits: all of it at once, or it waits. At most 16, each of another budget. */
  readonly budgets?: readonly NewBinding[];
  /** Failed attempts after which the job is dead. 1..=1000; 25 where absent. */
  readonly maxAttempts?: number;
  /** The delay before a retry. */
  readonly backoff?: Backoff;
  /** How long it is kept once it is over. */
  readonly retention?: Retention;
  /** The longest one attempt may take, in milliseconds (semantics 6.6). 1 ms..=24 h; no limit where absent. */
  readonly timeoutMs?: number;
  /** Makes the enqueue answer with the job that holds the same key, if one does. */
  readonly unique?: UniqueKey;
  /** Free pairs that travel with the job, such as `traceparent`. At most 64, and 4 KiB together. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** What to change in jobs; what is absent stays, and null goes back to the default. */
export interface JobPatch {
  readonly queue?: string;
  readonly type?: string;
  /** 0 is the most urgent, 65535 the least. */
  readonly priority?: number | null;
  /** Not dispatched before; null is the enqueue. */
  readonly runAt?: Date | null;
  readonly maxAttempts?: number | null;
  readonly backoff?: Backoff | null;
  readonly retention?: Retention | null;
  /** In milliseconds; null is no limit. */
  readonly timeoutMs?: number | null;
}

const SCOPES = {
  QUEUED: UniqueScope.QUEUED,
  UNFINISHED: UniqueScope.UNFINISHED,
  RETAINED: UniqueScope.RETAINED,
};

/** The job as it is sent. `field` is its path, for what is refused. */
export function jobToWire(job: NewJob, field = "job"): JobSpec {
  const { unique, budgets, metadata } = job;
  return create(JobSpecSchema, {
    ...plainToWire(job, field),
    payload: payloadToWire(job.payload, `${field}.payload`),
    bindings: (budgets ?? []).map((binding, i) => bindingToWire(binding, `${field}.budgets[${i}]`)),
    metadata: { ...metadata },
    ...(unique && {
      unique: create(UniqueKeySchema, {
        key: unique.key,
        scope: unique.scope === undefined ? UniqueScope.UNSPECIFIED : SCOPES[unique.scope],
      }),
    }),
  });
}

/** A binding as it is sent. */
export function bindingToWire(binding: NewBinding, field: string): WireBinding {
  const { key, cost, createWith } = binding;
  return create(BindingSchema, {
    budget: key,
    ...(cost === undefined ? {} : { cost: uint64(cost, `${field}.cost`) }),
    ...(createWith && { createWith: policyToWire(createWith, `${field}.createWith`) }),
  });
}

/** The values of a change, and the mask paths that say which of them count. */
export function jobPatchToWire(patch: JobPatch): { job: JobSpec; paths: string[] } {
  const paths = Object.entries(PATHS)
    .filter(([name]) => patch[name as keyof JobPatch] !== undefined)
    .map(([, path]) => path);
  const set = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null)) as PlainFields;
  return { job: create(JobSpecSchema, plainToWire(set, "job")), paths };
}

const PATHS: Record<keyof JobPatch, string> = {
  queue: "queue",
  type: "type",
  priority: "priority",
  runAt: "run_time",
  maxAttempts: "max_attempts",
  backoff: "backoff",
  retention: "retention",
  timeoutMs: "timeout",
};

type PlainFields = Partial<Pick<NewJob, keyof JobPatch>>;

/** The fields that stand for themselves, and may be changed later. */
function plainToWire(job: PlainFields, field: string) {
  const { priority, runAt, maxAttempts, backoff, retention, timeoutMs } = job;
  return defined({
    queue: job.queue,
    type: job.type,
    priority: priority === undefined ? undefined : uint32(priority, `${field}.priority`),
    runTime: runAt && timestamp(runAt, `${field}.runAt`),
    maxAttempts: maxAttempts === undefined ? undefined : uint32(maxAttempts, `${field}.maxAttempts`),
    backoff: backoff && backoffToWire(backoff, `${field}.backoff`),
    retention: retention && retentionToWire(retention, `${field}.retention`),
    timeout: timeoutMs === undefined ? undefined : durationFromMs(timeoutMs, `${field}.timeoutMs`),
  });
}

function backoffToWire(backoff: Backoff, field: string): WireBackoff {
  const { initialMs, maxMs, multiplier, jitter } = backoff;
  return create(
    BackoffSchema,
    defined({
      initial: initialMs === undefined ? undefined : durationFromMs(initialMs, `${field}.initialMs`),
      max: maxMs === undefined ? undefined : durationFromMs(maxMs, `${field}.maxMs`),
      multiplierPercent: multiplier === undefined ? undefined : percent(multiplier, `${field}.multiplier`),
      jitterPercent: jitter === undefined ? undefined : percent(jitter, `${field}.jitter`),
    }),
  );
}

/** A factor in percent, rounded to the nearest. */
function percent(factor: number, field: string): number {
  return uint32(Math.round(factor * 100), field);
}

function retentionToWire(retention: Retention, field: string): WireRetention {
  const { completedMs, deadMs, cancelledMs } = retention;
  const duration = (ms: number | undefined, name: string) =>
    ms === undefined ? undefined : durationFromMs(ms, `${field}.${name}`);
  return create(
    RetentionSchema,
    defined({
      completed: duration(completedMs, "completedMs"),
      dead: duration(deadMs, "deadMs"),
      cancelled: duration(cancelledMs, "cancelledMs"),
    }),
  );
}
