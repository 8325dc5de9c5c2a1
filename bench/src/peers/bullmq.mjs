// Puts one piece of work on BullMQ. Told all of it in JSON by its argument; says `began` when it begins to measure and, at the
// end, one line of JSON with what it measured. Ends with 1 if anything fails.

import { createRequire } from 'node:module';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker as Thread } from 'node:worker_threads';

const orders = JSON.parse(process.argv[2]);
const { Queue, Worker } = createRequire(`${orders.directory}/`)('bullmq');

const QUEUE = 'bench';
const options = { removeOnComplete: true };
const payload = 'x'.repeat(orders.payloadBytes);

/** Nanoseconds of a clock that all threads share. */
const now = () => Number(process.hrtime.bigint());

const fail = (error) => {
    console.error(error);
    process.exit(1);
};

/** What was done while it was open. */
const meter = {
    isOpen: false,
    jobs: 0,
    times: createHistogram({ lowest: 1, highest: 600e9, figures: 3 }),

    open() {
        console.log('began');
        this.isOpen = true;
        this.began = now();
        this.cpu = process.cpuUsage();
    },

    add(jobs) {
        if (this.isOpen) this.jobs += jobs;
    },

    addTime(since) {
        if (this.isOpen) this.times.record(Math.max(1, Math.round(now() - since)));
    },

    close() {
        this.isOpen = false;
        const seconds = (now() - this.began) / 1e9;
        const { user, system } = process.cpuUsage(this.cpu);
        const { times } = this;
        const told = {
            jobs: this.jobs,
            seconds,
            load_cpu_us: user + system,
            times: times.count === 0 ? null : { p50_ns: times.percentile(50), p99_ns: times.percentile(99), max_ns: times.max },
        };
        console.log(JSON.stringify(told));
    },
};

const connection = () => ({ host: '127.0.0.1', port: orders.port, maxRetriesPerRequest: null });

const openQueues = async () => {
    const queues = Array.from({ length: orders.queues }, () => new Queue(QUEUE, { connection: connection() }));
    for (const queue of queues) {
        queue.on('error', fail);
        await queue.waitUntilReady();
    }
    return queues;
};

const openWorkers = async (processor, completed) => {
    for (let count = 0; count < orders.workers; count++) {
        const worker = new Worker(QUEUE, processor, { connection: connection(), concurrency: orders.concurrency });
        worker.on('error', fail);
        worker.on('failed', (_, error) => fail(error));
        worker.on('completed', completed);
        await worker.waitUntilReady();
    }
};

const span = async () => {
    await sleep(orders.warmMs);
    meter.open();
    await sleep(orders.lengthMs);
    meter.close();
};

/** Callers that add a job as soon as the one before is there. */
const unary = async (queues, { callers }) => {
    const call = async (queue) => {
        for (;;) {
            const began = now();
            await queue.add('job', { payload }, options);
            meter.addTime(began);
            meter.add(1);
        }
    };
    for (let number = 0; number < callers; number++) call(queues[number % queues.length]).catch(fail);
    await span();
};

/** So many jobs, until the last of them is completed; before them some that aren't measured. */
const cycle = async (queues, { callers, batch, warmJobs, jobs }) => {
    let notCompleted;
    let end;
    const completed = () => {
        meter.add(1);
        if (--notCompleted === 0) end();
    };
    await openWorkers(async () => {}, completed);
    const round = (count) => {
        let left = count;
        notCompleted = count;
        const produce = async (queue) => {
            while (left > 0) {
                const length = Math.min(batch, left);
                left -= length;
                await queue.addBulk(Array.from({ length }, () => ({ name: 'job', data: { payload }, opts: options })));
            }
        };
        for (let number = 0; number < callers; number++) produce(queues[number % queues.length]).catch(fail);
        return new Promise((resolve) => (end = resolve));
    };
    await round(warmJobs);
    meter.open();
    await round(jobs);
    meter.close();
};

/** Jobs at a steady pace; times are from the instant at which a job was due until a worker has it. */
const delivery = async (queues, { perSecond }) => {
    const deliver = async ({ data }) => {
        meter.addTime(data.due);
        meter.add(1);
    };
    await openWorkers(deliver, () => {});
    let count = 0;
    const enqueue = (due) => queues[count++ % queues.length].add('job', { due, payload }, options).catch(fail);
    new Thread(PACE, { eval: true, workerData: { perSecond } }).on('message', enqueue).on('error', fail);
    await span();
};

/** A thread that says when jobs are due, at the instants at which they are, whatever becomes of them. */
const PACE = `
    const { parentPort, workerData } = require('node:worker_threads');
    const never = new Int32Array(new SharedArrayBuffer(4));
    const now = () => Number(process.hrtime.bigint());
    const began = now();
    for (let count = 0; ; count++) {
        const due = began + (count * 1e9) / workerData.perSecond;
        const waitMs = (due - now()) / 1e6;
        if (waitMs > 0) Atomics.wait(never, 0, 0, waitMs);
        parentPort.postMessage(due);
    }
`;

await { unary, cycle, delivery }[orders.work.kind](await openQueues(), orders.work).catch(fail);
process.exit(0);
