/** Sluicegate's client: producers and administration (`Client`), and workers (`Worker`). */

export type {
  Budget,
  BudgetDefinition,
  BudgetStatus,
  Policy,
  PolicyPatch,
  ReserveAfter,
  Strategy,
  StrategyPatch,
  TimeBased,
  WhileInFlight,
} from "./budget.js";
export { Client } from "./client.js";
export type { BatchEnqueued, DefineOptions, Enqueued, EnqueueOptions } from "./client.js";
export type { CallOptions, ClientOptions, TlsOptions } from "./connection.js";
export {
  AlreadyBoundError,
  BudgetInUseError,
  BudgetLimitReachedError,
  BudgetNotFoundError,
  ClientError,
  ConflictError,
  CostExceedsCapacityError,
  DrainingError,
  EtagMismatchError,
  InvalidFieldError,
  JobFinishedError,
  JobInFlightError,
  JobNotFoundError,
  NotBoundError,
  OverloadedError,
  QueueNotFoundError,
  SessionSupersededError,
  SluicegateError,
  StatusError,
  StoreUnavailableError,
  UnavailableError,
  UnexpectedAnswerError,
} from "./errors.js";
export type { ErrorFacts, FieldViolation } from "./errors.js";
export type { BudgetExplanation, HoldUp, JobExplanation, QueueExplanation } from "./explain.js";
export type { JobFilter, JobState, OneOrMany } from "./filter.js";
export type { AttemptError, Binding, CancelOptions, Job, Lease } from "./job.js";
export type { Backoff, JobPatch, NewBinding, NewJob, Retention, UniqueKey } from "./job_spec.js";
export type {
  ExtendResult,
  LeaseEnd,
  LeasedJob,
  LeaseRequest,
  Settlement,
  SettleResult,
  Throttle,
  Usage,
} from "./lease.js";
export type { ListOptions } from "./listing.js";
export { JsonText } from "./payload.js";
export type { Payload } from "./payload.js";
export type { Queue } from "./queue.js";
export type { BulkOptions, Changed, JobSelection } from "./selection.js";
export type { Integer } from "./values.js";
export { JobCancelled } from "./worker/context.js";
export type { CancelReason, JobContext } from "./worker/context.js";
export { Discard, Failure, HandlerOutcome, Release, Throttled } from "./worker/outcome.js";
export type { Handler } from "./worker/runner.js";
export type { Logger, WorkerOptions } from "./worker/settings.js";
export type { WorkerStats } from "./worker/stats.js";
export { Worker } from "./worker/worker.js";
