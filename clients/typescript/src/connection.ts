/** One HTTP/2 connection to a server, and calls on it. Owns addresses, TLS, keepalive and how a call's failure is told. */

import type { SecureClientSessionOptions } from "node:http2";

import type { Client as ConnectClient, CallOptions as ConnectCallOptions, Interceptor, Transport } from "@connectrpc/connect";
import { createClient } from "@connectrpc/connect";
import { Http2SessionManager, createGrpcTransport } from "@connectrpc/connect-node";

import { ClientError, fromThrown } from "./errors.js";
import { BudgetService } from "./gen/sluicegate/v1/budget_service_pb.js";
import { JobService } from "./gen/sluicegate/v1/job_service_pb.js";
import { QueueService } from "./gen/sluicegate/v1/queue_service_pb.js";

/** After this long without a byte an open connection is asked whether it is alive. */
const KEEPALIVE_MS = 30_000;

/** A connection that doesn't answer that within this is dead, and its calls fail. */
const KEEPALIVE_TIMEOUT_MS = 10_000;

/** The largest answer that is taken, in bytes: twice the largest that the server sends. */
const ANSWER_BYTES_MAX = 64 << 20;

/** Bytes that a stream's sender may be ahead of its reader. */
const STREAM_WINDOW_BYTES = 1 << 20;

/** The files of TLS, as Node's `tls.connect` takes them. */
export type TlsOptions = Pick<
  SecureClientSessionOptions,
  "ca" | "cert" | "key" | "passphrase" | "pfx" | "servername" | "rejectUnauthorized"
>;

/** How a server is reached. */
export interface ClientOptions {
  /** TLS: off where absent, unless the address begins with `https://`; true for the authorities that Node trusts. */
  readonly tls?: boolean | TlsOptions;
  /** The time limit of each call, in milliseconds; none where absent. Streams of workers have none. */
  readonly timeoutMs?: number;
  /** Headers that go with each call, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** How one call is made. */
export interface CallOptions {
  /** Ends the call; it then throws the signal's reason. Whether it took effect is unknown. */
  readonly signal?: AbortSignal;
  /** The time limit of the call, in milliseconds. For lists: of each page. */
  readonly timeoutMs?: number;
}

/** The base URL of an address: `host:port`, or a URL. */
export function baseUrl(address: string, options: ClientOptions): string {
  const withTls = options.tls !== undefined && options.tls !== false;
  const text = /^[a-z]+:\/\//i.test(address) ? address : `${withTls ? "https" : "http"}://${address}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.host === "" || !["http:", "https:"].includes(url.protocol)) {
    throw new ClientError(`the address is \`${address}\`: give host:port, http://host:port or https://host:port`, "address");
  }
  if (withTls && url.protocol === "http:") {
    throw new ClientError(`TLS is asked for, and the address \`${address}\` says http`, "address");
  }
  return url.origin;
}

/** One HTTP/2 connection, opened by its first call, and anew by the next call after it broke. */
export class Connection {
  readonly budgets: ConnectClient<typeof BudgetService>;
  readonly jobs: ConnectClient<typeof JobService>;
  readonly queues: ConnectClient<typeof QueueService>;
  readonly #session: Http2SessionManager;
  readonly #timeoutMs: number | undefined;

  constructor(address: string, options: ClientOptions) {
    const url = baseUrl(address, options);
    const tls = typeof options.tls === "object" ? options.tls : {};
    const keepalive = { pingIntervalMs: KEEPALIVE_MS, pingTimeoutMs: KEEPALIVE_TIMEOUT_MS };
    this.#session = new Http2SessionManager(url, keepalive, {
      ...tls,
      settings: { initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false },
    });
    const transport: Transport = createGrpcTransport({
      baseUrl: url,
      sessionManager: this.#session,
      readMaxBytes: ANSWER_BYTES_MAX,
      acceptCompression: [],
      interceptors: options.headers ? [withHeaders(options.headers)] : [],
    });
    this.#timeoutMs = options.timeoutMs;
    this.budgets = createClient(BudgetService, transport);
    this.jobs = createClient(JobService, transport);
    this.queues = createClient(QueueService, transport);
  }

  /** Makes a call, and tells its failure as this package's error. */
  async call<T>(make: (options: ConnectCallOptions) => Promise<T>, options: CallOptions = {}): Promise<T> {
    const { signal } = options;
    signal?.throwIfAborted();
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    try {
      return await make({ ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) });
    } catch (error) {
      signal?.throwIfAborted();
      throw fromThrown(error);
    }
  }

  /** Closes the connection; what is open on it fails. The next call opens another. */
  close(): void {
    this.#session.abort();
  }
}

function withHeaders(headers: Readonly<Record<string, string>>): Interceptor {
  return (next) => (request) => {
    for (const [name, value] of Object.entries(headers)) {
      request.header.set(name, value);
    }
    return next(request);
  };
}
