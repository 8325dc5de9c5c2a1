package io.sluicegate.client;

/** Whether a call over a selection takes effect. */
public enum Apply {
    /** It does. */
    COMMIT,
    /** It changes nothing, and answers, or refuses, as if it had. */
    VALIDATE_ONLY
}
