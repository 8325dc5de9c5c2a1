/** What must not compile. `tsc` is the test: a line that compiles after all is an error of its own. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Policy, PolicyPatch } from "@sluicegate/client";

test("strategies are a closed union", () => {
  const right: Policy[] = [
    { allocation: 1, strategy: { type: "while_in_flight" } },
    { allocation: 1n, strategy: { type: "time_based", durationMs: 1, burst: 2 } },
  ];
  const wrong: Policy[] = [
    // @ts-expect-error what is in flight has no duration
    { allocation: 1, strategy: { type: "while_in_flight", durationMs: 1 } },
    // @ts-expect-error a rate has one
    { allocation: 1, strategy: { type: "time_based" } },
    // @ts-expect-error there is no third strategy
    { allocation: 1, strategy: { type: "leaky" } },
  ];
  const cleared: PolicyPatch = { strategy: { burst: null } };
  assert.equal(right.length + wrong.length, 5);
  assert.deepEqual(cleared, { strategy: { burst: null } });
});
