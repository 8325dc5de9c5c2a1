/** Frames on their way to the transport: a bounded queue that it reads as fast as the server takes them. */

/** An async iterable that is pushed into; it has room for so many entries, and says when there is room again. */
export class Outbox<T> implements AsyncIterableIterator<T, undefined> {
  readonly #roomMax: number;
  readonly #onRoom: () => void;
  readonly #entries: T[] = [];
  #reader: ((result: IteratorResult<T, undefined>) => void) | undefined;
  #closed = false;

  /** Room for `roomMax` entries. `onRoom` is called after an entry was read, never from within {@link Outbox.push}. */
  constructor(roomMax: number, onRoom: () => void) {
    this.#roomMax = roomMax;
    this.#onRoom = onRoom;
  }

  /** Whether another entry may be pushed. */
  get hasRoom(): boolean {
    return !this.#closed && this.#entries.length < this.#roomMax;
  }

  /** Puts in an entry; there must be room. */
  push(entry: T): void {
    if (!this.hasRoom) {
      throw new RangeError("the outbox is full or closed");
    }
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader) {
      reader({ done: false, value: entry });
    } else {
      this.#entries.push(entry);
    }
  }

  /** Ends it: the reader gets what is left, and then its end. */
  close(): void {
    this.#closed = true;
    this.#reader?.({ done: true, value: undefined });
    this.#reader = undefined;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const entry = this.#entries.shift();
    if (entry !== undefined) {
      queueMicrotask(this.#onRoom);
      return Promise.resolve({ done: false, value: entry });
    }
    if (this.#closed) {
      return Promise.resolve({ done: true, value: undefined });
    }
    return new Promise((resolve) => {
      this.#reader = resolve;
    });
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.#entries.length = 0;
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** The reader gives up: what is left reaches nobody. The transport asks for this of every source of frames. */
  throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    this.#entries.length = 0;
    this.close();
    return Promise.reject(error instanceof Error ? error : new Error(String(error)));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
