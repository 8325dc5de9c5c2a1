/** Commands of the conformance protocol, each as a call of this client's public API. */

import { toBinary } from "@bufbuild/protobuf";
import { readdir } from "node:fs/promises";

import type { BulkOptions, CallOptions, Client, Job } from "@sluicegate/client";
import { BudgetPolicySchema, JobSpecSchema, jobToWire, policyToWire } from "@sluicegate/client/wire";

import type { Json, JsonBinding, JsonFilter, JsonJob, JsonOutcome, JsonPatch } from "./values.js";
import * as values from "./values.js";
import type { Finish, StartWorker, Workers } from "./workers.js";

/** The arguments of all commands; each reads its own. */
interface Args {
  address: never;
  key: string;
  policy: Parameters<typeof values.policy>[0];
  patch: JsonPatch & Parameters<typeof values.jobPatch>[0];
  replace?: boolean;
  etag?: string;
  pageSize?: number;
  allowMissing?: boolean;
  durationMs?: number;
  level: string;
  job: JsonJob;
  jobs: JsonJob[];
  requestId?: string;
  jobId: string;
  filter: JsonFilter;
  budget: JsonBinding;
  budgets: JsonBinding[];
  cost: string;
  validateOnly?: boolean;
  stopInFlight?: boolean;
  queue: string;
  workerId: string;
  queues: string[];
  maxJobs: number;
  waitMs?: number;
  leaseMs?: number;
  outcomes: { leaseId: string; outcome: JsonOutcome; usage?: { key: string; cost: string }[] }[];
  leaseIds: string[];
  name: string;
}

type Command = (client: Client, args: Args, workers: Workers) => unknown;

const bulk = ({ validateOnly }: Args): BulkOptions & CallOptions => (validateOnly === undefined ? {} : { validateOnly });

const paged = ({ pageSize }: Args) => (pageSize === undefined ? {} : { pageSize });

const checked = ({ etag }: Args) => (etag === undefined ? {} : { etag });

const repeatable = ({ requestId }: Args) => (requestId === undefined ? {} : { requestId });

/** A selection by its conditions, as a user would put it together. */
function selection(client: Client, { filter }: Args) {
  const { all, ids, queues, types, states, budgets, priorityMin, priorityMax } = filter;
  const isSome = <T>(list: T[] | undefined): list is [T, ...T[]] => list !== undefined && list.length > 0;
  let jobs = client.jobs();
  if (all === true) jobs = jobs.all();
  if (ids) jobs = jobs.byIds(...ids);
  if (isSome(queues)) jobs = jobs.byQueue(...queues);
  if (isSome(types)) jobs = jobs.byType(...types);
  if (isSome(states)) jobs = jobs.byState(...states);
  if (isSome(budgets)) jobs = jobs.byBudgetsKey(...budgets);
  if (priorityMin !== undefined || priorityMax !== undefined) jobs = jobs.byPriority(priorityMin ?? 0, priorityMax ?? 65_535);
  return jobs;
}

/** A change of one job's bindings, by the methods of its value. */
async function changed(client: Client, { jobId }: Args, change: (job: Job) => Promise<Job>): Promise<Json> {
  return values.jobOut(await change(await client.getJob(jobId)));
}

async function all<T>(entries: AsyncIterable<T>, out: (entry: T) => Json): Promise<Json[]> {
  const list: Json[] = [];
  for await (const entry of entries) {
    list.push(out(entry));
  }
  return list;
}

async function resources(): Promise<Json> {
  globalThis.gc?.();
  const [threads, files] = await Promise.all([readdir("/proc/self/task"), readdir("/proc/self/fd")]);
  const handles = process.getActiveResourcesInfo().length;
  return { threads: threads.length, tasks: handles, memoryBytes: process.memoryUsage().heapUsed, openFiles: files.length };
}

const budgets: Record<string, Command> = {
  defineBudget: async (client, args) => {
    const { key, policy, replace } = args;
    const options = replace === undefined ? {} : { replace };
    return values.budgetOut(await client.defineBudget({ key, ...values.policy(policy) }, options));
  },
  getBudget: async (client, { key }) => values.budgetOut(await client.getBudget(key)),
  listBudgets: (client, args) => all(client.listBudgets(paged(args)), values.budgetOut),
  updateBudget: async (client, args) =>
    values.budgetOut(await client.updateBudget(args.key, values.policyPatch(args.patch), checked(args))),
  deleteBudget: async (client, args) => {
    const { key, allowMissing } = args;
    await client.deleteBudget(key, { ...checked(args), ...(allowMissing !== undefined && { allowMissing }) });
    return null;
  },
  blockBudget: async (client, { key, durationMs }) =>
    values.budgetOut(await client.blockBudget(key, durationMs === undefined ? {} : { durationMs })),
  unblockBudget: async (client, { key }) => values.budgetOut(await client.unblockBudget(key)),
  adjustBudget: async (client, { key, level }) => values.budgetOut(await client.adjustBudget(key, BigInt(level))),
};

const jobs: Record<string, Command> = {
  enqueue: async (client, args) => {
    const { job, existing } = await client.enqueue(values.newJob(args.job), repeatable(args));
    return { job: values.jobOut(job), existing };
  },
  enqueueMany: (client, args) => client.enqueueMany(args.jobs.map(values.newJob), repeatable(args)),
  getJob: async (client, { jobId }) => values.jobOut(await client.getJob(jobId)),
  listJobs: (client, args) => all(client.listJobs(values.filter(args.filter), paged(args)), values.jobOut),
  countJobs: async (client, { filter }) => ({ count: String(await client.countJobs(values.filter(filter))) }),
  bind: (client, args) => changed(client, args, (job) => job.bindBudget(values.binding(args.budget))),
  rebind: (client, args) => changed(client, args, (job) => job.rebindBudget(values.binding(args.budget))),
  setCost: (client, args) => changed(client, args, (job) => job.setCost(args.key, BigInt(args.cost))),
  unbind: (client, args) => changed(client, args, (job) => job.unbindBudget(args.key)),
  unbindAll: (client, args) => changed(client, args, (job) => job.unbindAll()),
  replaceBindings: (client, args) => changed(client, args, (job) => job.replaceBudgets(args.budgets.map(values.binding))),
  explain: async (client, { jobId }) => {
    const { state, holdUps } = await client.explainJob(jobId);
    return { state, holdUps };
  },
};

const selections: Record<string, Command> = {
  bulkBind: async (client, args) =>
    values.changedOut(await selection(client, args).bindBudget(values.binding(args.budget), bulk(args))),
  bulkRebind: async (client, args) =>
    values.changedOut(await selection(client, args).rebindBudget(values.binding(args.budget), bulk(args))),
  bulkSetCost: async (client, args) =>
    values.changedOut(await selection(client, args).setCost(args.key, BigInt(args.cost), bulk(args))),
  bulkUnbind: async (client, args) => values.changedOut(await selection(client, args).unbindBudget(args.key, bulk(args))),
  bulkUnbindAll: async (client, args) => values.changedOut(await selection(client, args).unbindAll(bulk(args))),
  bulkReplace: async (client, args) =>
    values.changedOut(await selection(client, args).replaceBudgets(args.budgets.map(values.binding), bulk(args))),
  cancelJobs: async (client, args) => {
    const { stopInFlight } = args;
    const options = { ...bulk(args), ...(stopInFlight !== undefined && { stopInFlight }) };
    return values.changedOut(await selection(client, args).cancel(options));
  },
  retryJobs: async (client, args) => values.changedOut(await selection(client, args).retry(bulk(args))),
  deleteJobs: async (client, args) => values.changedOut(await selection(client, args).delete(bulk(args))),
  updateJobs: async (client, args) =>
    values.changedOut(await selection(client, args).update(values.jobPatch(args.patch), bulk(args))),
};

const others: Record<string, Command> = {
  listQueues: (client) => all(client.listQueues(), ({ name, paused, ready }) => ({ name, paused, ready: String(ready) })),
  pauseQueue: async (client, { queue }) => {
    const { name, paused, ready } = await client.pauseQueue(queue);
    return { name, paused, ready: String(ready) };
  },
  resumeQueue: async (client, { queue }) => {
    const { name, paused, ready } = await client.resumeQueue(queue);
    return { name, paused, ready: String(ready) };
  },
  leaseJobs: async (client, args) => {
    const { workerId, queues, maxJobs, waitMs, leaseMs } = args;
    const wait = waitMs === undefined ? {} : { waitMs };
    const lease = leaseMs === undefined ? {} : { leaseMs };
    const leased = await client.leaseJobs({ workerId, queues, maxJobs, ...wait, ...lease, ...repeatable(args) });
    return leased.map((job) => ({
      leaseId: job.lease.id,
      job: {
        ...{ id: job.id, queue: job.queue, type: job.type, state: "IN_FLIGHT", priority: job.priority },
        ...{ attempts: job.attempts, maxAttempts: job.maxAttempts, metadata: job.metadata, errors: [] },
        payload: values.payloadOut(job),
        budgets: values.budgetsOut(job),
      },
    }));
  },
  settleJobs: async (client, { outcomes }) => {
    const settlements = outcomes.map(({ leaseId, outcome, usage }) => ({
      leaseId,
      outcome: values.leaseEnd(outcome),
      usage: (usage ?? []).map(({ key, cost }) => ({ key, cost: BigInt(cost) })),
      throttled: outcome.throttled ? [{ key: outcome.throttled.budget, retryAfterMs: outcome.throttled.retryAfterMs }] : [],
    }));
    return (await client.settleJobs(settlements)).map(({ status }) => status);
  },
  extendLeases: async (client, { leaseIds }) => (await client.extendLeases(leaseIds)).map(({ status }) => status),
  encodePolicy: (_, { policy }) => values.base64(toBinary(BudgetPolicySchema, policyToWire(values.policy(policy)))),
  encodeJob: (_, { job }) => values.base64(toBinary(JobSpecSchema, jobToWire(values.newJob(job)))),
  startWorker: (_, args, workers) => {
    workers.start(args as unknown as StartWorker);
    return null;
  },
  stopWorker: async (_, { name }, workers) => {
    if (!(await workers.stop(name))) throw new UnsupportedError(`there is no worker ${name}`);
    return null;
  },
  finish: (_, args, workers) => {
    const finish = args as unknown as Finish;
    if (!workers.finish(finish)) throw new UnsupportedError(`no handler waits for job ${finish.jobId}`);
    return null;
  },
  resources,
};

const COMMANDS = new Map(Object.entries({ ...budgets, ...jobs, ...selections, ...others }));

/** A command that can't be done here. */
export class UnsupportedError extends Error {}

/** Does a command. */
export function perform(client: Client, workers: Workers, name: string, args: Json): unknown {
  const command = COMMANDS.get(name);
  if (!command) {
    throw new UnsupportedError(`there is no command ${name}`);
  }
  return command(client, args as unknown as Args, workers);
}
