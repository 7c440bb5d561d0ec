package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.jspecify.annotations.Nullable;

/** Reads address strings: rules [A-9] (2) to (8), [A-10] to [A-12]. Pure. */
final class AddressResolver {
    static final String TOPIC_EXCHANGE = "amq.topic";

    private static final String EXCHANGES = "/exchanges";
    private static final String QUEUES = "/queues";
    private static final String TOPICS = "/topics";
    private static final String SYSTEM_PREFIX = "amq.";
    private static final int NAME_BYTES_MAX = 255;
    private static final int KEY_BYTES_MAX = 65_535;
    /** RFC 3986 pchar besides letters, digits and percent escapes. */
    private static final String PCHAR_MARKS = "-._~!$&'()*+,;=:@";

    private AddressResolver() {}

    /**
     * @param kind what the terminus or the message says the address names, or null
     * @throws AmqpException invalid-field or not-implemented, for the link
     */
    static Address resolve(String address, Address.@Nullable Kind kind) {
        if (address.equals("/management") || address.equals("$cbs")) {
            throw AmqpException.link(AmqpError.NOT_IMPLEMENTED, "MS-0503 node '" + address + "' is not implemented");
        }
        if (isPath(address, EXCHANGES)) {
            return exchange(address);
        }
        if (isPath(address, QUEUES)) {
            List<String> segments = segments(address, QUEUES);
            if (segments.size() != 1 || segments.get(0).isEmpty()) {
                throw invalid(address, "one queue name after /queues/");
            }
            return queue(decode(address, segments.get(0)), false);
        }
        if (isPath(address, TOPICS)) {
            return topicLevels(address);
        }
        return plain(address, kind);
    }

    private static Address plain(String address, Address.@Nullable Kind kind) {
        String name = address;
        Address.Kind effective = kind == null ? Address.Kind.QUEUE : kind;
        int scheme = address.indexOf("://");
        if (scheme > 0) {
            Address.Kind named = switch (address.substring(0, scheme)) {
                case "queue" -> Address.Kind.QUEUE;
                case "topic" -> Address.Kind.TOPIC;
                case "temp-queue" -> Address.Kind.TEMPORARY_QUEUE;
                case "temp-topic" -> Address.Kind.TEMPORARY_TOPIC;
                default -> null;
            };
            if (named != null) {
                effective = named;
                name = address.substring(scheme + 3);
            }
        }
        return switch (effective) {
            case QUEUE -> queue(name, !name.startsWith(SYSTEM_PREFIX));
            case TEMPORARY_QUEUE -> queue(name, false);
            case TOPIC, TEMPORARY_TOPIC -> new Address.TopicNode(key(name));
        };
    }

    private static Address exchange(String address) {
        List<String> segments = segments(address, EXCHANGES);
        if (segments.size() > 2 || segments.get(0).isEmpty()) {
            throw invalid(address, "/exchanges/:exchange or /exchanges/:exchange/:key");
        }
        String exchange = name(decode(address, segments.get(0)));
        if (exchange.equals("amq.default")) {
            throw invalid(address, "the default exchange is addressed as /queues/:queue");
        }
        String key = segments.size() == 2 ? key(decode(address, segments.get(1))) : "";
        return new Address.ExchangeNode(exchange, key);
    }

    /** [A-11]: levels as MQTT has them; the swap [A-5] makes them a key. */
    private static Address topicLevels(String address) {
        List<String> segments = segments(address, TOPICS);
        StringBuilder topic = new StringBuilder();
        for (int i = 0; i < segments.size(); i++) {
            String level = decode(address, segments.get(i));
            if (level.indexOf('/') >= 0) {
                throw invalid(address, "levels without '/'");
            }
            topic.append(i == 0 ? "" : "/").append(level);
        }
        return new Address.TopicNode(key(swap(topic)));
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

    private static boolean isPath(String address, String root) {
        return address.startsWith(root) && (address.length() == root.length() || address.charAt(root.length()) == '/');
    }

    private static List<String> segments(String address, String root) {
        if (address.length() == root.length()) {
            throw invalid(address, "more after " + root);
        }
        List<String> segments = new ArrayList<>();
        int from = root.length() + 1;
        for (int slash = address.indexOf('/', from); slash >= 0; slash = address.indexOf('/', from)) {
            segments.add(address.substring(from, slash));
            from = slash + 1;
        }
        segments.add(address.substring(from));
        return segments;
    }

    /** Percent-decodes once; the segment must hold nothing but pchars [A-10]. */
    private static String decode(String address, String segment) {
        ByteBuffer bytes = ByteBuffer.allocate(segment.length());
        for (int i = 0; i < segment.length(); i++) {
            char c = segment.charAt(i);
            if (c == '%') {
                bytes.put((byte) (hex(address, segment, i + 1) << 4 | hex(address, segment, i + 2)));
                i += 2;
            } else if (isPlainPchar(c)) {
                bytes.put((byte) c);
            } else {
                throw invalid(address, "percent-encoding of all but RFC 3986 pchars");
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException notUtf8) {
            throw invalid(address, "percent-encoded UTF-8");
        }
    }

    private static boolean isPlainPchar(char c) {
        boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return letter || (c >= '0' && c <= '9') || PCHAR_MARKS.indexOf(c) >= 0;
    }

    private static int hex(String address, String segment, int at) {
        char c = at < segment.length() ? segment.charAt(at) : '?';
        int digit = c < 0x80 ? Character.digit(c, 16) : -1;
        if (digit < 0) {
            throw invalid(address, "two hexadecimal digits after %");
        }
        return digit;
    }

    private static Address queue(String name, boolean autoCreate) {
        return new Address.QueueNode(name(name), autoCreate);
    }

    /** [A-4]. */
    private static String name(String name) {
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > NAME_BYTES_MAX) {
            throw invalid(name, "1 to " + NAME_BYTES_MAX + " bytes, found " + bytes);
        }
        if (name.indexOf('\0') >= 0 || name.indexOf('\r') >= 0 || name.indexOf('\n') >= 0) {
            throw invalid(name, "no NUL, CR or LF");
        }
        return name;
    }

    private static String key(String key) {
        if (key.getBytes(StandardCharsets.UTF_8).length > KEY_BYTES_MAX) {
            throw invalid(key.substring(0, 64) + "...", "a key of at most " + KEY_BYTES_MAX + " bytes");
        }
        return key;
    }

    /** [A-12]: true if a producer cannot use this key as a JMS topic. */
    static boolean hasWildcardWord(String key) {
        for (String word : key.split("\\.", -1)) {
            if (word.equals("*") || word.equals("#")) {
                return true;
            }
        }
        return false;
    }

    private static AmqpException invalid(String address, String expected) {
        return AmqpException.link(
                AmqpError.INVALID_FIELD, "MS-0502 address '" + address + "' is malformed (expected: " + expected + ")");
    }
}
