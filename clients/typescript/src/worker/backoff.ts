/** How long to wait before the next attempt to connect: exponential, with full jitter, for ever. Reads no clock. */

/** The most that the first delay may be, in milliseconds. */
const INITIAL_MS = 100;

/** The most that any delay may be, in milliseconds. */
const MAX_MS = 10_000;

/** Delays drawn evenly from 0 to a bound that doubles, so that workers which lost one server don't come back as one. */
export class Backoff {
  readonly #random: () => number;
  #failures = 0;

  /** `random` draws evenly from 0 to 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** The most that the next delay may be, in milliseconds. */
  get boundMs(): number {
    return Math.min(INITIAL_MS * 2 ** this.#failures, MAX_MS);
  }

  /** The next delay, in milliseconds. */
  nextDelayMs(): number {
    const delay = this.#random() * this.boundMs;
    this.#failures += 1;
    return delay;
  }

  /** Starts anew, after a connection that worked. */
  reset(): void {
    this.#failures = 0;
  }
}
