import assert from "node:assert/strict";
import { test } from "node:test";

import { ClientError } from "../src/errors.js";
import { durationFromMs, integer, msFromDuration, timestamp, uint32, uint64 } from "../src/values.js";
import { Backoff } from "../src/worker/backoff.js";
import { Outbox } from "../src/worker/outbox.js";

/** Whether the client itself refused a field. */
const refusalOf = (field: string) => (error: unknown) => error instanceof ClientError && error.fields[0]?.field === field;

test("integers are exact, or refused by their field's name", () => {
  assert.equal(uint64(2 ** 53 - 1, "cost"), 9007199254740991n);
  assert.equal(uint64(18446744073709551615n, "cost"), 18446744073709551615n);
  for (const wrong of [2 ** 53, 1.5, -1, NaN, Infinity, 18446744073709551616n, -1n]) {
    assert.throws(() => uint64(wrong, "cost"), refusalOf("cost"));
  }
  assert.equal(uint32(4294967295, "window"), 4294967295);
  for (const wrong of [4294967296, -1, 0.5, NaN]) {
    assert.throws(() => uint32(wrong, "window"), ClientError);
  }
  assert.equal(integer(9007199254740991n), 9007199254740991);
  assert.equal(integer(9007199254740992n), 9007199254740992n);
});

test("durations are whole nanoseconds", () => {
  for (const ms of [0, 1, 999.999, 1000, 60_000, 0.000001, -1.5]) {
    const duration = durationFromMs(ms, "duration");
    assert.ok(Math.abs(duration.nanos) < 1e9);
    assert.equal(msFromDuration(duration), ms);
  }
  const rounded = durationFromMs(999.9999999, "duration");
  assert.deepEqual([rounded.seconds, rounded.nanos], [1n, 0]);
  for (const wrong of [NaN, Infinity, 1e18]) {
    assert.throws(() => durationFromMs(wrong, "duration"), refusalOf("duration"));
  }
  assert.throws(() => timestamp(new Date(NaN), "runAt"), refusalOf("runAt"));
});

test("waits double up to a bound, and begin anew", () => {
  const backoff = new Backoff(() => 1);
  const waits = Array.from({ length: 9 }, () => backoff.nextDelayMs());
  assert.deepEqual(waits.slice(0, 3), [100, 200, 400]);
  assert.ok(waits.every((wait) => wait <= 10_000));
  backoff.reset();
  assert.equal(backoff.nextDelayMs(), 100);
});

test("an outbox has room for so many, and ends with its reader", async () => {
  let roomSaid = 0;
  const outbox = new Outbox<number>(2, () => {
    roomSaid += 1;
  });
  outbox.push(1);
  outbox.push(2);
  assert.equal(outbox.hasRoom, false);
  assert.throws(() => {
    outbox.push(3);
  }, RangeError);
  assert.deepEqual(await outbox.next(), { done: false, value: 1 });
  assert.equal(outbox.hasRoom, true);
  assert.equal(roomSaid, 1);
  await assert.rejects(outbox.throw(new Error("gone")), /gone/);
  assert.equal(outbox.hasRoom, false);
  assert.deepEqual(await outbox.next(), { done: true, value: undefined });
});
