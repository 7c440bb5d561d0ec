package io.mainstem.routing.queue;

import io.mainstem.routing.QueueSpec;
import org.jspecify.annotations.Nullable;

/**
 * How long a message waits after a failed delivery. It keeps its position; others overtake it meanwhile.
 *
 * @param delayMs {@code x-redelivery-delay}: after the first
 * @param backoff {@code x-redelivery-backoff}: how it grows with further ones
 * @param maxMs {@code x-redelivery-delay-max}: it grows no further
 */
record RedeliveryDelay(long delayMs, Backoff backoff, long maxMs) {
    /** The longest: ten years. */
    private static final long DELAY_MS_MAX = 10L * 366 * 24 * 3_600_000;

    private static final int DOUBLINGS_MAX = 40;

    /** How the delay grows with the number of failed deliveries. */
    enum Backoff {
        FIXED,
        LINEAR,
        EXPONENTIAL
    }

    /** Null if failed messages are ready again at once. */
    static @Nullable RedeliveryDelay of(QueueSpec spec) {
        long delayMs = QueueOptions.number(spec, "x-redelivery-delay", 0, DELAY_MS_MAX);
        String backoff = QueueOptions.text(spec, "x-redelivery-backoff");
        long maxMs = QueueOptions.number(spec, "x-redelivery-delay-max", 0, DELAY_MS_MAX);
        if (delayMs < 0 && (backoff != null || maxMs >= 0)) {
            String name = backoff == null ? "x-redelivery-delay-max" : "x-redelivery-backoff";
            throw QueueOptions.invalid(
                    spec, name, backoff == null ? maxMs : backoff, "only together with x-redelivery-delay");
        }
        if (delayMs <= 0) {
            return null;
        }
        return new RedeliveryDelay(delayMs, backoff(spec, backoff), maxMs < 0 ? DELAY_MS_MAX : maxMs);
    }

    private static Backoff backoff(QueueSpec spec, @Nullable String name) {
        if (name == null) {
            return Backoff.FIXED;
        }
        return switch (name) {
            case "fixed" -> Backoff.FIXED;
            case "linear" -> Backoff.LINEAR;
            case "exponential" -> Backoff.EXPONENTIAL;
            default -> throw QueueOptions.invalid(spec, "x-redelivery-backoff", name, "fixed, linear or exponential");
        };
    }

    /** @param failed deliveries that have failed by now, 1 or more */
    long afterMs(int failed) {
        long grown = switch (backoff) {
            case FIXED -> delayMs;
            case LINEAR -> delayMs * failed;
            case EXPONENTIAL -> failed > DOUBLINGS_MAX ? maxMs : saturated(delayMs, failed - 1);
        };
        return Math.min(grown, maxMs);
    }

    private static long saturated(long ms, int doublings) {
        return ms > Long.MAX_VALUE >> doublings ? Long.MAX_VALUE : ms << doublings;
    }
}
