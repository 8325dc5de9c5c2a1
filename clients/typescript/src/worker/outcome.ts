/** What handlers answer, and the settlement it becomes. Owns the mapping; starts and sends nothing. */

import { create } from "@bufbuild/protobuf";

import type { SettleOutcome } from "../gen/sluicegate/v1/settle_pb.js";
import { SettleOutcomeSchema } from "../gen/sluicegate/v1/settle_pb.js";
import type { LeaseEnd, Throttle, Usage } from "../lease.js";
import { settlementToWire } from "../lease.js";
import { JsonText, jsonText } from "../payload.js";
import type { Integer } from "../values.js";
import { durationFromMs, uint64 } from "../values.js";

/** The largest result that the server keeps, in bytes. */
const RESULT_BYTES_MAX = 64 * 1024;

/** The longest error that the server keeps, in bytes; no more characters than that are sent. */
const ERROR_CHARACTERS_MAX = 4096;

/** The base of what a handler throws, or returns, to say what is to become of its job. Anything else that it throws is a failure. */
export abstract class HandlerOutcome extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  /** @internal */
  abstract get end(): LeaseEnd;

  /** @internal */
  get throttle(): Throttle | undefined {
    return undefined;
  }
}

/** The attempt failed, and is used up; the job is retried after its backoff, or after `retryAfterMs` (0..=24 h). */
export class Failure extends HandlerOutcome {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs?: number } = {}) {
    super(message, options);
    const { retryAfterMs } = options;
    if (retryAfterMs !== undefined) {
      durationFromMs(retryAfterMs, "retryAfterMs");
    }
    this.retryAfterMs = retryAfterMs;
  }

  override get end(): LeaseEnd {
    return { type: "failure", message: chain(this), retryAfterMs: this.retryAfterMs };
  }
}

/** The job is dead at once, whatever attempts are left. */
export class Discard extends HandlerOutcome {
  override get end(): LeaseEnd {
    return { type: "discard", message: chain(this) };
  }
}

/** Nothing is wrong with the job: it goes back at its old rank, for at least `delayMs` (0..=24 h); no attempt is used. */
export class Release extends HandlerOutcome {
  readonly delayMs: number | undefined;

  constructor(options: { readonly delayMs?: number } = {}) {
    super("released by its handler");
    const { delayMs } = options;
    if (delayMs !== undefined) {
      durationFromMs(delayMs, "delayMs");
    }
    this.delayMs = delayMs;
  }

  override get end(): LeaseEnd {
    return { type: "release", delayMs: this.delayMs };
  }
}

/** A limit of the far side was met: the job goes back, and the budget dispatches nothing for `retryAfterMs` (semantics 9.3). */
export class Throttled extends HandlerOutcome {
  constructor(
    /** The budget's key; the job must be bound to it. */
    readonly budget: string,
    /** From now, in milliseconds. 0..=24 h. */
    readonly retryAfterMs: number,
  ) {
    durationFromMs(retryAfterMs, "retryAfterMs");
    super(`throttled: budget ${budget} for ${retryAfterMs} ms`);
  }

  override get end(): LeaseEnd {
    return { type: "release" };
  }

  override get throttle(): Throttle {
    return { key: this.budget, retryAfterMs: this.retryAfterMs };
  }
}

/** What a handler reports besides its outcome: the last report for a budget counts. */
export class Reports {
  readonly #usage = new Map<string, bigint>();
  readonly #throttled = new Map<string, number>();

  used(key: string, cost: Integer): void {
    this.#usage.set(key, uint64(cost, "cost"));
  }

  throttled(key: string, retryAfterMs: number): void {
    durationFromMs(retryAfterMs, "retryAfterMs");
    this.#throttled.set(key, retryAfterMs);
  }

  get usage(): Usage[] {
    return [...this.#usage].map(([key, cost]) => ({ key, cost }));
  }

  get throttles(): Throttle[] {
    return [...this.#throttled].map(([key, retryAfterMs]) => ({ key, retryAfterMs }));
  }
}

/** How an attempt ended, for the counters. */
export type Ending = "succeeded" | "failed" | "released" | "lost";

/** How a handler ended: with a value, or by throwing. */
export type Answer = { readonly returned: unknown } | { readonly thrown: unknown };

/**
 * The settlement of an answer, and how it counts.
 *
 * A failure of a handler that was told to stop since its worker stops says nothing about the job: it is a release.
 */
export function settlement(
  leaseId: string,
  answer: Answer,
  reports: Reports,
  workerStops: boolean,
): { outcome: SettleOutcome; ending: Ending } {
  const [said, throttle] = saidBy(answer);
  const end: LeaseEnd = said.type === "failure" && workerStops ? { type: "release" } : said;
  if (throttle) {
    reports.throttled(throttle.key, throttle.retryAfterMs);
  }
  const outcome = settlementToWire({ leaseId, outcome: end, usage: reports.usage, throttled: reports.throttles });
  return { outcome, ending: ENDINGS[end.type] };
}

const ENDINGS: Record<LeaseEnd["type"], Ending> = {
  success: "succeeded",
  failure: "failed",
  discard: "failed",
  release: "released",
};

function saidBy(answer: Answer): [end: LeaseEnd, throttle?: Throttle | undefined] {
  if ("thrown" in answer) {
    const { thrown } = answer;
    return thrown instanceof HandlerOutcome ? [thrown.end, thrown.throttle] : [{ type: "failure", message: chain(thrown) }];
  }
  const { returned } = answer;
  if (returned instanceof HandlerOutcome) {
    return [returned.end, returned.throttle];
  }
  try {
    return [{ type: "success", ...resultOf(returned) }];
  } catch (error) {
    return [{ type: "failure", message: chain(error) }];
  }
}

/** The bytes of what a handler returned. One that is too large for the server is left out, as the server would leave it out. */
function resultOf(returned: unknown): { result?: Uint8Array } {
  if (returned === undefined) {
    return {};
  }
  const result = returned instanceof Uint8Array ? returned : new TextEncoder().encode(resultText(returned));
  return result.byteLength > RESULT_BYTES_MAX ? {} : { result };
}

function resultText(returned: unknown): string {
  return returned instanceof JsonText ? returned.text : jsonText(returned, "the handler's result");
}

/** What the job's life depends on, without what the server may have refused. */
export function withoutOptions(outcome: SettleOutcome): SettleOutcome {
  const { leaseId, outcome: end } = outcome;
  switch (end.case) {
    case "success":
      return create(SettleOutcomeSchema, { leaseId, outcome: { case: "success", value: {} } });
    case "failure": {
      const { error, discard } = end.value;
      return create(SettleOutcomeSchema, { leaseId, outcome: { case: "failure", value: { error, discard } } });
    }
    case "release":
    case undefined:
      return create(SettleOutcomeSchema, { leaseId, outcome: { case: "release", value: {} } });
  }
}

/** Bytes of a settlement as encoded, at most. */
export function encodedBytesMax(outcome: SettleOutcome): number {
  const { outcome: end } = outcome;
  // UTF-8 takes up to three bytes for what JavaScript counts as one.
  const said = end.case === "failure" ? 3 * end.value.error.length : end.case === "success" ? end.value.result.byteLength : 0;
  const named = [...outcome.usage, ...outcome.throttled].reduce((sum, { budget }) => sum + 3 * budget.length + 32, 0);
  return 3 * outcome.leaseId.length + said + named + 64;
}

/** An error and what caused it, joined by colons, as long as the server keeps it. */
export function chain(thrown: unknown): string {
  const parts: string[] = [];
  const seen = new Set<unknown>();
  let next: unknown = thrown;
  while (next instanceof Error && !seen.has(next)) {
    seen.add(next);
    parts.push(next.message === "" ? next.name : next.message);
    next = next.cause;
  }
  if (parts.length === 0 || (next !== undefined && !(next instanceof Error))) {
    parts.push(typeof next === "string" ? next : describe(next));
  }
  // A pair of surrogates isn't cut in two.
  return parts.join(": ").slice(0, ERROR_CHARACTERS_MAX).replace(/[\uD800-\uDBFF]$/, "");
}

function describe(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "a value without words";
  }
}
