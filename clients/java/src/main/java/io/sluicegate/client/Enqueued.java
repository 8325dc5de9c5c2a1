package io.sluicegate.client;

/**
 * The answer to an enqueue.
 *
 * @param job the job that was taken in, or was there, without payload and metadata. Only its id, when a repeated request id
 *     finds it removed.
 * @param existing whether a job that holds the same unique key was there, so that none was created.
 */
public record Enqueued(Job job, boolean existing) {}
