package io.sluicegate.client.error;

import java.io.Serializable;

/**
 * A field that was refused.
 *
 * @param field its path, such as {@code jobs[3].bindings[0].cost}.
 * @param description what is wrong with it.
 */
public record FieldViolation(String field, String description) implements Serializable {}
