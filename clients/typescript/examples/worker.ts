import { Client, Worker } from "@sluicegate/client";

const client = new Client(process.env["SLUICEGATE_SERVER"] ?? "127.0.0.1:7654");

const worker = new Worker(client, {
  queues: ["emails"],
  window: 8,
  handlers: {
    welcome: (job) => {
      const { to } = job.payload as { to: string };
      console.log(`welcome, ${to}`);
    },
  },
});

// A signal drains: nothing more is taken, and what was begun is finished.
const shutdown = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"]) {
  process.once(signal, () => {
    shutdown.abort();
  });
}
await worker.run({ signal: shutdown.signal });
client.close();
