package io.mainstem.jms.message.section;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.qpid.proton.amqp.Symbol;

/**
 * Which message annotations of a received message go on with it when it is sent on: those of other peers, as AMQP 1.0 asks
 * (part 3, 3.2.3). Not those that say what one delivery or one publish is: the sender says that anew. Thread: any.
 */
public final class ForwardedAnnotations {
    /** Written anew with each send, or instructions and identities of the send before. */
    private static final Set<String> OF_ONE_SEND = Set.of(
            Annotations.MESSAGE_KIND.toString(),
            Annotations.DESTINATION_KIND.toString(),
            Annotations.REPLY_TO_KIND.toString(),
            Annotations.APP_ID.toString(),
            Annotations.DELIVERY_TIME.toString(),
            Annotations.PRODUCER_ID.toString(),
            Annotations.PRODUCER_SEQUENCE.toString(),
            "x-opt-delivery-delay",
            "x-opt-dedup-id",
            "x-opt-retain",
            "x-cc",
            "x-bcc");

    /** What the broker notes (docs/protocols/amqp-1.0.md). */
    private static final Set<String> OF_THE_BROKER = Set.of(
            Annotations.EXCHANGE.toString(),
            Annotations.ROUTING_KEY.toString(),
            Annotations.INGRESS_TIME.toString(),
            Annotations.ACQUIRED_COUNT.toString(),
            Annotations.DEATHS.toString(),
            "x-death",
            "x-delivery-count");

    private static final List<String> PREFIXES_OF_THE_BROKER =
            List.of("x-first-death-", "x-last-death-", "x-opt-mqtt-", "x-opt-amqp091-");

    private ForwardedAnnotations() {}

    /** Adds those of a received message. */
    public static void add(Map<?, ?> received, Map<Symbol, Object> to) {
        received.forEach((key, value) -> {
            if (key instanceof Symbol symbol && value != null && goesOn(symbol.toString())) {
                to.put(symbol, value);
            }
        });
    }

    private static boolean goesOn(String name) {
        return !OF_ONE_SEND.contains(name)
                && !OF_THE_BROKER.contains(name)
                && PREFIXES_OF_THE_BROKER.stream().noneMatch(name::startsWith);
    }
}
