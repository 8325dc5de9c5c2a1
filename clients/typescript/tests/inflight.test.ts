import assert from "node:assert/strict";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";

import { RevokeReason } from "../src/gen/sluicegate/v1/dispatch_pb.js";
import { LeasedJobSchema } from "../src/gen/sluicegate/v1/job_pb.js";
import { SettleOutcomeSchema, SettleResultSchema, SettleStatus } from "../src/gen/sluicegate/v1/settle_pb.js";
import { LeasedJob } from "../src/lease.js";
import { Inflight } from "../src/worker/inflight.js";

const LEASE_S = 30;

/** Holds these leases from instant 0 on, without jitter. */
function holding(totalMaxMs: number | undefined, ...ids: string[]): Inflight {
  const inflight = new Inflight(totalMaxMs, () => 1);
  for (const id of ids) {
    const lease = { id, duration: { seconds: BigInt(LEASE_S) } };
    const wire = create(LeasedJobSchema, { lease, job: { id: `job of ${id}`, spec: { bindings: [{ budget: "b", cost: 7n }] } } });
    assert.equal(inflight.pushed(new LeasedJob(wire), 0), true);
  }
  return inflight;
}

const success = (leaseId: string) =>
  create(SettleOutcomeSchema, { leaseId, outcome: { case: "success", value: { result: new Uint8Array([1]) } } });

const result = (leaseId: string, status: SettleStatus) => create(SettleResultSchema, { leaseId, status });

test("leases are extended after a third until their total is used up", () => {
  const inflight = holding(25_000, "a");
  const due = inflight.extendDue ?? 0;
  assert.ok(due > 0 && due <= (LEASE_S * 1000) / 3);
  assert.deepEqual(inflight.takeExtensions(due, 10), ["a"]);
  assert.deepEqual(inflight.takeExtensions(due + 10_000, 10), ["a"]);
  assert.deepEqual(inflight.takeExtensions(100_000, 10), []);
  assert.equal(inflight.extendDue, undefined);
});

test("what isn't confirmed is sent again on the next stream", () => {
  const inflight = holding(undefined, "a", "b");
  assert.equal(inflight.start("b"), true);
  assert.equal(inflight.settle("a", success("a"), 1), true);
  assert.equal(inflight.takeSettlements(10, 1 << 20).length, 1);
  assert.deepEqual(inflight.welcomed(["b"], 2), [{ id: "b", reason: "lease_lost" }]);
  assert.deepEqual(
    inflight.takeSettlements(10, 1 << 20).map(({ leaseId }) => leaseId),
    ["a"],
  );
  assert.deepEqual(inflight.leaseIds, ["a"]);
});

test("a refused settlement is sent bare, once", () => {
  const inflight = holding(undefined, "a");
  inflight.settle("a", success("a"), 1);
  inflight.takeSettlements(10, 1 << 20);
  const invalid = result("a", SettleStatus.INVALID);
  assert.equal(inflight.confirmed(invalid, 2), "retried");
  const [bare] = inflight.takeSettlements(10, 1 << 20);
  assert.equal(bare?.outcome.case === "success" && bare.outcome.value.result.length, 0);
  assert.equal(inflight.confirmed(invalid, 3), "abandoned");
  assert.equal(inflight.size, 0);
});

test("a job that waits goes back with nothing used", () => {
  const inflight = holding(undefined, "a", "b");
  inflight.start("b");
  assert.equal(inflight.releaseWaiting(1), 1);
  const [released] = inflight.takeSettlements(10, 1 << 20);
  assert.equal(released?.outcome.case, "release");
  assert.deepEqual(
    released.usage.map(({ budget, cost }) => [budget, cost]),
    [["b", 0n]],
  );
});

test("a handler is told that its job is cancelled, and then that its lease is lost", () => {
  const inflight = holding(undefined, "a");
  inflight.start("a");
  assert.deepEqual(inflight.revoked("a", RevokeReason.CANCEL_REQUESTED, 1), { id: "a", reason: "cancel_requested" });
  assert.deepEqual(inflight.revoked("a", RevokeReason.EXPIRED, 2), { id: "a", reason: "lease_lost" });
  assert.equal(inflight.settle("a", success("a"), 3), false);
  assert.equal(inflight.started, 0);
});
