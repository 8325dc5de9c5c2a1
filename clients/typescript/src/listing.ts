/** Lists that come in pages, read one entry after the other. */

/** One page: its entries, and the token of the next; empty on the last one. */
export interface Page<T> {
  readonly entries: readonly T[];
  readonly nextPageToken: string;
}

/** How a list is read. */
export interface ListOptions {
  /** Most entries of one page: 1..=1000; 100 where absent. All pages are read whatever it is. */
  readonly pageSize?: number;
}

/** Reads all pages, each when its first entry is asked for. */
export async function* entriesOf<T>(fetch: (pageToken: string) => Promise<Page<T>>): AsyncGenerator<T, void, undefined> {
  let token = "";
  do {
    const { entries, nextPageToken } = await fetch(token);
    yield* entries;
    token = nextPageToken;
  } while (token !== "");
}
