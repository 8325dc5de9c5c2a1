/**
 * The client of Sluicegate, the job server that holds rate and concurrency limits itself: a job is dispatched the moment every
 * budget that it is bound to can pay for it.
 *
 * <p>{@link io.sluicegate.client.SluicegateClient} is where everything begins; {@link io.sluicegate.client.Worker} runs handlers.
 * What the server refuses is a {@link io.sluicegate.client.error.SluicegateException}; what the client itself refuses is an
 * {@link java.lang.IllegalArgumentException} or {@link java.lang.IllegalStateException}, and nothing was sent.
 */
package io.sluicegate.client;
