package io.sluicegate.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;

/**
 * What a worker is told once and for all; see {@link Worker.Builder}.
 *
 * @param leaseDuration null: the server's default.
 * @param leaseTotalMax null: no bound.
 * @param forAll null: there is none.
 */
record WorkerSettings(
        String workerId,
        List<String> queues,
        int window,
        long windowBytes,
        Duration leaseDuration,
        Duration leaseTotalMax,
        Duration pingInterval,
        int maxMessageBytes,
        Duration drainGrace,
        Duration stopGrace,
        Map<String, JobHandler> byType,
        JobHandler forAll,
        ThreadFactory threads) {}
