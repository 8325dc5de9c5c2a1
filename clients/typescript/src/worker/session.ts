/** One stream, from Hello to its end. Owns frames, pings and the watch for silence; what frames mean is the engine's. */

import type { MessageInitShape } from "@bufbuild/protobuf";

import type { Connection } from "../connection.js";
import type { SluicegateError } from "../errors.js";
import { InvalidFieldError, SessionSupersededError, UnavailableError, fromThrown } from "../errors.js";
import type { DispatchRequestSchema, DispatchResponse, Welcome } from "../gen/sluicegate/v1/dispatch_pb.js";
import { msFromDuration } from "../values.js";
import type { Engine } from "./engine.js";
import { Outbox } from "./outbox.js";

/** How long connecting and the answer to a Hello may take. */
const OPEN_TIMEOUT_MS = 15_000;

/** How long a worker that leaves waits for the end of its stream. */
const LEAVE_TIMEOUT_MS = 5_000;

/** Frames that may wait for the transport; beyond, none is made, and what they would say is gathered. */
const OUTBOUND_FRAMES = 16;

/** What a frame holds at most, in leases and in encoded bytes. */
const FRAME_LEASES_MAX = 256;
const FRAME_BYTES_MAX = 1 << 20;

/** How many silent ping intervals a stream survives. */
const SILENT_INTERVALS = 3;

/**
 * How a stream ended: the worker has left, or has nothing left to do; it broke, or was never there; the server shuts down, in its own
 * good order; coming back is of no use.
 */
export type End =
  | { readonly is: "left" }
  | { readonly is: "broken"; readonly error: SluicegateError }
  | { readonly is: "draining"; readonly reconnectAfterMs: number }
  | { readonly is: "fatal"; readonly error: SluicegateError };

type Request = MessageInitShape<typeof DispatchRequestSchema>;
type Frame = NonNullable<Request["frame"]>;

/** What is known once the server has welcomed the worker. */
interface Terms {
  readonly frameLeasesMax: number;
  /** Infinity: no pings. */
  readonly pingIntervalMs: number;
}

/** A stream at work. Runs once. */
export class Session {
  readonly #connection: Connection;
  readonly #engine: Engine;
  readonly #onWelcome: () => void;
  readonly #outbox: Outbox<Request>;
  readonly #abort = new AbortController();
  readonly #openedAt = performance.now();
  readonly #ended: Promise<End>;
  #resolve: (end: End) => void = () => undefined;
  #isOver = false;
  #isWoken = false;
  #timer: NodeJS.Timeout | undefined;
  #terms: Terms | undefined;
  /** The window that the server knows. */
  #announcedWindow = 0;
  #sentAt = this.#openedAt;
  #heardAt = this.#openedAt;
  /** Set once the server has said that it goes. */
  #reconnectAfterMs: number | undefined;
  /** Set once the worker has said that it goes. */
  #leftAt: number | undefined;

  /** `onWelcome` is called once the server has answered. */
  constructor(connection: Connection, engine: Engine, onWelcome: () => void) {
    this.#connection = connection;
    this.#engine = engine;
    this.#onWelcome = onWelcome;
    this.#outbox = new Outbox(OUTBOUND_FRAMES, () => {
      this.#wake();
    });
    this.#ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Opens the stream and works on it to its end. */
  async run(): Promise<End> {
    const hello = this.#engine.hello();
    this.#announcedWindow = this.#engine.window;
    this.#outbox.push({ frame: { case: "hello", value: hello } });
    this.#engine.onChange = () => {
      this.#wake();
    };
    void this.#read();
    this.#wake();
    const end = await this.#ended;
    this.#engine.onChange = () => undefined;
    clearTimeout(this.#timer);
    this.#outbox.close();
    this.#abort.abort();
    return end;
  }

  async #read(): Promise<void> {
    try {
      const { signal } = this.#abort;
      for await (const response of this.#connection.jobs.dispatch(this.#outbox, { signal })) {
        if (this.#isOver) {
          return;
        }
        this.#received(response, performance.now());
        this.#wake();
      }
      // A proxy that goes may look like a clean end.
      this.#endedByServer(new UnavailableError("the server ended the stream", { retryable: true }));
    } catch (error) {
      this.#endedByServer(fromThrown(error));
    }
  }

  #end(end: End): void {
    this.#isOver = true;
    this.#resolve(end);
  }

  #endedByServer(error: SluicegateError): void {
    if (this.#leftAt !== undefined) {
      this.#end({ is: "left" });
    } else if (error instanceof SessionSupersededError || error instanceof InvalidFieldError) {
      this.#end({ is: "fatal", error });
    } else if (this.#reconnectAfterMs !== undefined) {
      this.#end({ is: "draining", reconnectAfterMs: this.#reconnectAfterMs });
    } else {
      this.#end({ is: "broken", error });
    }
  }

  /** Looks at what is due, soon: what happens in one turn is looked at once. */
  #wake(): void {
    if (!this.#isWoken && !this.#isOver) {
      this.#isWoken = true;
      queueMicrotask(() => {
        this.#isWoken = false;
        this.#pump();
      });
    }
  }

  #pump(): void {
    if (this.#isOver) {
      return;
    }
    const end = this.#givenUp(performance.now());
    if (end) {
      this.#end(end);
      return;
    }
    if (this.#terms) {
      this.#send(this.#terms);
    }
    this.#sleep();
  }

  #send(terms: Terms): void {
    while (this.#outbox.hasRoom) {
      const now = performance.now();
      const frame = this.#nextFrame(terms, now);
      if (!frame) {
        return;
      }
      this.#outbox.push({ frame });
      this.#sentAt = now;
    }
  }

  /** Sets the alarm for whatever is next to be done by time alone. */
  #sleep(): void {
    // What is due waits for room, not for time.
    const sendAt = this.#outbox.hasRoom ? this.#sendDue() : Infinity;
    const leaveAt = this.#leftAt === undefined ? Infinity : this.#leftAt + LEAVE_TIMEOUT_MS;
    const openAt = this.#terms ? Infinity : this.#openedAt + OPEN_TIMEOUT_MS;
    const at = Math.min(sendAt, this.#silentAt, leaveAt, openAt);
    clearTimeout(this.#timer);
    if (at !== Infinity) {
      this.#timer = setTimeout(
        () => {
          this.#wake();
        },
        // Rounded up, lest it rings before the time has come.
        Math.max(Math.ceil(at - performance.now()), 0),
      );
    }
  }

  /** Why this side ends the stream, if it does. */
  #givenUp(now: number): End | undefined {
    const { isDone, inflight } = this.#engine;
    if (!this.#terms) {
      if (isDone) {
        return { is: "left" };
      }
      const isLate = now >= this.#openedAt + OPEN_TIMEOUT_MS;
      return isLate ? { is: "broken", error: silent("the server didn't answer the worker's Hello in time") } : undefined;
    }
    if (this.#leftAt !== undefined && now >= this.#leftAt + LEAVE_TIMEOUT_MS) {
      this.#engine.settings.logger?.warn("the server didn't answer the worker's leaving in time");
      return { is: "left" };
    }
    if (now >= this.#silentAt) {
      return { is: "broken", error: silent("the server has been silent for three ping intervals") };
    }
    const isFree = inflight.size === 0 && !isDone;
    return this.#reconnectAfterMs !== undefined && isFree
      ? { is: "draining", reconnectAfterMs: this.#reconnectAfterMs }
      : undefined;
  }

  get #silentAt(): number {
    return this.#heardAt + (this.#terms?.pingIntervalMs ?? Infinity) * SILENT_INTERVALS;
  }

  /** When there is something to send. */
  #sendDue(): number {
    if (this.#leftAt !== undefined || !this.#terms) {
      return Infinity;
    }
    const { inflight } = this.#engine;
    return Math.min(
      inflight.settleDue ?? Infinity,
      inflight.extendDue ?? Infinity,
      inflight.receiptsDue ?? Infinity,
      this.#sentAt + this.#terms.pingIntervalMs,
    );
  }

  /** The most urgent frame that is due. The window comes first, so that a drain isn't answered with more jobs. */
  #nextFrame({ frameLeasesMax, pingIntervalMs }: Terms, now: number): Frame | undefined {
    if (this.#leftAt !== undefined) {
      return undefined;
    }
    const { inflight, isDone, window } = this.#engine;
    if (window !== this.#announcedWindow) {
      this.#announcedWindow = window;
      return { case: "window", value: this.#engine.windowFrame() };
    }
    const isDue = (due: number | undefined) => due !== undefined && due <= now;
    // A worker that leaves gathers nothing any more.
    if (isDone || isDue(inflight.settleDue)) {
      const outcomes = inflight.takeSettlements(frameLeasesMax, FRAME_BYTES_MAX);
      if (outcomes.length > 0) {
        return { case: "settle", value: { outcomes } };
      }
    }
    if (isDue(inflight.extendDue)) {
      const leaseIds = inflight.takeExtensions(now, frameLeasesMax);
      if (leaseIds.length > 0) {
        return { case: "extend", value: { leaseIds } };
      }
    }
    if (isDue(inflight.receiptsDue)) {
      const leaseIds = inflight.takeReceipts(frameLeasesMax);
      if (leaseIds.length > 0) {
        return { case: "received", value: { leaseIds } };
      }
    }
    if (isDone) {
      this.#leftAt = now;
      return { case: "leaving", value: {} };
    }
    return now >= this.#sentAt + pingIntervalMs ? { case: "ping", value: {} } : undefined;
  }

  #received({ frame }: DispatchResponse, now: number): void {
    this.#heardAt = now;
    const engine = this.#engine;
    if (!this.#terms) {
      if (frame.case === "welcome") {
        this.#welcomed(frame.value, now);
      } else {
        this.#end({ is: "broken", error: silent("the server answered the worker's Hello with something else") });
      }
      return;
    }
    switch (frame.case) {
      case "jobs":
        engine.pushed(frame.value.jobs, now);
        return;
      case "settled":
        engine.settled(frame.value.results, now);
        return;
      case "extended":
        engine.extended(frame.value.results, now);
        return;
      case "revoked":
        engine.revoked(frame.value, now);
        return;
      case "draining": {
        const { reconnectAfter } = frame.value;
        this.#reconnectAfterMs = reconnectAfter ? msFromDuration(reconnectAfter) : 0;
        engine.settings.logger?.info("the server drains");
        return;
      }
      // Pings are heard, a second Welcome says nothing new, and frames of a newer server are to be ignored.
      case "ping":
      case "welcome":
      case undefined:
    }
  }

  #welcomed(welcome: Welcome, now: number): void {
    const { sessionId, serverVersion, lostLeaseIds, pingInterval, limits } = welcome;
    const pingIntervalMs = pingInterval ? msFromDuration(pingInterval) : 0;
    const leasesMax = limits?.maxLeaseBatch ?? 0;
    this.#terms = {
      frameLeasesMax: leasesMax === 0 ? FRAME_LEASES_MAX : Math.min(leasesMax, FRAME_LEASES_MAX),
      pingIntervalMs: pingIntervalMs > 0 ? pingIntervalMs : Infinity,
    };
    const { settings, stats } = this.#engine;
    stats.setConnected(true);
    settings.logger?.info(`worker ${settings.workerId} connected: session ${sessionId}, server ${serverVersion}`);
    this.#engine.welcomed(lostLeaseIds, now);
    this.#onWelcome();
  }
}

function silent(message: string): SluicegateError {
  return new UnavailableError(message, { retryable: true });
}
