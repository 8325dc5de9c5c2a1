package io.sluicegate.client;

/** Tokens are held from dispatch to the end of the lease, however it ends. The pool holds the allocation (semantics 2.1). */
public record WhileInFlight() implements Strategy {}
