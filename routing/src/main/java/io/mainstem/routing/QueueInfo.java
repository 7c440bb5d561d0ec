package io.mainstem.routing;

/**
 * A queue as seen from outside, immutable.
 *
 * @param queueId never reused
 * @param created true if the declaration that returned this made it
 */
public record QueueInfo(QueueSpec spec, int queueId, boolean created) {}
