/** Budgets and their policies. Owns what a policy can express, and which mask paths a change of one names. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";

import { UnexpectedAnswerError } from "./errors.js";
import type { BudgetPolicy, BudgetPolicySchema, Budget as WireBudget } from "./gen/sluicegate/v1/budget_pb.js";
import { BudgetPolicySchema as PolicySchema, NeverSchema, WhileInFlightSchema } from "./gen/sluicegate/v1/budget_pb.js";
import type { Integer } from "./values.js";
import { date, defined, durationFromMs, integer, msFromDuration, uint64 } from "./values.js";

/** Tokens are held from dispatch to the end of the lease: limits how much is in flight at once (semantics 2.1). */
export interface WhileInFlight {
  readonly type: "while_in_flight";
  readonly durationMs?: never;
  readonly burst?: never;
}

/** Tokens drip in continuously, the allocation of them per duration: limits the rate (semantics 2.2). */
export interface TimeBased {
  readonly type: "time_based";
  /** The time in which the allocation drips, in milliseconds. 1 ms..=366 d. */
  readonly durationMs: number;
  /** The most tokens the pool may hold: its capacity. 1..=10^12; the allocation where absent. */
  readonly burst?: Integer;
}

/** How tokens come back. */
export type Strategy = WhileInFlight | TimeBased;

/**
 * When a job that was passed over is protected, so that its cost is set aside (semantics 4.4): so many milliseconds (0..=366 d; 0:
 * as soon as it parks) after it was first passed over, or never.
 */
export type ReserveAfter = { readonly afterMs: number } | "never";

/** The terms of a budget. */
export interface Policy {
  /** Tokens in the pool, or tokens granted per duration. 1..=10^12. */
  readonly allocation: Integer;
  /** How tokens come back. */
  readonly strategy: Strategy;
  /** When a job that was passed over is protected; the server's default, 30 s, where absent. */
  readonly reserveAfter?: ReserveAfter;
}

/** A budget to define. */
export interface BudgetDefinition extends Policy {
  /** Its name: 1..=128 bytes of `[A-Za-z0-9._:/@-]`. */
  readonly key: string;
}

/** What to change in a strategy: another one whole, or single fields of a drip. */
export type StrategyPatch =
  | Strategy
  | {
      readonly type?: never;
      /** The time in which the allocation drips; makes a `while_in_flight` budget `time_based`. */
      readonly durationMs?: number;
      /** The most tokens the pool may hold; null makes the allocation the capacity again. */
      readonly burst?: Integer | null;
    };

/** What to change in a policy; what is absent stays (semantics 7.1). */
export interface PolicyPatch {
  /** Tokens in the pool, or granted per duration. 1..=10^12. */
  readonly allocation?: Integer;
  /** What to change in the strategy. */
  readonly strategy?: StrategyPatch;
  /** When a job that was passed over is protected; null goes back to the server's default. */
  readonly reserveAfter?: ReserveAfter | null;
}

/** What a budget is doing, true at the instant of the answer. */
export interface BudgetStatus {
  /** Tokens that a dispatch could take, rounded down. Negative while a debt is paid off (semantics 9.2, 7.2). */
  readonly available: Integer;
  /** The most tokens the pool can hold. */
  readonly capacity: Integer;
  /** Sum of the costs of the jobs in flight that are bound to it. */
  readonly inFlightCost: Integer;
  /** Jobs in flight that are bound to it. */
  readonly inFlightJobs: number;
  /** Ready jobs that it could not pay for when they were last tried. */
  readonly parkedJobs: number;
  /** Unfinished jobs that are bound to it. */
  readonly boundJobs: number;
  /** When the pool could pay one more token by its drip alone. Absent for a full pool and for `while_in_flight`. */
  readonly nextTokenTime?: Date;
  /** Whether it dispatches nothing now (semantics 9.3, 9.4). */
  readonly blocked: boolean;
  /** Until when it is blocked. Absent where it isn't, and where it is blocked until unblocked. */
  readonly blockedUntil?: Date;
}

/** A budget with its terms and what it is doing. */
export interface Budget {
  /** Its name. */
  readonly key: string;
  /** Its terms, as they were set: defaults are not filled in. */
  readonly policy: Policy;
  /** When it was created. */
  readonly createTime?: Date;
  /** When its policy last changed. */
  readonly updateTime?: Date;
  /** Changes whenever the policy does, and only then. Opaque. */
  readonly etag: string;
  /** What it is doing. */
  readonly status: BudgetStatus;
}

type PolicyInit = MessageInitShape<typeof BudgetPolicySchema>;

/** The policy as it is sent. `field` is its path, for what is refused. */
export function policyToWire(policy: Policy, field = "policy"): BudgetPolicy {
  return create(PolicySchema, {
    allocation: uint64(policy.allocation, `${field}.allocation`),
    strategy: strategyToWire(policy.strategy, field),
    ...(policy.reserveAfter === undefined ? {} : { reserveAfter: reserveAfterToWire(policy.reserveAfter, field) }),
  });
}

function strategyToWire(strategy: Strategy, field: string): BudgetPolicy["strategy"] {
  if (strategy.type === "while_in_flight") {
    return { case: "whileInFlight", value: create(WhileInFlightSchema) };
  }
  const { durationMs, burst } = strategy;
  const init: PolicyInit = {
    strategy: {
      case: "timeBased",
      value: {
        duration: durationFromMs(durationMs, `${field}.strategy.durationMs`),
        ...(burst === undefined ? {} : { burst: uint64(burst, `${field}.strategy.burst`) }),
      },
    },
  };
  return create(PolicySchema, init).strategy;
}

function reserveAfterToWire(reserveAfter: ReserveAfter, field: string): BudgetPolicy["reserveAfter"] {
  return reserveAfter === "never"
    ? { case: "never", value: create(NeverSchema) }
    : { case: "after", value: durationFromMs(reserveAfter.afterMs, `${field}.reserveAfter.afterMs`) };
}

/** The values of a change, and the mask paths that say which of them count. */
export function patchToWire(patch: PolicyPatch): { policy: BudgetPolicy; paths: string[] } {
  const policy = create(PolicySchema);
  const paths: string[] = [];
  if (patch.allocation !== undefined) {
    policy.allocation = uint64(patch.allocation, "policy.allocation");
    paths.push("allocation");
  }
  if (patch.strategy?.type !== undefined) {
    policy.strategy = strategyToWire(patch.strategy, "policy");
    paths.push(patch.strategy.type);
  } else if (patch.strategy !== undefined) {
    paths.push(...patchDrip(policy, patch.strategy));
  }
  if (patch.reserveAfter !== undefined) {
    if (patch.reserveAfter !== null) {
      policy.reserveAfter = reserveAfterToWire(patch.reserveAfter, "policy");
    }
    paths.push("reserve_after");
  }
  return { policy, paths };
}

function patchDrip(policy: BudgetPolicy, patch: { durationMs?: number; burst?: Integer | null }): string[] {
  const { durationMs, burst } = patch;
  const value = {
    ...(durationMs === undefined ? {} : { duration: durationFromMs(durationMs, "policy.strategy.durationMs") }),
    ...(burst === undefined || burst === null ? {} : { burst: uint64(burst, "policy.strategy.burst") }),
  };
  policy.strategy = create(PolicySchema, { strategy: { case: "timeBased", value } }).strategy;
  return [
    ...(durationMs === undefined ? [] : ["time_based.duration"]),
    ...(burst === undefined ? [] : ["time_based.burst"]),
  ];
}

/** A policy of the wire. */
export function policyFromWire(wire: BudgetPolicy): Policy {
  return defined({
    allocation: integer(wire.allocation),
    strategy: strategyFromWire(wire.strategy),
    reserveAfter: reserveAfterFromWire(wire.reserveAfter),
  });
}

function strategyFromWire(wire: BudgetPolicy["strategy"]): Strategy {
  switch (wire.case) {
    case "whileInFlight":
      return { type: "while_in_flight" };
    case "timeBased": {
      const { duration, burst } = wire.value;
      return defined({
        type: "time_based" as const,
        durationMs: duration ? msFromDuration(duration) : 0,
        burst: burst === undefined ? undefined : integer(burst),
      });
    }
    case undefined:
      throw new UnexpectedAnswerError("a strategy that this client knows");
  }
}

function reserveAfterFromWire(wire: BudgetPolicy["reserveAfter"]): ReserveAfter | undefined {
  switch (wire.case) {
    case "after":
      return { afterMs: msFromDuration(wire.value) };
    case "never":
      return "never";
    case undefined:
      return undefined;
  }
}

/** A budget of the wire. */
export function budgetFromWire(wire: WireBudget | undefined): Budget {
  if (!wire?.policy || !wire.status) {
    throw new UnexpectedAnswerError("the budget, its policy or its status");
  }
  const { status } = wire;
  return defined({
    key: wire.key,
    policy: policyFromWire(wire.policy),
    createTime: date(wire.createTime),
    updateTime: date(wire.updateTime),
    etag: wire.etag,
    status: defined({
      available: integer(status.available),
      capacity: integer(status.capacity),
      inFlightCost: integer(status.inFlightCost),
      inFlightJobs: Number(status.inFlightJobs),
      parkedJobs: Number(status.parkedJobs),
      boundJobs: Number(status.boundJobs),
      nextTokenTime: date(status.nextTokenTime),
      blocked: status.blocked,
      blockedUntil: date(status.blockedUntil),
    }),
  });
}
