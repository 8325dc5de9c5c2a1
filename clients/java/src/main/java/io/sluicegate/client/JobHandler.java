package io.sluicegate.client;

/**
 * Does jobs. Called on a thread of its own, at most a window of them at once.
 *
 * <p>A job may be done more than once: a handler that lost its lease may still be at work when another worker gets the job. Make
 * handlers idempotent, or stop them when they are interrupted.
 */
@FunctionalInterface
public interface JobHandler {
    /**
     * Does one attempt of a job. The thread is interrupted when it should stop; {@link JobContext#cancelReason()} says why.
     *
     * @return what is to become of the job; null is taken as success.
     * @throws Exception anything: a failure of this attempt, in the exception's words; {@link JobResultException} is the result that
     *     it holds.
     */
    JobResult handle(JobContext context) throws Exception;
}
