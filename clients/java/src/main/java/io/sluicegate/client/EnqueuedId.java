package io.sluicegate.client;

/**
 * What became of one job of a batch.
 *
 * @param id the job's id.
 * @param existing whether a job that holds the same unique key was there, so that none was created.
 */
public record EnqueuedId(String id, boolean existing) {}
