package io.sluicegate.client.error;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import io.sluicegate.v1.ErrorReason;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SluicegateExceptionTest {
    private static SluicegateException read(Code code, Message... details) {
        var status = com.google.rpc.Status.newBuilder().setCode(code.getNumber()).setMessage("the server's words");
        for (Message detail : details) {
            status.addDetails(Any.pack(detail));
        }
        return SluicegateException.from(StatusProto.toStatusRuntimeException(status.build()));
    }

    private static ErrorInfo.Builder info(String reason) {
        return ErrorInfo.newBuilder().setDomain("sluicegate").setReason(reason);
    }

    private static String word(ErrorReason reason) {
        return reason.name().substring("ERROR_REASON_".length());
    }

    @Test
    void everyReasonOfTheContractHasAClassOfItsOwn() {
        Set<Class<?>> classes = new HashSet<>();
        for (ErrorReason reason : ErrorReason.values()) {
            if (reason == ErrorReason.UNRECOGNIZED || reason == ErrorReason.ERROR_REASON_UNSPECIFIED) {
                continue;
            }
            SluicegateException error = read(Code.INTERNAL, info(word(reason)).build());
            assertEquals(Optional.of(word(reason)), error.reason());
            assertEquals("the server's words", error.getMessage());
            assertTrue(classes.add(error.getClass()), "shared: " + error.getClass());
            assertFalse(error instanceof ServerException || error instanceof UnavailableException, "no class: " + reason);
        }
    }

    @Test
    void factsAreThoseOfTheMetadata() {
        var info = info("COST_EXCEEDS_CAPACITY")
                .putMetadata("budget", "smtp")
                .putMetadata("cost", "9223372036854775807")
                .putMetadata("capacity", "x")
                .putMetadata("job_ids", "a,b");
        var error = assertInstanceOf(CostExceedsCapacityException.class, read(Code.FAILED_PRECONDITION, info.build()));
        assertEquals("smtp", error.budget());
        assertEquals(Long.MAX_VALUE, error.cost());
        assertEquals(0, error.capacity());
        assertEquals(List.of("a", "b"), error.jobIds());
        assertEquals(0, error.total());
        assertFalse(error.isRetryable());
    }

    @Test
    void fieldsAreThoseOfBadRequestElseTheOneOfTheMetadata() {
        var violation = BadRequest.FieldViolation.newBuilder().setField("jobs[0].queue").setDescription("empty");
        var request = BadRequest.newBuilder().addFieldViolations(violation).build();
        var info = info("INVALID_FIELD").putMetadata("field", "key").build();
        List<FieldViolation> named = read(Code.INVALID_ARGUMENT, info, request).fieldViolations();
        assertEquals(List.of(new FieldViolation("jobs[0].queue", "empty")), named);
        List<FieldViolation> alone = read(Code.INVALID_ARGUMENT, info).fieldViolations();
        assertEquals(List.of(new FieldViolation("key", "the server's words")), alone);
    }

    @Test
    void whatIsRetryableSaysWhen() {
        var delay = com.google.protobuf.Duration.newBuilder().setSeconds(1).setNanos(500_000_000);
        var retry = RetryInfo.newBuilder().setRetryDelay(delay).build();
        SluicegateException draining = read(Code.UNAVAILABLE, info("DRAINING").build(), retry);
        assertTrue(draining.isRetryable());
        assertEquals(Optional.of(Duration.ofMillis(1500)), draining.retryAfter());
        assertTrue(read(Code.UNAVAILABLE, info("STORE_UNAVAILABLE").build()).isRetryable());
        assertEquals(Optional.empty(), read(Code.UNAVAILABLE).retryAfter());
    }

    @Test
    void whatIsNotOfThisContractIsTheTransportsOrAServersWord() {
        SluicegateException gone = SluicegateException.from(Status.UNAVAILABLE.withDescription("refused").asRuntimeException());
        assertInstanceOf(UnavailableException.class, gone);
        assertTrue(gone.isRetryable() && gone.reason().isEmpty());
        assertEquals("UNAVAILABLE: refused", gone.getMessage());

        var foreign = info("BUDGET_NOT_FOUND").setDomain("example.com").build();
        var server = assertInstanceOf(ServerException.class, read(Code.NOT_FOUND, foreign));
        assertEquals("NOT_FOUND", server.code());
        assertInstanceOf(ServerException.class, read(Code.INTERNAL, info("OF_A_NEWER_SERVER").build()));
        assertInstanceOf(ServerException.class, SluicegateException.from(new IllegalStateException()));
    }

    @Test
    void exceptionsTravelWithTheirFacts() throws Exception {
        var error = read(Code.NOT_FOUND, info("JOB_NOT_FOUND").putMetadata("job_id", "j").build());
        var bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(error);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertEquals("j", assertInstanceOf(JobNotFoundException.class, in.readObject()).jobId());
        }
    }
}
