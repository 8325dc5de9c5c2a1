package io.sluicegate.client;

import java.util.List;

/**
 * What a call over a selection has changed.
 *
 * @param changed jobs that were changed, or would have been by a call that validates only.
 * @param blocked jobs that the call would have changed and couldn't: the first 1000 by id.
 * @param blockedCount how many these are, those not listed included.
 */
public record Changed(long changed, List<String> blocked, long blockedCount) {}
