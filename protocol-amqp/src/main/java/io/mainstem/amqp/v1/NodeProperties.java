package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Terminus;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Role;
import org.jspecify.annotations.Nullable;

/**
 * What a peer wants of a node that is made for its link (AMQP 1.0 part 3, 3.5.9). Properties that the broker does not know
 * are not granted: they are left out of the answer. Immutable.
 *
 * @param life when it goes
 * @param wantedAddress the address of a node that was lost with its connection, or null
 * @param modesAsked the peer wants to know, and has said, which distribution modes there are
 * @param topic it is to be a topic, not a queue
 */
record NodeProperties(NodeLife life, @Nullable String wantedAddress, boolean modesAsked, boolean topic) {
    /** The address of a node that was lost with its connection. */
    private static final Symbol WANTED_ADDRESS = Symbol.valueOf("mainstem:address");

    private static final Symbol LIFETIME_POLICY = Symbol.valueOf("lifetime-policy");
    private static final Symbol DISTRIBUTION_MODES = Symbol.valueOf("supported-dist-modes");
    private static final Symbol MOVE = Symbol.valueOf("move");
    /** A symbol-keyed map of three known properties needs no more; what follows has been decoded but is not looked at. */
    private static final int PROPERTIES_MAX = 64;

    /**
     * Of a terminus that asks for a new node.
     *
     * @throws AmqpException for the link
     */
    static NodeProperties of(Terminus terminus) {
        String address = terminus.getAddress();
        if (address != null && !address.isEmpty()) {
            throw invalid("a dynamic terminus with address '" + AddressResolver.shown(address) + "'", "no address");
        }
        boolean topic = Capabilities.has(terminus.getCapabilities(), Capabilities.TEMPORARY_TOPIC);
        Map<?, ?> asked = terminus.getDynamicNodeProperties();
        if (asked == null) {
            return new NodeProperties(NodeLife.CLOSE, null, false, topic);
        }
        if (asked.size() > PROPERTIES_MAX) {
            throw invalid(asked.size() + " dynamic node properties", "at most " + PROPERTIES_MAX);
        }
        for (Object key : asked.keySet()) {
            if (!(key instanceof Symbol)) {
                throw invalid("a dynamic node property whose name is no symbol", "symbols");
            }
        }
        return new NodeProperties(
                life(asked.get(LIFETIME_POLICY), topic),
                wanted(asked.get(WANTED_ADDRESS)),
                modes(asked.get(DISTRIBUTION_MODES), topic),
                topic);
    }

    /** Of a terminus that names a node: there is nothing to ask for. @throws AmqpException for the link */
    static void requireNone(Terminus terminus) {
        Map<?, ?> asked = terminus.getDynamicNodeProperties();
        if (asked != null && !asked.isEmpty()) {
            throw invalid("dynamic-node-properties of a terminus that is not dynamic", "none");
        }
    }

    /** Of the terminus where the broker is asked for a node; null if none is named. */
    static @Nullable String address(Attach attach) {
        Object terminus = attach.getRole() == Role.SENDER ? attach.getTarget() : attach.getSource();
        return terminus instanceof Terminus asked ? asked.getAddress() : null;
    }

    /** What the node has. */
    Map<Symbol, Object> granted() {
        Map<Symbol, Object> granted = new HashMap<>();
        granted.put(LIFETIME_POLICY, life.policy());
        if (modesAsked) {
            granted.put(DISTRIBUTION_MODES, modesOf(topic).toArray(new Symbol[0]));
        }
        return granted;
    }

    private static NodeLife life(@Nullable Object asked, boolean topic) {
        NodeLife life = asked == null ? NodeLife.CLOSE : NodeLife.of(asked);
        if (life == null) {
            throw invalid(
                    "lifetime-policy " + kind(asked),
                    "delete-on-close, delete-on-no-links, delete-on-no-messages or delete-on-no-links-or-messages");
        }
        return topic ? life.ofTopic() : life;
    }

    private static @Nullable String wanted(@Nullable Object asked) {
        if (asked == null || asked instanceof String) {
            return (String) asked;
        }
        throw invalid(WANTED_ADDRESS + " " + kind(asked), "a string");
    }

    private static boolean modes(@Nullable Object asked, boolean topic) {
        if (asked == null) {
            return false;
        }
        Symbol[] wanted = asked instanceof Symbol one ? new Symbol[] {one} : null;
        if (asked instanceof Symbol[] several) {
            wanted = several;
        }
        if (wanted == null) {
            throw invalid(DISTRIBUTION_MODES + " " + kind(asked), "a symbol or an array of symbols");
        }
        for (Symbol mode : wanted) {
            if (!modesOf(topic).contains(mode)) {
                throw AmqpException.link(
                        AmqpError.NOT_IMPLEMENTED,
                        "MS-0522 distribution mode '" + AddressResolver.shown(String.valueOf(mode))
                                + "' of a temporary "
                                + (topic ? "topic" : "queue") + " fix: leave " + DISTRIBUTION_MODES
                                + " out, or ask for "
                                + modesOf(topic));
            }
        }
        return true;
    }

    private static List<Symbol> modesOf(boolean topic) {
        return topic ? List.of(SourceFeeds.COPY) : List.of(MOVE, SourceFeeds.COPY);
    }

    private static String kind(@Nullable Object found) {
        return found == null ? "null" : "of type " + found.getClass().getSimpleName();
    }

    private static AmqpException invalid(String found, String expected) {
        return AmqpException.link(
                AmqpError.INVALID_FIELD, "MS-0522 " + found + " (expected: " + expected + ") fix: correct it");
    }
}
