/** How a worker is put together. Checks what would make it useless; bounds are the server's to check. */

import { randomUUID } from "node:crypto";

import { ClientError } from "../errors.js";
import { durationFromMs, uint32 } from "../values.js";
import type { Handler, Handlers } from "./runner.js";

/** Where a worker says what it does: `console` fits, as do most loggers. */
export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** How a worker is put together. */
export interface WorkerOptions {
  /** The queues to serve: 1..=64. */
  readonly queues: readonly string[];
  /** The handler of each type of job. */
  readonly handlers?: Readonly<Record<string, Handler>>;
  /** The handler of all jobs whose type has none of its own. Without one such jobs fail. */
  readonly handler?: Handler;
  /** The most jobs in hand, and so the most handlers at once. 1..=100,000; 16 where absent. */
  readonly window?: number;
  /** The most bytes of payloads and metadata in hand. 1..=1 GiB; 64 MiB where absent. */
  readonly windowBytes?: number;
  /**
   * 1..=128 bytes of `[A-Za-z0-9._:/@-]`, unique among the workers; random where absent. A worker that starts with the id of one
   * that is gone ends the leases of that one at once; with the id of one that is there it takes that one's place.
   */
  readonly workerId?: string;
  /** What a lease, and each extension, is worth, in milliseconds. 1 s..=24 h; 30 s where absent. */
  readonly leaseMs?: number;
  /** How long after its receipt a job's lease is extended at most, in milliseconds, so that a handler that hangs loses its job. */
  readonly leaseTotalMaxMs?: number;
  /** How often a silent side says that it is there, in milliseconds. 1 s..=10 min; 15 s where absent. */
  readonly pingIntervalMs?: number;
  /** The largest frame that the worker takes, in bytes. 64 KiB..=64 MiB; 32 MiB where absent, into which every job fits. */
  readonly maxMessageBytes?: number;
  /** How long a drain waits for handlers before it tells them to stop, in milliseconds. 30 s where absent. */
  readonly drainGraceMs?: number;
  /** How long handlers that were told to stop then have, in milliseconds. 5 s where absent. */
  readonly stopGraceMs?: number;
  /** Where to say what happens; warnings and errors go to the console where absent, and null is nowhere. */
  readonly logger?: Logger | null;
}

/** What a worker is told once and for all. */
export interface Settings {
  readonly queues: readonly string[];
  readonly handlers: Handlers;
  readonly window: number;
  readonly windowBytes: number;
  readonly workerId: string;
  readonly leaseMs: number | undefined;
  readonly leaseTotalMaxMs: number | undefined;
  readonly pingIntervalMs: number;
  readonly maxMessageBytes: number;
  readonly drainGraceMs: number;
  readonly stopGraceMs: number;
  readonly logger: Logger | null;
}

/** The longest that Node's timers wait, in milliseconds. */
const TIMER_MAX_MS = 2 ** 31 - 1;

const QUIET: Logger = {
  info: () => undefined,
  warn: (message) => {
    console.warn(`sluicegate: ${message}`);
  },
  error: (message) => {
    console.error(`sluicegate: ${message}`);
  },
};

/** The settings that options make. `ClientError` without a queue, a handler or a place in the window. */
export function settingsOf(options: WorkerOptions): Settings {
  const { queues, leaseMs, leaseTotalMaxMs } = options;
  const handlers = { byType: new Map(Object.entries(options.handlers ?? {})), forAll: options.handler };
  if (queues.length === 0) {
    throw new ClientError("a worker needs a queue to serve", "queues");
  }
  if (handlers.byType.size === 0 && !handlers.forAll) {
    throw new ClientError("a worker needs a handler", "handlers");
  }
  const window = uint32(options.window ?? 16, "window");
  if (window === 0) {
    throw new ClientError("a worker's window is at least 1", "window");
  }
  for (const name of ["leaseMs", "leaseTotalMaxMs", "pingIntervalMs"] as const) {
    durationFromMs(options[name] ?? 0, name);
  }
  return {
    queues: [...queues],
    handlers,
    window,
    windowBytes: uint32(options.windowBytes ?? 0, "windowBytes"),
    workerId: options.workerId ?? `worker-${randomUUID()}`,
    leaseMs,
    leaseTotalMaxMs,
    pingIntervalMs: options.pingIntervalMs ?? 15_000,
    maxMessageBytes: uint32(options.maxMessageBytes ?? 32 << 20, "maxMessageBytes"),
    drainGraceMs: graceMs(options.drainGraceMs ?? 30_000, "drainGraceMs"),
    stopGraceMs: graceMs(options.stopGraceMs ?? 5_000, "stopGraceMs"),
    logger: options.logger === undefined ? QUIET : options.logger,
  };
}

function graceMs(ms: number, field: string): number {
  if (!(ms >= 0 && ms <= TIMER_MAX_MS)) {
    throw new ClientError(`${field} is ${ms}: give 0 to ${TIMER_MAX_MS} milliseconds`, field);
  }
  return ms;
}
