package io.mainstem.amqp.v1;

import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.proton.amqp.Symbol;
import org.jspecify.annotations.Nullable;

/** Symbols that peers desire and offer; those of JMS are from the OASIS AMQP JMS mapping. */
final class Capabilities {
    static final Symbol ANONYMOUS_RELAY = Symbol.valueOf("ANONYMOUS-RELAY");
    static final Symbol SOLE_CONNECTION = Symbol.valueOf("sole-connection-for-container");
    static final Symbol SHARED_SUBSCRIPTIONS = Symbol.valueOf("SHARED-SUBS");
    static final Symbol LINK_PAIR = Symbol.valueOf("LINK_PAIR_V1_0");
    static final Symbol DELAYED_DELIVERY = Symbol.valueOf("DELAYED_DELIVERY");
    static final Symbol QUEUE = Symbol.valueOf("queue");
    static final Symbol TOPIC = Symbol.valueOf("topic");
    static final Symbol TEMPORARY_QUEUE = Symbol.valueOf("temporary-queue");
    static final Symbol TEMPORARY_TOPIC = Symbol.valueOf("temporary-topic");
    static final Symbol VOLATILE_QUEUE = Symbol.valueOf("rabbitmq:volatile-queue");
    static final Symbol SHARED = Symbol.valueOf("shared");
    static final Symbol GLOBAL = Symbol.valueOf("global");

    /** A transaction is rolled back if a posting of it was refused or lost, whatever the discharge asks for. */
    static final Symbol REFUSED_ROLLS_BACK = Symbol.valueOf("mainstem:refused-rolls-back");

    /** Of a receiver: what it releases no application has seen; what it has shown it answers otherwise (ADR 0074). */
    static final Symbol RELEASED_UNSEEN = Symbol.valueOf("mainstem:released-unseen");

    private static final Symbol[] NONE = {};
    private static final List<Symbol> NODES = List.of(QUEUE, TOPIC, TEMPORARY_QUEUE, TEMPORARY_TOPIC);

    private Capabilities() {}

    static boolean has(Symbol @Nullable [] capabilities, Symbol wanted) {
        if (capabilities != null) {
            for (Symbol capability : capabilities) {
                if (wanted.equals(capability)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The kind of node that a terminus asks for, or null if it does not say. */
    static Address.@Nullable Kind kind(Symbol @Nullable [] capabilities) {
        if (has(capabilities, QUEUE)) {
            return Address.Kind.QUEUE;
        }
        if (has(capabilities, TOPIC)) {
            return Address.Kind.TOPIC;
        }
        if (has(capabilities, TEMPORARY_QUEUE)) {
            return Address.Kind.TEMPORARY_QUEUE;
        }
        if (has(capabilities, TEMPORARY_TOPIC)) {
            return Address.Kind.TEMPORARY_TOPIC;
        }
        return null;
    }

    /** The kinds of nodes, and these. */
    static Symbol[] nodesAnd(Symbol... more) {
        List<Symbol> all = new ArrayList<>(NODES);
        all.addAll(List.of(more));
        return all.toArray(NONE);
    }

    /** Those of {@code asked} that are in {@code granted} [J-5]. */
    static Symbol[] granted(Symbol @Nullable [] asked, Symbol... granted) {
        List<Symbol> both = new ArrayList<>();
        for (Symbol capability : granted) {
            if (has(asked, capability)) {
                both.add(capability);
            }
        }
        return both.toArray(NONE);
    }
}
