package io.sluicegate.client.error;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The details of a status, read leniently: a fact that an older or newer server leaves out is empty or zero. */
final class Facts implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The domain under which the reasons of this contract stand. */
    private static final String DOMAIN = "sluicegate";

    private final Status.Code code;
    private final String message;
    private final String reason;
    private final HashMap<String, String> metadata;
    private final ArrayList<FieldViolation> fieldViolations;
    private final Duration retryAfter;
    private final transient Throwable cause;

    private Facts(
            Status.Code code,
            String message,
            String reason,
            Map<String, String> metadata,
            List<FieldViolation> fieldViolations,
            Duration retryAfter,
            Throwable cause) {
        this.code = code;
        this.message = message;
        this.reason = reason;
        this.metadata = new HashMap<>(metadata);
        this.fieldViolations = new ArrayList<>(fieldViolations);
        this.retryAfter = retryAfter;
        this.cause = cause;
    }

    static Facts read(Status status, Metadata trailers, Throwable cause) {
        List<Any> details = List.of();
        if (trailers != null) {
            // Null where the trailers say nothing.
            com.google.rpc.Status rich = StatusProto.fromStatusAndTrailers(status, trailers);
            details = rich == null ? List.of() : rich.getDetailsList();
        }
        String message = status.getDescription() == null ? "" : status.getDescription();
        Optional<ErrorInfo> info = detail(details, ErrorInfo.class).filter(it -> it.getDomain().equals(DOMAIN));
        Duration retryAfter = detail(details, RetryInfo.class)
                .filter(RetryInfo::hasRetryDelay)
                .map(it -> Duration.ofSeconds(it.getRetryDelay().getSeconds(), it.getRetryDelay().getNanos()))
                .orElse(null);
        List<FieldViolation> violations = detail(details, BadRequest.class)
                .map(BadRequest::getFieldViolationsList)
                .orElse(List.of())
                .stream()
                .map(it -> new FieldViolation(it.getField(), it.getDescription()))
                .toList();
        if (violations.isEmpty() && info.isPresent() && info.get().getReason().equals("INVALID_FIELD")) {
            String field = info.get().getMetadataOrDefault("field", "");
            violations = List.of(new FieldViolation(field, message));
        }
        return new Facts(
                status.getCode(),
                info.isPresent() ? message : described(status),
                info.map(ErrorInfo::getReason).orElse(null),
                info.map(ErrorInfo::getMetadataMap).orElse(Map.of()),
                violations,
                retryAfter,
                cause);
    }

    /** A status for people: its code, its words, and what the transport said below it. */
    private static String described(Status status) {
        StringBuilder text = new StringBuilder(status.getCode().name());
        if (status.getDescription() != null && !status.getDescription().isEmpty()) {
            text.append(": ").append(status.getDescription());
        }
        if (status.getCause() != null && status.getCause().getMessage() != null) {
            text.append(": ").append(status.getCause().getMessage());
        }
        return text.toString();
    }

    private static <M extends Message> Optional<M> detail(List<Any> details, Class<M> type) {
        for (Any detail : details) {
            if (detail.is(type)) {
                try {
                    return Optional.of(detail.unpack(type));
                } catch (InvalidProtocolBufferException unreadable) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    Status.Code code() {
        return code;
    }

    String message() {
        return message;
    }

    Throwable cause() {
        return cause;
    }

    Optional<String> reason() {
        return Optional.ofNullable(reason);
    }

    List<FieldViolation> fieldViolations() {
        return List.copyOf(fieldViolations);
    }

    Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    String text(String key) {
        return metadata.getOrDefault(key, "");
    }

    long amount(String key) {
        try {
            return Long.parseLong(text(key));
        } catch (NumberFormatException absent) {
            return 0;
        }
    }

    List<String> list(String key) {
        return Arrays.stream(text(key).split(",")).filter(entry -> !entry.isEmpty()).toList();
    }
}
