/** Values of the conformance protocol, between its JSON and this client's own. */

import type {
  Budget,
  Changed,
  Job,
  JobFilter,
  JobPatch,
  JobState,
  LeasedJob,
  LeaseEnd,
  NewBinding,
  NewJob,
  Payload,
  Policy,
  PolicyPatch,
  Strategy,
} from "@sluicegate/client";
import { ClientError, JsonText, SluicegateError } from "@sluicegate/client";

export type Json = Record<string, unknown>;

interface JsonPolicy {
  allocation: string;
  strategy: { type: "while_in_flight" } | { type: "time_based"; durationMs: number; burst?: string };
  reserveAfter?: { afterMs: number } | "never";
}

export interface JsonBinding {
  key: string;
  cost?: string;
  createWith?: JsonPolicy;
}

export type JsonPayload = { json: string } | { base64: string };

export interface JsonJob extends Omit<NewJob, "payload" | "budgets" | "runAt"> {
  payload?: JsonPayload;
  runInMs?: number;
  budgets?: JsonBinding[];
}

export interface JsonFilter {
  all?: boolean;
  ids?: string[];
  queues?: string[];
  types?: string[];
  states?: JobState[];
  budgets?: string[];
  priorityMin?: number;
  priorityMax?: number;
}

export interface JsonOutcome {
  success?: { resultBase64?: string };
  failure?: { message: string; retryAfterMs?: number };
  discard?: { message: string };
  release?: { delayMs?: number };
  throttled?: { budget: string; retryAfterMs: number };
  raise?: { message: string };
}

export function policy(json: JsonPolicy): Policy {
  const { allocation, strategy, reserveAfter } = json;
  return { allocation: BigInt(allocation), strategy: wholeStrategy(strategy), ...(reserveAfter && { reserveAfter }) };
}

function wholeStrategy(json: JsonPolicy["strategy"]): Strategy {
  if (json.type === "while_in_flight") {
    return { type: json.type };
  }
  const { type, durationMs, burst } = json;
  return { type, durationMs, ...(burst !== undefined && { burst: BigInt(burst) }) };
}

export interface JsonPatch {
  allocation?: string;
  strategy?: { type?: string; durationMs?: number; burst?: string | null };
  reserveAfter?: { afterMs: number } | "never";
}

export function policyPatch(json: JsonPatch): PolicyPatch {
  const { allocation, strategy, reserveAfter } = json;
  return {
    ...(allocation !== undefined && { allocation: BigInt(allocation) }),
    ...(strategy && { strategy: strategyPatch(strategy) }),
    ...(reserveAfter && { reserveAfter }),
  };
}

function strategyPatch(json: NonNullable<JsonPatch["strategy"]>): NonNullable<PolicyPatch["strategy"]> {
  const { type, durationMs, burst } = json;
  if (type !== undefined) {
    return wholeStrategy(json as JsonPolicy["strategy"]);
  }
  return {
    ...(durationMs !== undefined && { durationMs }),
    ...(burst !== undefined && { burst: burst === null ? null : BigInt(burst) }),
  };
}

export function binding({ key, cost, createWith }: JsonBinding): NewBinding {
  return {
    key,
    ...(cost !== undefined && { cost: BigInt(cost) }),
    ...(createWith && { createWith: policy(createWith) }),
  };
}

export function newJob({ payload, runInMs, budgets, ...rest }: JsonJob): NewJob {
  return {
    ...rest,
    ...(payload && { payload: payloadIn(payload) }),
    ...(runInMs !== undefined && { runAt: new Date(Date.now() + runInMs) }),
    ...(budgets && { budgets: budgets.map(binding) }),
  };
}

function payloadIn(payload: JsonPayload): Payload {
  return "json" in payload ? new JsonText(payload.json) : bytes(payload.base64);
}

export function jobPatch({ runInMs, ...rest }: Omit<JobPatch, "runAt"> & { runInMs?: number }): JobPatch {
  return { ...rest, ...(runInMs !== undefined && { runAt: new Date(Date.now() + runInMs) }) };
}

export function filter({ queues, types, states, budgets, ...rest }: JsonFilter): JobFilter {
  return {
    ...rest,
    ...(queues && { queue: queues }),
    ...(types && { type: types }),
    ...(states && { state: states }),
    ...(budgets && { budgetsKey: budgets }),
  };
}

export function leaseEnd(json: JsonOutcome): LeaseEnd {
  const { success, failure, discard, release } = json;
  if (success) {
    return { type: "success", ...(success.resultBase64 !== undefined && { result: bytes(success.resultBase64) }) };
  }
  if (failure) {
    return { type: "failure", ...failure };
  }
  return discard ? { type: "discard", ...discard } : { type: "release", ...release };
}

export function budgetOut({ key, policy, etag, status }: Budget): Json {
  const { allocation, strategy, reserveAfter } = policy;
  const burst = strategy.burst === undefined ? {} : { burst: String(strategy.burst) };
  return {
    key,
    policy: { allocation: String(allocation), strategy: { ...strategy, ...burst }, reserveAfter },
    etag,
    available: String(status.available),
    capacity: String(status.capacity),
    inFlightCost: String(status.inFlightCost),
    inFlightJobs: String(status.inFlightJobs),
    parkedJobs: String(status.parkedJobs),
    boundJobs: String(status.boundJobs),
    blocked: status.blocked,
  };
}

export function jobOut(job: Job): Json {
  const { id, queue, type, state, priority, attempts, maxAttempts, metadata, errors, result } = job;
  return {
    ...{ id, queue, type, state, priority, attempts, maxAttempts, metadata },
    payload: payloadOut(job),
    budgets: budgetsOut(job),
    errors: errors.map(({ attempt, message }) => ({ attempt, error: message })),
    ...(result.byteLength > 0 && { resultBase64: base64(result) }),
  };
}

export function payloadOut(job: Job | LeasedJob): JsonPayload | undefined {
  const { payloadText } = job;
  if (payloadText !== undefined) {
    return { json: payloadText };
  }
  const { payload } = job;
  return payload instanceof Uint8Array ? { base64: base64(payload) } : undefined;
}

export function budgetsOut({ budgets }: Job | LeasedJob): Json[] {
  return budgets.map(({ key, cost }) => ({ key, cost: String(cost) }));
}

export function changedOut({ changed, blocked, blockedCount }: Changed): Json {
  return { changed: String(changed), blocked, blockedCount: String(blockedCount) };
}

export function errorOut(error: unknown): Json {
  if (!(error instanceof SluicegateError)) {
    return { reason: null, kind: "Unexpected", retryable: false, retryAfterMs: null, fields: [], message: String(error) };
  }
  const { reason, retryable, retryAfterMs, fields, message } = error;
  return {
    reason: reason ?? null,
    kind: error instanceof ClientError ? "Client" : error.name,
    retryable,
    retryAfterMs: retryAfterMs ?? null,
    fields: fields.map(({ field }) => field),
    message,
  };
}

export function bytes(base64: string): Uint8Array {
  return Uint8Array.from(Buffer.from(base64, "base64"));
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
