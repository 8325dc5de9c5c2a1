/** What a worker has done, for whoever watches it. Owns counters alone; nothing is decided by them. */

import type { Ending } from "./outcome.js";

/** A worker's counters, as they are when they are read. */
export class WorkerStats {
  readonly #endings: Record<Ending, number> = { succeeded: 0, failed: 0, released: 0, lost: 0 };
  #inHand = 0;
  #connects = 0;
  #connected = false;

  /** Leases in hand now: waiting, with a handler, or with a settlement that isn't confirmed. */
  get inHand(): number {
    return this.#inHand;
  }

  /** Attempts that succeeded, by their handlers. */
  get succeeded(): number {
    return this.#endings.succeeded;
  }

  /** Attempts that failed or were discarded, by their handlers. */
  get failed(): number {
    return this.#endings.failed;
  }

  /** Attempts that were given back: by their handlers, or since the worker drains. */
  get released(): number {
    return this.#endings.released;
  }

  /** Attempts whose lease was lost before they had ended. */
  get lost(): number {
    return this.#endings.lost;
  }

  /** Attempts that have ended, however they did. */
  get processed(): number {
    return this.succeeded + this.failed + this.released + this.lost;
  }

  /** How often the worker has come back to a server after its first connection. */
  get reconnects(): number {
    return Math.max(this.#connects - 1, 0);
  }

  /** Whether the worker is connected now. */
  get connected(): boolean {
    return this.#connected;
  }

  /** @internal */
  ended(ending: Ending): void {
    this.#endings[ending] += 1;
  }

  /** @internal */
  setInHand(leases: number): void {
    this.#inHand = leases;
  }

  /** @internal */
  setConnected(connected: boolean): void {
    this.#connects += connected ? 1 : 0;
    this.#connected = connected;
  }
}
