package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.address.PercentCoding;
import io.mainstem.amqp.v1.wire.AmqpException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Addresses that are paths, their segments percent-encoded, [A-11]. Pure; thread: any. */
final class AddressPaths {
    private static final String EXCHANGES = "/exchanges";
    private static final String QUEUES = "/queues";
    private static final String TOPICS = "/topics";

    private AddressPaths() {}

    /**
     * Where a path leads, or null if the address is none of these paths.
     *
     * @throws AmqpException invalid-field, for the link
     */
    static @Nullable Address resolve(String address) {
        if (isBelow(address, EXCHANGES)) {
            return exchange(address);
        }
        if (isBelow(address, QUEUES)) {
            List<String> segments = segments(address, QUEUES);
            if (segments.size() != 1 || segments.get(0).isEmpty()) {
                throw AddressResolver.invalid(address, "one queue name after /queues/");
            }
            return new Address.QueueNode(AddressResolver.name(decode(address, segments.get(0))), false);
        }
        return isBelow(address, TOPICS) ? topicLevels(address) : null;
    }

    private static Address exchange(String address) {
        List<String> segments = segments(address, EXCHANGES);
        if (segments.size() > 2 || segments.get(0).isEmpty()) {
            throw AddressResolver.invalid(address, "/exchanges/:exchange or /exchanges/:exchange/:key");
        }
        String exchange = AddressResolver.name(decode(address, segments.get(0)));
        if (exchange.equals("amq.default")) {
            throw AddressResolver.invalid(address, "the default exchange is addressed as /queues/:queue");
        }
        String key = segments.size() == 2 ? AddressResolver.key(decode(address, segments.get(1))) : "";
        return new Address.ExchangeNode(exchange, key);
    }

    /** levels as MQTT has them; the swap makes them a key. */
    private static Address topicLevels(String address) {
        List<String> segments = segments(address, TOPICS);
        StringBuilder topic = new StringBuilder();
        for (int i = 0; i < segments.size(); i++) {
            String level = decode(address, segments.get(i));
            if (level.indexOf('/') >= 0) {
                throw AddressResolver.invalid(address, "levels without '/'");
            }
            topic.append(i == 0 ? "" : "/").append(level);
        }
        return new Address.TopicNode(AddressResolver.key(swap(topic)));
    }

    private static String swap(StringBuilder topic) {
        for (int i = 0; i < topic.length(); i++) {
            switch (topic.charAt(i)) {
                case '/' -> topic.setCharAt(i, '.');
                case '.' -> topic.setCharAt(i, '/');
                case '+' -> topic.setCharAt(i, '*');
                case '*' -> topic.setCharAt(i, '+');
                default -> {
                    // all other characters stay
                }
            }
        }
        return topic.toString();
    }

    private static boolean isBelow(String address, String root) {
        return address.startsWith(root) && (address.length() == root.length() || address.charAt(root.length()) == '/');
    }

    private static List<String> segments(String address, String root) {
        if (address.length() == root.length()) {
            throw AddressResolver.invalid(address, "more after " + root);
        }
        return List.of(address.substring(root.length() + 1).split("/", -1));
    }

    private static String decode(String address, String segment) {
        try {
            return PercentCoding.decodeSegment(segment);
        } catch (IllegalArgumentException malformed) {
            throw AddressResolver.invalid(address, String.valueOf(malformed.getMessage()));
        }
    }
}
