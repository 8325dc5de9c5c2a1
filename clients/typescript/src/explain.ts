/** Why a job isn't being dispatched (semantics 12). */

import { UnexpectedAnswerError } from "./errors.js";
import type { JobState } from "./filter.js";
import { stateFromWire } from "./filter.js";
import type { BudgetExplanation as WireBudget, JobExplanation as WireExplanation } from "./gen/sluicegate/v1/explain_pb.js";
import { HoldUp as WireHoldUp } from "./gen/sluicegate/v1/explain_pb.js";
import type { Lease } from "./job.js";
import { leaseFromWire } from "./job.js";
import type { Integer } from "./values.js";
import { date, defined, integer } from "./values.js";

/** What holds a job up. */
export type HoldUp = "not_ready" | "queue_paused" | "no_worker" | "no_room" | "too_large" | "budget" | "unknown";

/** What one budget means to one job. */
export interface BudgetExplanation {
  /** The budget's key. */
  readonly key: string;
  /** What the job needs, in tokens. */
  readonly cost: Integer;
  /** Tokens in the pool, rounded down, before anything is set aside. May be negative. */
  readonly available: Integer;
  /** Whether this budget holds the job up. */
  readonly holdsUp: boolean;
  /** Whether it is blocked or throttled. */
  readonly blocked: boolean;
  /** Until when it is blocked. Absent where it isn't, and where it is blocked until unblocked. */
  readonly blockedUntil?: Date;
  /** Jobs in flight that hold tokens of a `while_in_flight` pool: the first 10 by dispatch. */
  readonly heldByJobIds: readonly string[];
  /** How many jobs hold tokens. */
  readonly heldByTotal: number;
  /** Parked jobs of lower rank number that wait for this budget. */
  readonly waitersAhead: number;
  /** Tokens set aside here for other, protected jobs (semantics 4.4). */
  readonly setAside: Integer;
  /** The job they are set aside for; empty where nothing is. */
  readonly setAsideForJobId: string;
  /** Whether this job is protected here. */
  readonly protected: boolean;
  /** The earliest instant at which this pool could pay this job after every waiter ahead of it. */
  readonly notBefore?: Date;
}

/** All that keeps a job from being dispatched at one instant. */
export interface JobExplanation {
  readonly jobId: string;
  readonly state: JobState | undefined;
  /** The instant all of this is true at. */
  readonly explainTime?: Date;
  /** When it became ready, or will. */
  readonly readyTime?: Date;
  /** Everything that holds it up; empty where nothing does. */
  readonly holdUps: readonly HoldUp[];
  /** One a binding, whether it holds the job up or not. */
  readonly budgets: readonly BudgetExplanation[];
  /** Where the clock alone decides: the earliest instant of its dispatch. */
  readonly notBefore?: Date;
  /** What dispatches its queue. */
  readonly queue?: QueueExplanation;
  /** The live lease, of a job in flight. */
  readonly lease?: Lease;
}

/** What dispatches a queue. */
export interface QueueExplanation {
  readonly name: string;
  readonly paused: boolean;
  /** Connected workers that serve it. */
  readonly workers: number;
  /** Those of them with room for this job. */
  readonly workersWithRoom: number;
  /** Those of them that could never be sent it. */
  readonly workersTooSmall: number;
}

function holdUpFromWire(wire: WireHoldUp): HoldUp {
  switch (wire) {
    case WireHoldUp.NOT_READY:
      return "not_ready";
    case WireHoldUp.QUEUE_PAUSED:
      return "queue_paused";
    case WireHoldUp.NO_WORKER:
      return "no_worker";
    case WireHoldUp.NO_ROOM:
      return "no_room";
    case WireHoldUp.TOO_LARGE:
      return "too_large";
    case WireHoldUp.BUDGET:
      return "budget";
    // Enums of the wire are open: a newer server may send others.
    default:
      return "unknown";
  }
}

function budgetFromWire(wire: WireBudget): BudgetExplanation {
  return defined({
    key: wire.budget,
    cost: integer(wire.cost),
    available: integer(wire.available),
    holdsUp: wire.holdsUp,
    blocked: wire.blocked,
    blockedUntil: date(wire.blockedUntil),
    heldByJobIds: wire.heldByJobIds,
    heldByTotal: Number(wire.heldByTotal),
    waitersAhead: Number(wire.waitersAhead),
    setAside: integer(wire.setAside),
    setAsideForJobId: wire.setAsideForJobId,
    protected: wire.protected,
    notBefore: date(wire.notBefore),
  });
}

/** An explanation of the wire. */
export function explanationFromWire(wire: WireExplanation | undefined): JobExplanation {
  if (!wire) {
    throw new UnexpectedAnswerError("the explanation");
  }
  const { queue, lease } = wire;
  const explanation = defined({
    jobId: wire.jobId,
    explainTime: date(wire.explainTime),
    readyTime: date(wire.readyTime),
    holdUps: wire.holdUps.map(holdUpFromWire),
    budgets: wire.budgets.map(budgetFromWire),
    notBefore: date(wire.notBefore),
    queue: queue && {
      name: queue.name,
      paused: queue.paused,
      workers: queue.workers,
      workersWithRoom: queue.workersWithRoom,
      workersTooSmall: queue.workersTooSmall,
    },
    lease: lease && leaseFromWire(lease),
  });
  return { ...explanation, state: stateFromWire(wire.state) };
}
