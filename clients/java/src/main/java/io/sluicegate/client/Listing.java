package io.sluicegate.client;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A list that fetches its pages as it is read, each iteration anew. Entries that change meanwhile are shown once at most, as they
 * then stand. Reading throws {@link io.sluicegate.client.error.SluicegateException} as calls do.
 *
 * @param <T> what is listed.
 */
public final class Listing<T> implements Iterable<T> {
    /**
     * One page.
     *
     * @param entries what is on it.
     * @param next the token of the next page; empty on the last one.
     */
    record Page<T>(List<T> entries, String next) {}

    private final Function<String, Page<T>> fetch;

    /** Reads pages by {@code fetch}, which gets the token of the page: empty for the first. */
    Listing(Function<String, Page<T>> fetch) {
        this.fetch = fetch;
    }

    @Override
    public Iterator<T> iterator() {
        return new Pages<>(fetch);
    }

    /** The same as a stream, which fetches pages as far as it is read. */
    public Stream<T> stream() {
        return StreamSupport.stream(spliterator(), false);
    }

    /** All entries. */
    public List<T> toList() {
        return stream().toList();
    }

    private static final class Pages<T> implements Iterator<T> {
        private final Function<String, Page<T>> fetch;
        private final Queue<T> entries = new ArrayDeque<>();
        /** Null once the last page was read. */
        private String next = "";

        Pages(Function<String, Page<T>> fetch) {
            this.fetch = fetch;
        }

        @Override
        public boolean hasNext() {
            while (entries.isEmpty() && next != null) {
                Page<T> page = fetch.apply(next);
                entries.addAll(page.entries());
                next = page.next().isEmpty() ? null : page.next();
            }
            return !entries.isEmpty();
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return entries.remove();
        }
    }
}
