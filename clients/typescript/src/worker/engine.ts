/**
 * A worker between its streams: what it holds, its handlers, and whether it works, drains or stops. Outlives every stream, and goes
 * on without one. Sends nothing.
 */

import { create } from "@bufbuild/protobuf";

import type { LeasesRevoked, WorkerHello } from "../gen/sluicegate/v1/dispatch_pb.js";
import { WorkerHelloSchema } from "../gen/sluicegate/v1/dispatch_pb.js";
import type { LeasedJob as WireLeasedJob } from "../gen/sluicegate/v1/job_pb.js";
import type { ExtendResult, SettleResult } from "../gen/sluicegate/v1/settle_pb.js";
import { LeasedJob } from "../lease.js";
import { durationFromMs } from "../values.js";
import { VERSION } from "../version.js";
import type { Stop } from "./inflight.js";
import { Inflight } from "./inflight.js";
import { settlement } from "./outcome.js";
import type { Finished } from "./runner.js";
import { Runner } from "./runner.js";
import type { Settings } from "./settings.js";
import type { WorkerStats } from "./stats.js";

/** How far a worker is on its way out: it takes jobs; takes none and waits for handlers; has told them to stop; waits for nothing. */
type Phase = "working" | "draining" | "stopping" | "over";

/** The part of a worker that outlives its streams. */
export class Engine {
  readonly settings: Settings;
  readonly inflight: Inflight;
  readonly stats: WorkerStats;
  /** Called after something has happened here that a stream should know of. */
  onChange: () => void = () => undefined;
  readonly #runner: Runner;
  #phase: Phase = "working";
  #phaseTimer: NodeJS.Timeout | undefined;

  constructor(settings: Settings, stats: WorkerStats) {
    this.settings = settings;
    this.stats = stats;
    this.inflight = new Inflight(settings.leaseTotalMaxMs, Math.random);
    this.#runner = new Runner(settings.handlers, settings.window, (finished) => {
      this.#finished(finished);
    });
  }

  /** Handlers that haven't ended. */
  get busy(): number {
    return this.#runner.busy;
  }

  /** Whether the worker is on its way out and has nothing left to wait for. */
  get isDone(): boolean {
    switch (this.#phase) {
      case "working":
        return false;
      case "draining":
      case "stopping":
        return this.#runner.busy === 0 && this.inflight.size === 0;
      case "over":
        return true;
    }
  }

  /** Jobs that the server may let this worker hold: handlers whose leases are lost take places away. */
  get window(): number {
    if (this.#phase !== "working") {
      return 0;
    }
    const lost = Math.max(this.#runner.busy - this.inflight.started, 0);
    return Math.max(this.settings.window - lost, 0);
  }

  /** What opens a stream: who this worker is, and what it still holds (semantics 5.2). */
  hello(): WorkerHello {
    const { settings } = this;
    const { leaseMs } = settings;
    return create(WorkerHelloSchema, {
      workerId: settings.workerId,
      queues: settings.queues.map((name) => ({ name })),
      window: this.windowFrame(),
      ...(leaseMs !== undefined && { leaseDuration: durationFromMs(leaseMs, "leaseMs") }),
      heldLeases: { leaseIds: this.inflight.leaseIds },
      confirmsReceipt: true,
      pingInterval: durationFromMs(settings.pingIntervalMs, "pingIntervalMs"),
      maxMessageBytes: settings.maxMessageBytes,
      client: { name: "sluicegate-client-typescript", version: VERSION },
    });
  }

  /** The window as it is now. */
  windowFrame(): { maxJobs: bigint; maxBytes: bigint } {
    return { maxJobs: BigInt(this.window), maxBytes: BigInt(this.settings.windowBytes) };
  }

  /** Takes nothing more, gives back what has no handler, and waits for handlers. */
  drain(): void {
    if (this.#phase !== "working") {
      return;
    }
    const { logger, drainGraceMs } = this.settings;
    this.#runner.clearWaiting();
    const released = this.inflight.releaseWaiting(performance.now());
    for (let i = 0; i < released; i += 1) {
      this.stats.ended("released");
    }
    logger?.info(`worker drains: ${this.#runner.busy} handlers at work, ${released} jobs given back`);
    this.#enter("draining", drainGraceMs);
  }

  /** Takes in pushed jobs. */
  pushed(jobs: readonly WireLeasedJob[], now: number): void {
    for (const wire of jobs) {
      try {
        this.#pushedOne(new LeasedJob(wire), now);
      } catch (error) {
        this.settings.logger?.error(`a pushed job is incomplete, and its lease will expire: ${String(error)}`);
      }
    }
    this.#startWaiting();
    this.#count();
  }

  /** Takes in what a stream began with. */
  welcomed(lostLeaseIds: readonly string[], now: number): void {
    this.#stop(this.inflight.welcomed(lostLeaseIds, now));
  }

  /** Takes in what became of settlements. */
  settled(results: readonly SettleResult[], now: number): void {
    for (const result of results) {
      this.#settledOne(result, now);
    }
    this.#count();
  }

  /** Takes in what became of extensions. */
  extended(results: readonly ExtendResult[], now: number): void {
    this.#stop(results.map((result) => this.inflight.extended(result, now)));
  }

  /** Takes in that leases were taken away, or are to be ended. */
  revoked({ leaseIds, reason }: LeasesRevoked, now: number): void {
    this.#stop(leaseIds.map((id) => this.inflight.revoked(id, reason, now)));
  }

  /** Ends for good: handlers are told that their leases are lost, and have the stop grace to end. Resolves then. */
  async abandon(): Promise<void> {
    this.#runner.clearWaiting();
    this.#runner.stopAll("lease_lost");
    if (this.#runner.busy > 0) {
      await new Promise<void>((resolve) => {
        this.onChange = () => {
          if (this.#runner.busy === 0 || this.#phase === "over") {
            resolve();
          }
        };
        this.#enter("stopping", this.settings.stopGraceMs);
      });
    }
    this.close();
    this.stats.setInHand(0);
  }

  /** Waits for nothing any more, neither handlers nor time. */
  close(): void {
    this.#phase = "over";
    clearTimeout(this.#phaseTimer);
    this.#runner.abandonAll();
  }

  #enter(phase: "draining" | "stopping", ms: number): void {
    this.#phase = phase;
    clearTimeout(this.#phaseTimer);
    this.#phaseTimer = setTimeout(() => {
      this.#phaseOver();
    }, ms);
    this.#count();
    this.onChange();
  }

  #phaseOver(): void {
    if (this.#phase === "draining") {
      this.settings.logger?.warn(`worker stops its handlers: ${this.#runner.busy} at work`);
      this.#runner.stopAll("worker_stopping");
      this.#enter("stopping", this.settings.stopGraceMs);
    } else {
      this.close();
      this.onChange();
    }
  }

  #finished({ id, answer, reports, stopped }: Finished): void {
    const { outcome, ending } = settlement(id, answer, reports, stopped === "worker_stopping");
    const isHeld = this.inflight.settle(id, outcome, performance.now());
    this.stats.ended(isHeld ? ending : "lost");
    this.#startWaiting();
    this.#count();
    this.onChange();
  }

  #pushedOne(job: LeasedJob, now: number): void {
    const { id, cancelRequested } = job.lease;
    if (!this.inflight.pushed(job, now)) {
      return;
    }
    if (this.#phase !== "working" || cancelRequested) {
      this.inflight.release(id, now);
      this.stats.ended("released");
    } else {
      this.#runner.enqueue(id, job);
    }
  }

  #startWaiting(): void {
    this.#runner.startWaiting((id) => this.inflight.start(id));
  }

  #settledOne(result: SettleResult, now: number): void {
    const { logger } = this.settings;
    const { leaseId, error } = result;
    switch (this.inflight.confirmed(result, now)) {
      case "settled":
      case "unknown":
        return;
      case "too_late":
        logger?.warn(`lease ${leaseId} had ended before its settlement`);
        return;
      case "retried":
        logger?.error(`the settlement of lease ${leaseId} was refused, and is sent again without what is optional: ${error?.message ?? ""}`);
        return;
      case "abandoned":
        logger?.error(`the settlement of lease ${leaseId} was refused, and the lease will expire: ${error?.message ?? ""}`);
    }
  }

  #stop(stops: readonly (Stop | undefined)[]): void {
    for (const stop of stops) {
      if (stop && !this.#runner.stop(stop.id, stop.reason)) {
        this.stats.ended(stop.reason === "lease_lost" ? "lost" : "released");
      }
    }
    this.#count();
  }

  #count(): void {
    this.stats.setInHand(this.inflight.size);
  }
}
