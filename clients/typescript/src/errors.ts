/**
 * What can go wrong, one class a reason of the contract. Owns the decoding of a status' details; decides nothing by the words
 * of a status.
 */

import { Code, ConnectError } from "@connectrpc/connect";

import type { ErrorInfo } from "./gen/google/rpc/error_details_pb.js";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";

/** The `ErrorInfo.domain` under which the reasons of this contract stand. */
const DOMAIN = "sluicegate";

/** A field that was refused. */
export interface FieldViolation {
  /** Its path, such as `jobs[3].bindings[0].cost`. */
  readonly field: string;
  /** What is wrong with it. */
  readonly description: string;
}

/** What a status says. */
export interface ErrorFacts {
  /** The contract's reason, such as `BUDGET_NOT_FOUND`; one that this client doesn't know as it came. */
  readonly reason?: string | undefined;
  /** Whether the same call may succeed later. */
  readonly retryable?: boolean;
  /** How long the server asks callers to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The fields that were refused. */
  readonly fields?: readonly FieldViolation[];
  /** The facts of the reason, by name. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** What is below it. */
  readonly cause?: unknown;
}

/** The base of everything that this package throws, aborted calls apart: those throw their signal's reason. */
export class SluicegateError extends Error {
  /** The contract's reason, such as `BUDGET_NOT_FOUND`; undefined where there is none. */
  readonly reason: string | undefined;
  /**
   * Whether the same call may succeed later. After {@link StoreUnavailableError} and {@link UnavailableError} the call may have
   * taken effect already: repeat an enqueue only with its request id.
   */
  readonly retryable: boolean;
  /** How long the server asks callers to wait before they try again, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The fields that were refused; empty for most errors. */
  readonly fields: readonly FieldViolation[];
  /** The facts of the reason, by name: `budget`, `job_id`, `cost` and so on, as the contract lists them. */
  readonly metadata: Readonly<Record<string, string>>;

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.reason = facts.reason;
    this.retryable = facts.retryable ?? false;
    this.retryAfterMs = facts.retryAfterMs;
    this.fields = facts.fields ?? [];
    this.metadata = facts.metadata ?? {};
  }

  /** A fact by its name; empty where the server left it out. */
  protected fact(name: string): string {
    return this.metadata[name] ?? "";
  }
}

/** The client itself refuses: nothing was sent. */
export class ClientError extends SluicegateError {
  constructor(message: string, field?: string, cause?: unknown) {
    super(message, { fields: field === undefined ? [] : [{ field, description: message }], cause });
  }
}

/** A field is missing or outside its bounds: INVALID_FIELD. See {@link SluicegateError.fields}. */
export class InvalidFieldError extends SluicegateError {}

/** The base of errors about one budget. */
abstract class BudgetError extends SluicegateError {
  /** The budget's key. */
  get budget(): string {
    return this.fact("budget");
  }
}

/** The base of errors about one job. */
abstract class JobError extends SluicegateError {
  /** The job's id. */
  get jobId(): string {
    return this.fact("job_id");
  }
}

/** The base of errors about one job's binding to one budget. */
abstract class BindingError extends JobError {
  /** The budget's key. */
  get budget(): string {
    return this.fact("budget");
  }
}

/** The budget exists, and keeps its policy: BUDGET_ALREADY_EXISTS (semantics 7.1). */
export class ConflictError extends BudgetError {}

/** The job is bound to the budget already: ALREADY_BOUND (semantics 8.1). */
export class AlreadyBoundError extends BindingError {}

/** There is no such budget, whether it was asked for or named by a binding: BUDGET_NOT_FOUND (semantics 3.3). */
export class BudgetNotFoundError extends BudgetError {}

/** There is no such job; it may have been removed: JOB_NOT_FOUND. */
export class JobNotFoundError extends JobError {}

/** The job isn't bound to the budget: NOT_BOUND (semantics 8.1). */
export class NotBoundError extends BindingError {}

/** There is no such queue: QUEUE_NOT_FOUND. */
export class QueueNotFoundError extends SluicegateError {
  /** The name that was asked for. */
  get queue(): string {
    return this.fact("queue");
  }
}

/** A cost is above the capacity of its budget: COST_EXCEEDS_CAPACITY (semantics 3.2, 7.4). */
export class CostExceedsCapacityError extends BudgetError {
  /** The largest cost above the capacity, in tokens. */
  get cost(): bigint {
    return BigInt(this.fact("cost"));
  }

  /** The capacity that is, or would be, in force, in tokens. */
  get capacity(): bigint {
    return BigInt(this.fact("capacity"));
  }

  /** Of a policy change: up to 10 of the jobs that stand against it. */
  get jobIds(): string[] {
    return this.fact("job_ids")
      .split(",")
      .filter((id) => id !== "");
  }

  /** Of a policy change: how many jobs there are; else 0. */
  get total(): number {
    return Number(this.fact("total"));
  }
}

/** Unfinished jobs are bound to the budget: BUDGET_IN_USE (semantics 7.5). */
export class BudgetInUseError extends BudgetError {
  /** How many jobs. */
  get total(): number {
    return Number(this.fact("total"));
  }
}

/** The job is in flight, where its bindings never change: JOB_IN_FLIGHT (semantics 3.5). */
export class JobInFlightError extends JobError {}

/** The job is over: JOB_FINISHED. */
export class JobFinishedError extends JobError {
  /** How it ended: `COMPLETED`, `DEAD` or `CANCELLED`. */
  get state(): string {
    return this.fact("state").replace("JOB_STATE_", "").toUpperCase();
  }
}

/** The policy was changed since its etag was read: ETAG_MISMATCH. */
export class EtagMismatchError extends BudgetError {
  /** The etag it has now. */
  get etag(): string {
    return this.fact("etag");
  }
}

/** A newer worker with the same id took over: SESSION_SUPERSEDED. */
export class SessionSupersededError extends SluicegateError {
  /** The id of both workers. */
  get workerId(): string {
    return this.fact("worker_id");
  }
}

/** The server has all the budgets it may have: BUDGET_LIMIT_REACHED. */
export class BudgetLimitReachedError extends SluicegateError {
  /** How many. */
  get limit(): number {
    return Number(this.fact("limit"));
  }
}

/** Too much is stored, open or waiting at once, and nothing was done: OVERLOADED. */
export class OverloadedError extends SluicegateError {
  /** Of what there is too much. */
  get what(): string {
    return this.fact("what");
  }

  /** How much there may be. */
  get limit(): number {
    return Number(this.fact("limit"));
  }
}

/** A commit failed, and **whether the call took effect is unknown**: STORE_UNAVAILABLE (semantics 10.3). */
export class StoreUnavailableError extends SluicegateError {}

/** The server is shutting down, and did nothing: DRAINING. */
export class DrainingError extends SluicegateError {}

/** The server couldn't be reached, or the connection broke. Whether the call took effect is unknown. */
export class UnavailableError extends SluicegateError {}

/** Any other status: a reason that this client doesn't know, a time limit that is over, a proxy's words. */
export class StatusError extends SluicegateError {
  /** The gRPC status code. */
  readonly code: Code;

  constructor(message: string, code: Code, facts: ErrorFacts) {
    super(message, facts);
    this.code = code;
  }
}

/** The server's answer lacks something that the contract promises. */
export class UnexpectedAnswerError extends SluicegateError {
  constructor(what: string) {
    super(`the server's answer lacks ${what}`);
  }
}

type ReasonClass = new (message: string, facts: ErrorFacts) => SluicegateError;

/** The class of each reason, and whether the same call may succeed later. */
const REASONS: ReadonlyMap<string, readonly [ReasonClass, retryable: boolean]> = new Map<
  string,
  readonly [ReasonClass, boolean]
>([
  ["INVALID_FIELD", [InvalidFieldError, false]],
  ["BUDGET_ALREADY_EXISTS", [ConflictError, false]],
  ["ALREADY_BOUND", [AlreadyBoundError, false]],
  ["BUDGET_NOT_FOUND", [BudgetNotFoundError, false]],
  ["JOB_NOT_FOUND", [JobNotFoundError, false]],
  ["NOT_BOUND", [NotBoundError, false]],
  ["QUEUE_NOT_FOUND", [QueueNotFoundError, false]],
  ["COST_EXCEEDS_CAPACITY", [CostExceedsCapacityError, false]],
  ["BUDGET_IN_USE", [BudgetInUseError, false]],
  ["JOB_IN_FLIGHT", [JobInFlightError, false]],
  ["JOB_FINISHED", [JobFinishedError, false]],
  ["ETAG_MISMATCH", [EtagMismatchError, false]],
  ["SESSION_SUPERSEDED", [SessionSupersededError, false]],
  ["BUDGET_LIMIT_REACHED", [BudgetLimitReachedError, false]],
  ["OVERLOADED", [OverloadedError, true]],
  ["STORE_UNAVAILABLE", [StoreUnavailableError, true]],
  ["DRAINING", [DrainingError, true]],
]);

/** The names of all reasons that have a class of their own. */
export const KNOWN_REASONS: readonly string[] = [...REASONS.keys()];

/** Whatever a call threw, as this package's error. */
export function fromThrown(thrown: unknown): SluicegateError {
  if (thrown instanceof SluicegateError) {
    return thrown;
  }
  const error = ConnectError.from(thrown);
  const info = error.findDetails(ErrorInfoSchema).find((it) => it.domain === DOMAIN);
  return info ? fromReason(error, info) : fromStatus(error);
}

function fromReason(error: ConnectError, info: ErrorInfo): SluicegateError {
  const [known, retryable] = REASONS.get(info.reason) ?? [undefined, error.code === Code.Unavailable];
  const facts: ErrorFacts = {
    reason: info.reason,
    retryable,
    retryAfterMs: retryAfterMs(error),
    fields: fields(error, info),
    metadata: info.metadata,
    cause: error,
  };
  return known ? new known(error.rawMessage, facts) : new StatusError(error.rawMessage, error.code, facts);
}

function fromStatus(error: ConnectError): SluicegateError {
  const facts = { retryAfterMs: retryAfterMs(error), cause: error };
  if (error.code === Code.Unavailable || isBroken(error)) {
    return new UnavailableError(error.message, { ...facts, retryable: true });
  }
  return new StatusError(error.message, error.code, facts);
}

/**
 * Whether the connection failed below the call: no status of the server's came, and no limit of the caller's was met. A stream that
 * is reset as the connection goes down looks like one that was cancelled; what the caller cancelled is told by his signal, before.
 */
function isBroken(error: ConnectError): boolean {
  const isLocal = error.metadata.get("grpc-status") === null && error.details.length === 0;
  const isOurs = error.code === Code.DeadlineExceeded;
  return isLocal && !isOurs && (error.code === Code.Canceled || isOfNode(error.cause));
}

/** Whether Node's own streams or sockets failed. */
function isOfNode(cause: unknown): boolean {
  if (!(cause instanceof Error)) {
    return false;
  }
  return ("code" in cause && typeof cause.code === "string") || isOfNode(cause.cause);
}

function retryAfterMs(error: ConnectError): number | undefined {
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  return delay && Number(delay.seconds) * 1000 + delay.nanos / 1e6;
}

/** All fields of BadRequest; else the one that the metadata name. */
function fields(error: ConnectError, info: ErrorInfo): FieldViolation[] {
  const listed = error.findDetails(BadRequestSchema).flatMap((request) => request.fieldViolations);
  if (listed.length > 0) {
    return listed.map(({ field, description }) => ({ field, description }));
  }
  const field = info.reason === "INVALID_FIELD" ? info.metadata["field"] : undefined;
  return field === undefined ? [] : [{ field, description: error.rawMessage }];
}
