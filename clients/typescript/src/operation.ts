/** Changes of jobs' bindings (semantics 8.1), for one job and for many alike. */

import { create } from "@bufbuild/protobuf";

import type { BindingOperation } from "./gen/sluicegate/v1/job_service_pb.js";
import { BindingOperationSchema } from "./gen/sluicegate/v1/job_service_pb.js";
import type { NewBinding } from "./job_spec.js";
import { bindingToWire } from "./job_spec.js";
import type { Integer } from "./values.js";
import { uint64 } from "./values.js";

/** Adds a binding. */
export function bind(binding: NewBinding): BindingOperation {
  return create(BindingOperationSchema, { operation: { case: "bind", value: bindingToWire(binding, "budget") } });
}

/** Replaces the binding to this budget whole, or adds it. */
export function rebind(binding: NewBinding): BindingOperation {
  return create(BindingOperationSchema, { operation: { case: "rebind", value: bindingToWire(binding, "budget") } });
}

/** Changes what a binding costs. */
export function setCost(key: string, cost: Integer): BindingOperation {
  const value = { budget: key, cost: uint64(cost, "cost") };
  return create(BindingOperationSchema, { operation: { case: "setCost", value } });
}

/** Takes a binding away. */
export function unbind(key: string): BindingOperation {
  return create(BindingOperationSchema, { operation: { case: "unbind", value: { budget: key } } });
}

/** Takes all bindings away. */
export function unbindAll(): BindingOperation {
  return create(BindingOperationSchema, { operation: { case: "unbindAll", value: {} } });
}

/** Puts these bindings in place of all there are. */
export function replaceAll(budgets: readonly NewBinding[]): BindingOperation {
  const bindings = budgets.map((binding, i) => bindingToWire(binding, `budgets[${i}]`));
  return create(BindingOperationSchema, { operation: { case: "replaceAll", value: { bindings } } });
}
