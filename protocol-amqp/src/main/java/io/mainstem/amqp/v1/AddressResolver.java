package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.ResourceNames;
import io.mainstem.routing.TemporaryNames;
import java.nio.charset.StandardCharsets;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.jspecify.annotations.Nullable;

/** Reads address strings: rules [A-9] (2) to (8), [A-12]. Thread: the connection's event loop. */
final class AddressResolver {
    static final String TOPIC_EXCHANGE = "amq.topic";

    private static final int KEY_BYTES_MAX = 65_535;
    private static final int SHOWN_CHARS_MAX = 300;
    private static final int SHOWN_PREFIX_CHARS = 64;
    private static final String FULLY_QUALIFIED = "::";

    private final AmqpOptions options;
    private final Bindings bindings;

    /** What is bound where. */
    interface Bindings {
        /** True if messages to this queue or topic reach the queue. */
        boolean isBound(String address, String queue);
    }

    AddressResolver(AmqpOptions options, Bindings bindings) {
        this.options = options;
        this.bindings = bindings;
    }

    /**
     * @param kind what the terminus or the message says the address names, or null
     * @throws AmqpException invalid-field, not-found or not-implemented, for the link
     */
    Address resolve(String address, Address.@Nullable Kind kind) {
        if (address.equals("$cbs") || address.equals("$management")) {
            throw AmqpException.link(
                    AmqpError.NOT_IMPLEMENTED,
                    "MS-0545 there is no node '" + address + "' here fix: "
                            + (address.equals("$cbs")
                                    ? "log in by SASL instead of with a token"
                                    : "manage at " + ManagementLinks.ADDRESS));
        }
        Address path = AddressPaths.resolve(address);
        if (path != null) {
            return path;
        }
        Address prefixed = byScheme(address);
        if (prefixed == null) {
            prefixed = byPrefix(address);
        }
        return prefixed != null ? prefixed : plain(address, kind);
    }

    /** [A-9] (4). */
    private static @Nullable Address byScheme(String address) {
        int scheme = address.indexOf("://");
        if (scheme <= 0) {
            return null;
        }
        Address.Kind kind = switch (address.substring(0, scheme)) {
            case "queue" -> Address.Kind.QUEUE;
            case "topic" -> Address.Kind.TOPIC;
            case "temp-queue" -> Address.Kind.TEMPORARY_QUEUE;
            case "temp-topic" -> Address.Kind.TEMPORARY_TOPIC;
            default -> null;
        };
        return kind == null ? null : node(address.substring(scheme + 3), kind);
    }

    /** [A-9] (5). */
    private @Nullable Address byPrefix(String address) {
        if (!options.queuePrefix().isEmpty() && address.startsWith(options.queuePrefix())) {
            return node(address.substring(options.queuePrefix().length()), Address.Kind.QUEUE);
        }
        if (!options.topicPrefix().isEmpty() && address.startsWith(options.topicPrefix())) {
            return node(address.substring(options.topicPrefix().length()), Address.Kind.TOPIC);
        }
        return null;
    }

    /** [A-9] (6) to (8). */
    private Address plain(String address, Address.@Nullable Kind kind) {
        if (kind != null) {
            return node(address, kind);
        }
        int colons = options.artemis() ? address.indexOf(FULLY_QUALIFIED) : -1;
        if (colons >= 0) {
            return bound(address.substring(0, colons), address.substring(colons + FULLY_QUALIFIED.length()));
        }
        if (address.startsWith("/")) {
            // Far more likely a path that is misspelled than a queue; one of such a name says that it is a queue.
            throw invalid(
                    address,
                    "/queues/:queue, /exchanges/:exchange/:key or /topics/:level...; or, for a queue of that name,"
                            + " capability 'queue'");
        }
        return node(address, Address.Kind.QUEUE);
    }

    /** What Artemis calls a fully qualified queue name: never made by using it. */
    private Address bound(String address, String queue) {
        name(queue);
        if (!address.equals(queue) && !bindings.isBound(address, queue)) {
            throw AmqpException.link(
                    AmqpError.NOT_FOUND,
                    "MS-0546 queue '" + queue + "' is not bound to address '" + address + "' fix: bind it to "
                            + TOPIC_EXCHANGE + " with that key, or use the queue's name alone");
        }
        return new Address.QueueNode(queue, false);
    }

    /** A temporary node is what its name says, whatever kind is asked for: one address is never two nodes. */
    private static Address node(String name, Address.Kind kind) {
        if (TemporaryNames.isTopic(name)) {
            return new Address.TopicNode(key(name));
        }
        if (TemporaryNames.isQueue(name)) {
            return new Address.QueueNode(name(name), false);
        }
        return switch (kind) {
            case QUEUE -> new Address.QueueNode(name(name), !name.startsWith(ResourceNames.RESERVED));
            case TEMPORARY_QUEUE -> new Address.QueueNode(name(name), false);
            case TOPIC, TEMPORARY_TOPIC -> new Address.TopicNode(key(name));
        };
    }

    /** Of a temporary node that is there. */
    static Address temporary(String address) {
        return TemporaryNames.isTopic(address) ? new Address.TopicNode(address) : new Address.QueueNode(address, false);
    }

    static String name(String name) {
        String problem = ResourceNames.problem(name);
        if (problem != null) {
            throw invalid(name, problem);
        }
        return name;
    }

    static String key(String key) {
        if (key.getBytes(StandardCharsets.UTF_8).length > KEY_BYTES_MAX) {
            throw invalid(key, "a key of at most " + KEY_BYTES_MAX + " bytes");
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

    static AmqpException invalid(String address, String expected) {
        return AmqpException.link(
                AmqpError.INVALID_FIELD,
                "MS-0502 address '" + shown(address) + "' is malformed (expected: " + expected + ")");
    }

    /** For people: what a peer has sent is not repeated to them at any length. */
    static String shown(String text) {
        return text.length() > SHOWN_CHARS_MAX ? text.substring(0, SHOWN_PREFIX_CHARS) + "..." : text;
    }
}
