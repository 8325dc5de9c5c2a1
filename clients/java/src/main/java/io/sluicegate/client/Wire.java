package io.sluicegate.client;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Between the types of the contract and those of the language. Knows no bounds but that of the sign: the rest is the server's. */
final class Wire {
    private Wire() {}

    static com.google.protobuf.Duration duration(Duration duration) {
        // A negative one has a nanosecond part of its own sign there.
        long seconds = duration.getSeconds();
        int nanos = duration.getNano();
        if (seconds < 0 && nanos > 0) {
            seconds += 1;
            nanos -= 1_000_000_000;
        }
        return com.google.protobuf.Duration.newBuilder().setSeconds(seconds).setNanos(nanos).build();
    }

    static Duration duration(com.google.protobuf.Duration duration) {
        return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
    }

    static Timestamp time(Instant time) {
        return Timestamp.newBuilder().setSeconds(time.getEpochSecond()).setNanos(time.getNano()).build();
    }

    static Instant time(Timestamp time) {
        return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
    }

    static Optional<Instant> time(boolean present, Timestamp time) {
        return present ? Optional.of(time(time)) : Optional.empty();
    }

    /** Unsigned 64-bit fields are signed here: what is negative would become enormous, and is refused. */
    static long amount(String field, long amount) {
        if (amount < 0) {
            throw new IllegalArgumentException(field + " is " + amount + ", and must not be negative");
        }
        return amount;
    }

    /** Unsigned 32-bit fields likewise. */
    static int amount(String field, int amount) {
        return (int) amount(field, (long) amount);
    }

    static <W, T> List<T> list(List<W> wire, Function<W, T> convert) {
        return wire.stream().map(convert).toList();
    }
}
