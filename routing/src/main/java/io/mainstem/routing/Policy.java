package io.mainstem.routing;

import java.util.Map;
import java.util.TreeMap;

/**
 * Arguments for all queues of a virtual host whose names fit a pattern, those declared before included. Immutable.
 *
 * <p>One policy governs a queue: of those that fit the one of the highest priority, of equal ones the first by name. What
 * the queue was declared with counts besides: for a limit both set the stricter one holds, else the queue's own.
 *
 * @param name of the policy
 * @param pattern of queue names; {@code *} stands for any characters
 * @param definition arguments as a queue is declared with, {@code x-message-ttl} and so on
 */
public record Policy(String name, String pattern, int priority, Map<String, Object> definition) {
    public Policy {
        definition = Map.copyOf(new TreeMap<>(definition));
    }
}
