package io.mainstem.mqtt;

import java.util.HashMap;
import java.util.Map;

/**
 * What the queue of a session, or of a shared subscription, keeps while its client is slow or away [S-6], [S-12]. Counts for
 * queues that are made from then on.
 *
 * @param storeQos0 messages of QoS 0 wait for a client that is away, too, in memory
 * @param messagesMax most messages that wait; 0 = any number
 * @param bytesMax most bytes that wait; 0 = any number
 * @param rejects what is too much is refused, to its publisher; false: the oldest goes
 */
public record SessionQueuePolicy(boolean storeQos0, long messagesMax, long bytesMax, boolean rejects) {
    /** What the configuration says if it says nothing. */
    public static final SessionQueuePolicy DEFAULT = new SessionQueuePolicy(false, 0, 0, false);

    public SessionQueuePolicy {
        require(messagesMax, "mqtt.session-queue-messages-max");
        require(bytesMax, "mqtt.session-queue-bytes-max");
    }

    private static void require(long found, String key) {
        if (found < 0) {
            throw new IllegalArgumentException(key + ": " + found + " (expected: >= 0)");
        }
    }

    Map<String, Object> arguments() {
        Map<String, Object> arguments = new HashMap<>();
        arguments.put("x-max-priority", 0L);
        if (!storeQos0) {
            arguments.put("x-best-effort", true);
        }
        if (messagesMax > 0) {
            arguments.put("x-max-length", messagesMax);
        }
        if (bytesMax > 0) {
            arguments.put("x-max-length-bytes", bytesMax);
        }
        if (rejects && (messagesMax > 0 || bytesMax > 0)) {
            arguments.put("x-overflow", "reject-publish");
        }
        return arguments;
    }
}
