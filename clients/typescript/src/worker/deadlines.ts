/** When which lease is due: the earliest first, each changed or taken out at any time. A binary heap that knows its places. */

interface Entry {
  readonly id: string;
  readonly at: number;
}

/** Instants by id. Every change is O(log n), the earliest O(1). */
export class Deadlines {
  readonly #heap: Entry[] = [];
  readonly #places = new Map<string, number>();

  /** The earliest; undefined where there is none. */
  get first(): Entry | undefined {
    return this.#heap[0];
  }

  /** How many there are. */
  get size(): number {
    return this.#heap.length;
  }

  /** Sets the instant of an id, in place of the one it had. */
  set(id: string, at: number): void {
    const place = this.#places.get(id) ?? this.#heap.length;
    this.#put(place, { id, at });
    this.#settle(place);
  }

  /** Takes an id out, if it is there. */
  delete(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) {
      return;
    }
    this.#places.delete(id);
    const last = this.#heap.pop();
    if (last && last.id !== id) {
      this.#put(place, last);
      this.#settle(place);
    }
  }

  #put(place: number, entry: Entry): void {
    this.#heap[place] = entry;
    this.#places.set(entry.id, place);
  }

  /** Moves the entry at a place to where it belongs. */
  #settle(start: number): void {
    let place = start;
    while (place > 0 && this.#isEarlier(place, (place - 1) >> 1)) {
      place = this.#swap(place, (place - 1) >> 1);
    }
    for (;;) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      const child = this.#isEarlier(right, left) ? right : left;
      if (!this.#isEarlier(child, place)) {
        return;
      }
      place = this.#swap(place, child);
    }
  }

  #isEarlier(place: number, than: number): boolean {
    const [one, other] = [this.#heap[place], this.#heap[than]];
    return one !== undefined && other !== undefined && one.at < other.at;
  }

  #swap(from: number, to: number): number {
    const [one, other] = [this.#heap[from], this.#heap[to]];
    if (one && other) {
      this.#put(to, one);
      this.#put(from, other);
    }
    return to;
  }
}
