package io.mainstem.routing;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A queue and what was in it at one moment. Immutable.
 *
 * @param ready messages that could be delivered
 * @param unacknowledged messages delivered and not settled
 * @param consumers attached, browsers included
 * @param memoryBytes heap of its non-durable messages and of what is read ahead; what is on disk takes none
 * @param policy the one that governs it, or null
 * @param arguments in force: those it was declared with, and its policy's
 */
public record QueueStatus(
        QueueInfo queue,
        long ready,
        long unacknowledged,
        int consumers,
        long memoryBytes,
        @Nullable String policy,
        Map<String, Object> arguments) {}
