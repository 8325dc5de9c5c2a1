/** Payloads: JSON values, JSON text as it was written, or bytes. Owns how they are told apart. */

import { ClientError } from "./errors.js";
import type { JobSpec } from "./gen/sluicegate/v1/job_pb.js";

/** JSON text that is sent as it is written, for numbers that JavaScript can't hold, or text that is there already. */
export class JsonText {
  constructor(
    /** The text (RFC 8259); the server checks it. */
    readonly text: string,
  ) {}
}

/**
 * A handler's input: any JSON value, {@link JsonText}, or bytes as a Uint8Array. At most 1 MiB unless the server says otherwise.
 */
export type Payload = string | number | boolean | null | object;

type WirePayload = JobSpec["payload"];

/** The payload as it is sent; undefined is none. Refuses what JSON can't hold. */
export function payloadToWire(payload: Payload | undefined, field: string): WirePayload {
  if (payload === undefined) {
    return { case: undefined };
  }
  if (payload instanceof Uint8Array) {
    return { case: "binary", value: payload };
  }
  return { case: "json", value: payload instanceof JsonText ? payload.text : jsonText(payload, field) };
}

/** The JSON text of a value. Refuses what JSON can't hold, naming the field. */
export function jsonText(value: unknown, field: string): string {
  // The type of `stringify` leaves out that functions and symbols have no text.
  const stringify: (value: unknown) => string | undefined = JSON.stringify;
  let text: string | undefined;
  try {
    text = stringify(value);
  } catch (error) {
    throw new ClientError(`${field} can't be written as JSON: ${String(error)}`, field, error);
  }
  if (text === undefined) {
    throw new ClientError(`${field} is a ${typeof value}, which JSON can't hold`, field);
  }
  return text;
}

/** What a stored or leased job's payload is read through. */
export class PayloadReader {
  readonly #wire: WirePayload;

  constructor(wire: WirePayload) {
    this.#wire = wire;
  }

  /** The JSON value, the bytes, or undefined where there is none. */
  get value(): unknown {
    return this.#wire.case === "json" ? (JSON.parse(this.#wire.value) as unknown) : this.#wire.value;
  }

  /** The JSON text as it was written; undefined where it isn't JSON. */
  get text(): string | undefined {
    return this.#wire.case === "json" ? this.#wire.value : undefined;
  }
}
