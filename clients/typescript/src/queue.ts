/** Queues and their depth. */

import { UnexpectedAnswerError } from "./errors.js";
import type { Queue as WireQueue } from "./gen/sluicegate/v1/queue_service_pb.js";
import { defined, msFromDuration } from "./values.js";

/** A queue and its depth, in jobs by state. */
export interface Queue {
  readonly name: string;
  /** Whether it dispatches nothing. */
  readonly paused: boolean;
  readonly scheduled: number;
  readonly ready: number;
  readonly inFlight: number;
  readonly completed: number;
  readonly dead: number;
  readonly cancelled: number;
  /** How long the oldest ready job has been ready, in milliseconds. Absent where none is. */
  readonly oldestReadyAgeMs?: number;
  /** Connected workers that serve it. */
  readonly workers: number;
}

/** A queue of the wire. */
export function queueFromWire(wire: WireQueue | undefined): Queue {
  if (!wire) {
    throw new UnexpectedAnswerError("the queue");
  }
  return defined({
    name: wire.name,
    paused: wire.paused,
    scheduled: Number(wire.scheduled),
    ready: Number(wire.ready),
    inFlight: Number(wire.inFlight),
    completed: Number(wire.completed),
    dead: Number(wire.dead),
    cancelled: Number(wire.cancelled),
    oldestReadyAgeMs: wire.oldestReadyAge && msFromDuration(wire.oldestReadyAge),
    workers: wire.workers,
  });
}
