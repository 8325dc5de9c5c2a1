import { Client, ConflictError } from "@sluicegate/client";

const client = new Client(process.env["SLUICEGATE_SERVER"] ?? "127.0.0.1:7654");

// 100 a minute, at most 8 at a stroke. Every instance may define it on boot.
try {
  await client.defineBudget({
    key: "smtp",
    allocation: 100,
    strategy: { type: "time_based", durationMs: 60_000, burst: 8 },
  });
} catch (error) {
  if (!(error instanceof ConflictError)) throw error;
}

const { job } = await client.enqueue({
  queue: "emails",
  type: "welcome",
  payload: { to: "ada@example.com" },
  budgets: [{ key: "smtp", cost: 1 }],
});
console.log(`enqueued ${job.id}`);
client.close();
