/**
 * What a worker holds: leases that wait for their handler, have one, or have a settlement that isn't confirmed. Pure: time (in
 * milliseconds, by a clock that never goes back) and randomness come from outside, and what is to be sent or stopped goes back as
 * data. Knows no stream and no handler.
 */

import type { ExtendResult, SettleOutcome, SettleResult } from "../gen/sluicegate/v1/settle_pb.js";
import { ExtendStatus, SettleStatus } from "../gen/sluicegate/v1/settle_pb.js";
import { RevokeReason } from "../gen/sluicegate/v1/dispatch_pb.js";
import type { LeasedJob } from "../lease.js";
import { settlementToWire } from "../lease.js";
import type { CancelReason } from "./context.js";
import { Deadlines } from "./deadlines.js";
import { encodedBytesMax, withoutOptions } from "./outcome.js";

/** How long settlements and receipts are gathered at most, before they are sent together. */
const GATHER_MS = 10;

/** How many of them are sent at once, however short they were gathered. */
const GATHERED_MAX = 100;

/** The shortest lease of the contract. A server that says less isn't asked for extensions without end. */
const LEASE_MIN_MS = 1000;

/** A handler to stop: one that has been started, or one that must not be any more. */
export interface Stop {
  readonly id: string;
  readonly reason: CancelReason;
}

/**
 * What the server made of a settlement: it is settled, by this or an earlier one; the lease had ended before; it breaks a bound,
 * and is sent again without what is optional; it breaks a bound even so, and the lease is left to expire; the lease isn't known here.
 */
export type Confirmation = "settled" | "too_late" | "retried" | "abandoned" | "unknown";

type Stage =
  /** Its handler hasn't been started. */
  | { readonly is: "waiting" }
  /** It has. */
  | { readonly is: "started" }
  /** Over here, and not confirmed by the server, which may have refused it as invalid before. */
  | { readonly is: "settling"; readonly outcome: SettleOutcome; readonly refused: boolean };

interface Held {
  stage: Stage;
  /** To be told that nothing was used of them, if the job is never started. */
  readonly budgets: readonly string[];
  /** What an extension is worth. */
  readonly durationMs: number;
  /** From when on it isn't extended any more. */
  readonly extendUntil: number;
}

/** All leases of a worker, and what is to be said about them. */
export class Inflight {
  readonly #totalMaxMs: number;
  readonly #random: () => number;
  readonly #held = new Map<string, Held>();
  /** When which of them is to be extended; those that aren't any more are left out. */
  readonly #extensions = new Deadlines();
  /** Settlements to send, in the order in which they came up, and when the first of them did. */
  #unsent = new Set<string>();
  #unsentSince: number | undefined;
  /** Settlements that were sent on this stream and aren't answered. */
  #unanswered = 0;
  /** Pushes of this stream that aren't confirmed, and when the first of them came. */
  readonly #unconfirmed = new Set<string>();
  #unconfirmedSince: number | undefined;
  #started = 0;

  /** Holds nothing. Leases are extended for `totalMaxMs` after their receipt at most; `random` draws evenly from 0 to 1. */
  constructor(totalMaxMs: number | undefined, random: () => number) {
    this.#totalMaxMs = totalMaxMs ?? Infinity;
    this.#random = random;
  }

  /** How many leases are held, whatever their stage. */
  get size(): number {
    return this.#held.size;
  }

  /** How many have a handler. */
  get started(): number {
    return this.#started;
  }

  /** The ids of all, for a Hello (semantics 5.2). */
  get leaseIds(): string[] {
    return [...this.#held.keys()];
  }

  /** Takes in a pushed job, which waits. False if the lease is held already. */
  pushed(job: LeasedJob, now: number): boolean {
    const { id } = job.lease;
    if (this.#held.has(id)) {
      return false;
    }
    const durationMs = Math.max(job.lease.durationMs, LEASE_MIN_MS);
    const budgets = job.budgets.map(({ key }) => key);
    this.#held.set(id, { stage: { is: "waiting" }, budgets, durationMs, extendUntil: now + this.#totalMaxMs });
    this.#scheduleExtension(id, now + this.#thirdOf(durationMs));
    this.#unconfirmedSince ??= now;
    this.#unconfirmed.add(id);
    return true;
  }

  /** The job's handler is being started. False if the lease doesn't wait any more. */
  start(id: string): boolean {
    const held = this.#held.get(id);
    if (held?.stage.is !== "waiting") {
      return false;
    }
    held.stage = { is: "started" };
    this.#started += 1;
    return true;
  }

  /** The job's handler has ended. False, and the outcome is dropped, if the lease was lost meanwhile. */
  settle(id: string, outcome: SettleOutcome, now: number): boolean {
    const held = this.#held.get(id);
    if (!held || held.stage.is === "settling") {
      return false;
    }
    this.#started -= held.stage.is === "started" ? 1 : 0;
    held.stage = { is: "settling", outcome, refused: false };
    this.#extensions.delete(id);
    this.#toSend(id, now);
    return true;
  }

  /** Gives back a job that was never started: nothing of its budgets was used (semantics 6.2). False if it doesn't wait. */
  release(id: string, now: number): boolean {
    const held = this.#held.get(id);
    if (held?.stage.is !== "waiting") {
      return false;
    }
    const usage = held.budgets.map((key) => ({ key, cost: 0 }));
    return this.settle(id, settlementToWire({ leaseId: id, outcome: { type: "release" }, usage }), now);
  }

  /** Gives back all jobs that wait, and says how many. */
  releaseWaiting(now: number): number {
    return this.leaseIds.filter((id) => this.release(id, now)).length;
  }

  /** When settlements are to be sent: at once as long as none is unanswered or many have come up; else they are gathered. */
  get settleDue(): number | undefined {
    const atOnce = this.#unanswered === 0 || this.#unsent.size >= GATHERED_MAX;
    return this.#unsentSince === undefined ? undefined : this.#unsentSince + (atOnce ? 0 : GATHER_MS);
  }

  /** Takes settlements to send, up to a number and an encoded size, but one at least if there is one. */
  takeSettlements(countMax: number, bytesMax: number): SettleOutcome[] {
    const taken: SettleOutcome[] = [];
    let bytes = 0;
    for (const id of this.#unsent) {
      const stage = this.#held.get(id)?.stage;
      if (stage?.is === "settling") {
        bytes += encodedBytesMax(stage.outcome);
        if (taken.length >= countMax || (bytes > bytesMax && taken.length > 0)) {
          break;
        }
        taken.push(stage.outcome);
      }
      this.#unsent.delete(id);
    }
    if (this.#unsent.size === 0) {
      this.#unsentSince = undefined;
    }
    this.#unanswered += taken.length;
    return taken;
  }

  /** What the server says of a settlement that was sent. */
  confirmed(result: SettleResult, now: number): Confirmation {
    this.#unanswered = Math.max(this.#unanswered - 1, 0);
    const { leaseId } = result;
    const held = this.#held.get(leaseId);
    if (held?.stage.is !== "settling") {
      return "unknown";
    }
    const { outcome, refused } = held.stage;
    if (result.status === SettleStatus.INVALID && !refused) {
      held.stage = { is: "settling", outcome: withoutOptions(outcome), refused: true };
      this.#toSend(leaseId, now);
      return "retried";
    }
    this.#held.delete(leaseId);
    switch (result.status) {
      case SettleStatus.SETTLED:
      case SettleStatus.ALREADY_SETTLED:
        return "settled";
      case SettleStatus.INVALID:
        return "abandoned";
      // Lost, gone, and what a newer server may say.
      default:
        return "too_late";
    }
  }

  /** When receipts are to be sent. */
  get receiptsDue(): number | undefined {
    const wait = this.#unconfirmed.size >= GATHERED_MAX ? 0 : GATHER_MS;
    return this.#unconfirmedSince === undefined ? undefined : this.#unconfirmedSince + wait;
  }

  /** Takes receipts to send. Leases that have been settled are confirmed by that. */
  takeReceipts(countMax: number): string[] {
    const taken: string[] = [];
    for (const id of this.#unconfirmed) {
      if (taken.length >= countMax) {
        break;
      }
      this.#unconfirmed.delete(id);
      const stage = this.#held.get(id)?.stage;
      if (stage && stage.is !== "settling") {
        taken.push(id);
      }
    }
    if (this.#unconfirmed.size === 0) {
      this.#unconfirmedSince = undefined;
    }
    return taken;
  }

  /** When the next lease is to be extended. */
  get extendDue(): number | undefined {
    return this.#extensions.first?.at;
  }

  /** Takes leases to extend now: those whose time has come, and those for which it will come within a sixth of their duration. */
  takeExtensions(now: number, countMax: number): string[] {
    const taken: string[] = [];
    while (taken.length < countMax) {
      const first = this.#extensions.first;
      const held = first && this.#held.get(first.id);
      if (!held || first.at > now + held.durationMs / 6) {
        break;
      }
      this.#scheduleExtension(first.id, now + this.#thirdOf(held.durationMs));
      taken.push(first.id);
    }
    return taken;
  }

  /** What the server says of an extension: perhaps a handler to stop. */
  extended(result: ExtendResult, now: number): Stop | undefined {
    if (result.status !== ExtendStatus.EXTENDED) {
      return this.#lost(result.leaseId);
    }
    return result.cancelRequested ? this.#cancelRequested(result.leaseId, now) : undefined;
  }

  /** The server takes a lease away, or asks to end it: perhaps a handler to stop. */
  revoked(leaseId: string, reason: RevokeReason, now: number): Stop | undefined {
    const isAsked = reason === RevokeReason.CANCEL_REQUESTED;
    return isAsked ? this.#cancelRequested(leaseId, now) : this.#lost(leaseId);
  }

  /**
   * A stream has begun. Everything not confirmed is sent on it, and what is held is extended at once, as nobody knows how much of
   * the leases is left. Returns the handlers to stop: those of leases that aren't live any more.
   */
  welcomed(lostLeaseIds: readonly string[], now: number): Stop[] {
    this.#unanswered = 0;
    // A Hello that names a lease confirms it.
    this.#unconfirmed.clear();
    this.#unconfirmedSince = undefined;
    const stops = lostLeaseIds.map((id) => this.#lost(id)).filter((stop) => stop !== undefined);
    this.#unsent = new Set();
    this.#unsentSince = undefined;
    for (const [id, held] of this.#held) {
      if (held.stage.is === "settling") {
        this.#toSend(id, now);
      } else {
        this.#scheduleExtension(id, now);
      }
    }
    return stops;
  }

  /** A lease has ended without this worker. One that is being settled stays until that is answered. */
  #lost(id: string): Stop | undefined {
    const held = this.#held.get(id);
    if (!held || held.stage.is === "settling") {
      return undefined;
    }
    this.#started -= held.stage.is === "started" ? 1 : 0;
    this.#held.delete(id);
    this.#extensions.delete(id);
    return { id, reason: "lease_lost" };
  }

  /** A job was cancelled: one that waits is given back, and a handler is asked to stop. */
  #cancelRequested(id: string, now: number): Stop | undefined {
    const held = this.#held.get(id);
    if (!held || held.stage.is === "settling") {
      return undefined;
    }
    this.release(id, now);
    return { id, reason: "cancel_requested" };
  }

  #toSend(id: string, now: number): void {
    this.#unsentSince ??= now;
    this.#unsent.add(id);
  }

  /** Moves a lease's next extension, or drops it once its total is used up. */
  #scheduleExtension(id: string, at: number): void {
    const held = this.#held.get(id);
    if (held && at < held.extendUntil) {
      this.#extensions.set(id, at);
    } else {
      this.#extensions.delete(id);
    }
  }

  /** A third of a lease, less up to a fifth of that, so that workers which started as one don't extend as one. */
  #thirdOf(durationMs: number): number {
    return (durationMs / 3) * (1 - this.#random() / 5);
  }
}
