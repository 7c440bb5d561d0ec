package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Reason;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What topic names and filters may look like (4.7, 4.8), and what they mean here. Thread: any. */
final class Topics {
    static final String EXCHANGE = "amq.topic";
    private static final String QUEUES = "$queues/";
    private static final String SHARE = "$share/";
    private static final int SHOWN_MAX = 80;
    /** Goes on behind a text in quotes. */
    static final String NO_QUEUE =
            "' names no queue (expected: $queues/ and its name, percent-encoded, of one level) fix: correct the name";

    private Topics() {}

    /** True if it may be published to, as far as its text goes [MQTT-3.3.2-2], [MQTT-4.7.3-1]. */
    static boolean isName(String topic) {
        return !topic.isEmpty() && topic.indexOf('+') < 0 && topic.indexOf('#') < 0;
    }

    /** @throws MqttViolation 0x90 if it holds wildcards or nothing */
    static void checkName(String topic) {
        if (!isName(topic)) {
            throw new MqttViolation(
                    Reason.TOPIC_NAME_INVALID,
                    "MS-0605 topic name '" + shown(topic) + "' is empty or holds a wildcard");
        }
    }

    /** Wildcards only as whole levels, {@code #} only at the end [MQTT-4.7.1-1], [MQTT-4.7.1-2]. */
    static boolean isFilter(String filter) {
        if (filter.isEmpty()) {
            return false;
        }
        for (int i = 0; i < filter.length(); i++) {
            char c = filter.charAt(i);
            if (c == '#' || c == '+') {
                boolean begins = i == 0 || filter.charAt(i - 1) == '/';
                boolean ends = i == filter.length() - 1 || (c == '+' && filter.charAt(i + 1) == '/');
                if (!begins || !ends) {
                    return false;
                }
            }
        }
        return true;
    }

    /** {@code $share/name/filter}, the name without wildcards, neither of them empty [MQTT-4.8.2-1], [MQTT-4.8.2-2]. */
    static boolean isWellFormedShare(String filter) {
        int slash = filter.indexOf('/', SHARE.length());
        return slash > SHARE.length() && slash < filter.length() - 1 && isName(filter.substring(SHARE.length(), slash));
    }

    static boolean isShared(String filter) {
        return filter.startsWith(SHARE);
    }

    /** True if it is spelled as a subscription, and never is a topic. The broker's own topics are known by their key. */
    static boolean isReserved(String topic) {
        return topic.startsWith(SHARE);
    }

    /** The queue that {@code $queues/name} reaches, or null if it is no such name. */
    static @Nullable String queue(String topic) {
        if (!topic.startsWith(QUEUES) || topic.length() == QUEUES.length()) {
            return null;
        }
        String encoded = topic.substring(QUEUES.length());
        if (encoded.indexOf('/') >= 0) {
            return null;
        }
        try {
            return URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notEncoded) {
            return null;
        }
    }

    /** True if it is spelled as the way to a queue, and there can be none of that name: it is not a topic, either. */
    static boolean namesNoQueue(String topic) {
        return topic.startsWith(QUEUES) && queue(topic) == null;
    }

    /** {@code $queues/name} of a queue. */
    static String ofQueue(String queue) {
        return QUEUES + Names.encode(queue);
    }

    /** For people and logs: one line, and nothing that a terminal would obey. */
    static String shown(String text) {
        return line(text, SHOWN_MAX);
    }

    /** As {@link #shown}, of another length. */
    static String line(String text, int charsMax) {
        boolean whole = text.length() <= charsMax;
        // Not between the halves of a character.
        int end = whole || !Character.isHighSurrogate(text.charAt(charsMax - 1)) ? charsMax : charsMax - 1;
        String cut = whole ? text : text.substring(0, end) + "...";
        return cut.replaceAll("\\p{Cntrl}", "?");
    }
}
