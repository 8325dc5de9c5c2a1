package io.sluicegate.client;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;

/** A handler's input. At most 1 MiB, unless the server was told otherwise. Never changes, and is never logged. */
public sealed interface Payload {
    /** JSON text (RFC 8259), which the server checks, and keeps as it was written. */
    static Payload json(String text) {
        return new Json(text);
    }

    /** Any bytes; they are copied. */
    static Payload binary(byte[] bytes) {
        return new Binary(ByteString.copyFrom(bytes));
    }

    /** The payload as bytes: a copy. */
    byte[] bytes();

    /** The payload as text; bytes are read as UTF-8, and what isn't is replaced. */
    String text();

    /**
     * See {@link Payload#json(String)}.
     *
     * @param text the JSON text.
     */
    record Json(String text) implements Payload {
        /** Refuses null. */
        public Json {
            Objects.requireNonNull(text, "text");
        }

        @Override
        public byte[] bytes() {
            return text.getBytes(StandardCharsets.UTF_8);
        }
    }

    /** See {@link Payload#binary(byte[])}. */
    final class Binary implements Payload {
        private final ByteString bytes;

        private Binary(ByteString bytes) {
            this.bytes = bytes;
        }

        ByteString wire() {
            return bytes;
        }

        @Override
        public byte[] bytes() {
            return bytes.toByteArray();
        }

        @Override
        public String text() {
            return bytes.toStringUtf8();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Binary binary && bytes.equals(binary.bytes);
        }

        @Override
        public int hashCode() {
            return bytes.hashCode();
        }

        @Override
        public String toString() {
            return "Binary[" + bytes.size() + " bytes]";
        }
    }

    /** Empty where the job has no payload, and in views without it. */
    static Optional<Payload> fromWire(io.sluicegate.v1.JobSpec spec) {
        return switch (spec.getPayloadCase()) {
            case JSON -> Optional.of(new Json(spec.getJson()));
            case BINARY -> Optional.of(new Binary(spec.getBinary()));
            case PAYLOAD_NOT_SET -> Optional.empty();
        };
    }
}
