/** Numbers, durations and instants between JavaScript and the wire. Knows no message of the contract. */

import { create } from "@bufbuild/protobuf";
import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import { DurationSchema, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";

import { ClientError } from "./errors.js";

/** A whole number: a bigint, or a number where it is safe (up to 2^53 - 1). */
export type Integer = number | bigint;

const UINT64_MAX = (1n << 64n) - 1n;
const UINT32_MAX = 0xffff_ffff;

/** An unsigned 64-bit integer. Refuses fractions, negative numbers and unsafe ones, naming the field. */
export function uint64(value: Integer, field: string): bigint {
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new ClientError(`${field} is ${value}: give a whole number up to 2^53 - 1, or a bigint`, field);
  }
  const exact = BigInt(value);
  if (exact < 0n || exact > UINT64_MAX) {
    throw new ClientError(`${field} is ${exact}: give a whole number from 0 to 2^64 - 1`, field);
  }
  return exact;
}

/** An unsigned 32-bit integer. Refuses fractions and what is out of range, naming the field. */
export function uint32(value: number, field: string): number {
  if (!Number.isInteger(value) || value < 0 || value > UINT32_MAX) {
    throw new ClientError(`${field} is ${value}: give a whole number from 0 to 2^32 - 1`, field);
  }
  return value;
}

/** An integer of the wire: a number where that is exact, else a bigint. */
export function integer(value: bigint): Integer {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Milliseconds as a Duration, rounded to the nearest nanosecond. Refuses what isn't finite, naming the field. */
export function durationFromMs(ms: number, field: string): Duration {
  // The contract's Durations end at 10,000 years.
  if (!Number.isFinite(ms) || Math.abs(ms) > 315_576_000_000_000) {
    throw new ClientError(`${field} is ${ms}: give a finite number of milliseconds`, field);
  }
  const seconds = Math.trunc(ms / 1000);
  const nanos = Math.round((ms - seconds * 1000) * 1e6);
  const carry = Math.trunc(nanos / 1e9);
  return create(DurationSchema, { seconds: BigInt(seconds + carry), nanos: nanos - carry * 1e9 });
}

/** A Duration in milliseconds: exact to the microsecond. */
export function msFromDuration(duration: Duration): number {
  return Number(duration.seconds) * 1000 + duration.nanos / 1e6;
}

/** A Date as a Timestamp. Refuses an invalid one, naming the field. */
export function timestamp(date: Date, field: string): Timestamp {
  if (Number.isNaN(date.getTime())) {
    throw new ClientError(`${field} is an invalid Date`, field);
  }
  return timestampFromDate(date);
}

/** A Timestamp as a Date, rounded down to the millisecond; undefined where unset. */
export function date(value: Timestamp | undefined): Date | undefined {
  return value && timestampDate(value);
}

/** The object without its undefined properties, for types that tell absent and undefined apart. */
export function defined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
