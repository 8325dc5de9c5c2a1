package io.sluicegate.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WireTest {
    @Test
    void durationsAndTimesComeBackAsTheyWere() {
        for (Duration duration : List.of(Duration.ZERO, Duration.ofNanos(1), Duration.ofMillis(1500), Duration.ofDays(366))) {
            assertEquals(duration, Wire.duration(Wire.duration(duration)));
        }
        Instant time = Instant.ofEpochSecond(1_700_000_000, 999_999_999);
        assertEquals(time, Wire.time(Wire.time(time)));
    }

    @Test
    void aNegativeDurationHasOneSign() {
        var wire = Wire.duration(Duration.ofMillis(-1500));
        assertEquals(-1, wire.getSeconds());
        assertEquals(-500_000_000, wire.getNanos());
        assertEquals(Duration.ofMillis(-1500), Wire.duration(wire));
        assertEquals(-1, Wire.duration(Duration.ofNanos(-1)).getNanos());
    }

    @Test
    void reconnectDelaysDoubleToACapAndUseTheirWholeRange() {
        ReconnectDelays delays = new ReconnectDelays(new SplittableRandom(1));
        List<Long> bounds = new ArrayList<>();
        for (int turn = 0; turn < 9; turn++) {
            bounds.add(delays.bound().toMillis());
            delays.next();
        }
        assertEquals(List.of(100L, 200L, 400L, 800L, 1600L, 3200L, 6400L, 10_000L, 10_000L), bounds);
        List<Duration> drawn = Stream.generate(delays::next).limit(1000).toList();
        assertTrue(drawn.stream().allMatch(delay -> !delay.isNegative() && delay.compareTo(ReconnectDelays.MAX) <= 0));
        assertTrue(drawn.stream().anyMatch(delay -> delay.compareTo(Duration.ofSeconds(1)) < 0));
        assertTrue(drawn.stream().anyMatch(delay -> delay.compareTo(Duration.ofSeconds(9)) > 0));
        delays.reset();
        assertEquals(ReconnectDelays.INITIAL, delays.bound());
    }

    @Test
    void messagesAreCutAndReportsGoWithAnyOutcome() {
        var failure = Settlement.of("l", JobResult.failure("x".repeat(5000), Duration.ofSeconds(1)));
        assertEquals(4096, failure.toWire().getFailure().getError().length());
        assertEquals(1, failure.toWire().getFailure().getRetryAfter().getSeconds());
        assertEquals(4096, Settlement.of("l", JobResult.discard("x".repeat(4096))).toWire().getFailure().getError().length());

        var throttled = Settlement.of("l", JobResult.throttled("a", Duration.ofSeconds(2)))
                .usage("a", 1)
                .usage("a", 0)
                .throttled("b", Duration.ofSeconds(3))
                .toWire();
        assertTrue(throttled.hasRelease());
        assertEquals(1, throttled.getUsageCount());
        assertEquals(0, throttled.getUsage(0).getCost());
        assertEquals(2, throttled.getThrottledCount());
        assertThrows(IllegalArgumentException.class, () -> failure.usage("a", -1));
    }

    @Test
    void aPatchNamesWhatItSetsAndWhatItResets() {
        JobPatch patch = JobPatch.create().priority(0).reset(JobPatch.Field.TIMEOUT);
        assertEquals(List.of("priority", "timeout"), patch.mask().getPathsList());
        assertTrue(patch.values().hasPriority());
        for (JobPatch.Field field : JobPatch.Field.values()) {
            assertEquals(1, JobPatch.create().reset(field).mask().getPathsCount());
        }
    }

    @Test
    void anEmptySelectionChangesNothing() {
        try (SluicegateClient nobody = SluicegateClient.connect("127.0.0.1:1")) {
            JobSelection jobs = nobody.jobs();
            for (Runnable change : List.<Runnable>of(
                    jobs::cancel,
                    jobs::retry,
                    jobs::delete,
                    jobs::unbindAll,
                    () -> jobs.bindBudget(Binding.to("b")),
                    () -> jobs.update(JobPatch.create().priority(1)))) {
                var error = assertThrows(IllegalStateException.class, change::run);
                assertTrue(error.getMessage().contains("all()"), error.getMessage());
            }
            assertThrows(IllegalArgumentException.class, () -> jobs.all().update(JobPatch.create()));
            assertThrows(IllegalArgumentException.class, () -> nobody.updateBudget("b", PolicyPatch.create()));
        }
    }
}
