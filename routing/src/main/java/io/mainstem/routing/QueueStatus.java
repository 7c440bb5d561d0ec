package io.mainstem.routing;

/**
 * A queue and what was in it at one moment. Immutable.
 *
 * @param ready messages that could be delivered
 * @param unacknowledged messages delivered and not settled
 * @param consumers attached, browsers included
 * @param memoryBytes heap that its messages take; those on disk take none
 */
public record QueueStatus(QueueInfo queue, long ready, long unacknowledged, int consumers, long memoryBytes) {}
