/**
 * What can go wrong, one class a reason of the contract, below {@link io.sluicegate.client.error.SluicegateException}. All are
 * unchecked. Programs decide by the class, never by the words.
 */
package io.sluicegate.client.error;
