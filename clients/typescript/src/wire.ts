/**
 * The contract as it is sent, for tools that work on its bytes: generated messages, and this package's values as them. No part of
 * it is needed to enqueue jobs or to work on them.
 */

export { policyToWire } from "./budget.js";
export { jobToWire } from "./job_spec.js";
export * from "./gen/sluicegate/v1/budget_pb.js";
export * from "./gen/sluicegate/v1/job_pb.js";
