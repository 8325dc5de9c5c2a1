/** Which jobs a call is about. Owns the refusal of a selection without a condition. */

import { create } from "@bufbuild/protobuf";

import { ClientError } from "./errors.js";
import { JobState as WireJobState } from "./gen/sluicegate/v1/job_pb.js";
import type { JobFilter as WireJobFilter } from "./gen/sluicegate/v1/job_filter_pb.js";
import { JobFilterSchema } from "./gen/sluicegate/v1/job_filter_pb.js";
import { defined, timestamp, uint32 } from "./values.js";

/** Where a job is in its life (semantics 6.1). */
export type JobState = "SCHEDULED" | "READY" | "IN_FLIGHT" | "COMPLETED" | "DEAD" | "CANCELLED";

/** One or several of a kind; of several, any. */
export type OneOrMany<T> = T | readonly T[];

/** Selects the jobs that meet all conditions that are there; of a list, any entry. */
export interface JobFilter {
  /** The jobs with these ids; an empty list selects none. At most 10,000. */
  readonly ids?: OneOrMany<string>;
  /** In one of these queues. At most 100. */
  readonly queue?: OneOrMany<string>;
  /** Of one of these types; an empty entry selects jobs without one. At most 100. */
  readonly type?: OneOrMany<string>;
  /** In one of these states. */
  readonly state?: OneOrMany<JobState>;
  /** Bound to one of these budgets, which need not exist. At most 100. */
  readonly budgetsKey?: OneOrMany<string>;
  /** Of this priority or a larger number (less urgent). 0..=65535. */
  readonly priorityMin?: number;
  /** Of this priority or a smaller number (more urgent). 0..=65535. */
  readonly priorityMax?: number;
  /** Enqueued at or after this. */
  readonly createdFrom?: Date;
  /** Enqueued before this. */
  readonly createdUntil?: Date;
  /** Ready at or after this. */
  readonly runFrom?: Date;
  /** Ready before this. */
  readonly runUntil?: Date;
  /** Every job; calls that change jobs refuse a filter without a condition unless this is said. Stands alone. */
  readonly all?: boolean;
}

const TO_WIRE: Record<JobState, WireJobState> = {
  SCHEDULED: WireJobState.SCHEDULED,
  READY: WireJobState.READY,
  IN_FLIGHT: WireJobState.IN_FLIGHT,
  COMPLETED: WireJobState.COMPLETED,
  DEAD: WireJobState.DEAD,
  CANCELLED: WireJobState.CANCELLED,
};

const FROM_WIRE = new Map(Object.entries(TO_WIRE).map(([name, wire]) => [wire, name as JobState]));

/** A state of the wire; undefined for one that this client doesn't know. */
export function stateFromWire(state: WireJobState): JobState | undefined {
  return FROM_WIRE.get(state);
}

/** The filter as it is sent. */
export function filterToWire(filter: JobFilter): WireJobFilter {
  const { ids, priorityMin, priorityMax } = filter;
  const time = (name: "createdFrom" | "createdUntil" | "runFrom" | "runUntil") => {
    const date = filter[name];
    return date && timestamp(date, `filter.${name}`);
  };
  return create(
    JobFilterSchema,
    defined({
      ids: ids === undefined ? undefined : { ids: many(ids) },
      queues: many(filter.queue),
      types: many(filter.type),
      states: many(filter.state).map((state) => TO_WIRE[state]),
      budgets: many(filter.budgetsKey),
      priorityMin: priorityMin === undefined ? undefined : uint32(priorityMin, "filter.priorityMin"),
      priorityMax: priorityMax === undefined ? undefined : uint32(priorityMax, "filter.priorityMax"),
      createdFrom: time("createdFrom"),
      createdUntil: time("createdUntil"),
      runFrom: time("runFrom"),
      runUntil: time("runUntil"),
      all: filter.all ?? false,
    }),
  );
}

/** The filter of a call that changes jobs: refused without a condition, so that nothing is changed by omission. */
export function changingFilterToWire(filter: JobFilter): WireJobFilter {
  const lists = [filter.queue, filter.type, filter.state, filter.budgetsKey];
  const scalars = [filter.priorityMin, filter.priorityMax, filter.createdFrom, filter.createdUntil, filter.runFrom, filter.runUntil];
  const isLimited =
    filter.ids !== undefined ||
    lists.some((list) => many<string>(list).length > 0) ||
    scalars.some((scalar) => scalar !== undefined);
  if (!isLimited && filter.all !== true) {
    throw new ClientError("the selection has no condition: add one, or say all() to mean every job", "filter");
  }
  return filterToWire(filter);
}

function many<T extends string>(entries: OneOrMany<T> | undefined): T[] {
  if (entries === undefined) {
    return [];
  }
  return typeof entries === "string" ? [entries] : [...entries];
}
