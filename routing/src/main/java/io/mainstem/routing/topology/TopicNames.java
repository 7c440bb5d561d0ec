package io.mainstem.routing.topology;

import java.nio.charset.StandardCharsets;

/** The one rule between MQTT topic text and routing keys, [A-7]. Thread: any. */
public final class TopicNames {
    /** Bytes of a routing key, and of an MQTT string. */
    public static final int KEY_BYTES_MAX = 65535;

    /** First word of what the broker tells of itself. */
    public static final String BROKER = "$SYS";

    private TopicNames() {}

    /** True if only the broker publishes with this key of {@code amq.topic}. */
    public static boolean isBrokers(String key) {
        return key.startsWith(BROKER) && (key.length() == BROKER.length() || key.charAt(BROKER.length()) == '.');
    }

    /** MQTT text to key text and back: {@code /} and {@code .}, {@code +} and {@code *} change places. */
    public static String swap(String text) {
        char[] swapped = text.toCharArray();
        for (int i = 0; i < swapped.length; i++) {
            swapped[i] = switch (swapped[i]) {
                case '/' -> '.';
                case '.' -> '/';
                case '+' -> '*';
                case '*' -> '+';
                default -> swapped[i];
            };
        }
        return new String(swapped);
    }

    /** True if the key has a legal MQTT topic name. */
    public static boolean mappable(String key) {
        if (key.isEmpty() || !withinKeyBytes(key)) {
            return false;
        }
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            if (c == '*' || c == '#' || c == 0) {
                return false;
            }
        }
        return true;
    }

    /** True if the text takes at most {@link #KEY_BYTES_MAX} bytes; counts them only where it is close. */
    static boolean withinKeyBytes(String text) {
        return text.length() <= KEY_BYTES_MAX / 3
                || (text.length() <= KEY_BYTES_MAX && text.getBytes(StandardCharsets.UTF_8).length <= KEY_BYTES_MAX);
    }
}
