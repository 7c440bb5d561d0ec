package io.mainstem.amqp.v1;

import java.util.List;
import java.util.Set;

/**
 * How the head presents itself, and which habits of other brokers' clients it goes along with.
 *
 * @param node id of this broker, told in open and by the management node
 * @param compatibility habits in force
 * @param queuePrefix addresses that begin so name a queue [A-9] (5); "" = none
 * @param topicPrefix addresses that begin so name a topic [A-9] (5); "" = none
 * @param failoverServers where clients may go if this broker is lost [mapping 4.2]
 */
public record AmqpOptions(
        String node,
        Set<Compatibility> compatibility,
        String queuePrefix,
        String topicPrefix,
        List<FailoverServer> failoverServers) {
    /** For a broker nobody configured. */
    public static final AmqpOptions DEFAULT =
            new AmqpOptions("mainstem", Set.of(Compatibility.RABBITMQ), "", "", List.of());

    /** Whose clients are to feel at home. */
    public enum Compatibility {
        /** Open tells the version of RabbitMQ whose management and addresses these are: its clients ask for one. */
        RABBITMQ,
        /** {@code address::queue} names a queue by both [A-9] (7). */
        ARTEMIS
    }

    /** Another broker, as {@code failover-server-list} names it. */
    public record FailoverServer(String host, int port) {}

    public AmqpOptions {
        compatibility = Set.copyOf(compatibility);
        failoverServers = List.copyOf(failoverServers);
    }

    boolean rabbitmq() {
        return compatibility.contains(Compatibility.RABBITMQ);
    }

    boolean artemis() {
        return compatibility.contains(Compatibility.ARTEMIS);
    }
}
