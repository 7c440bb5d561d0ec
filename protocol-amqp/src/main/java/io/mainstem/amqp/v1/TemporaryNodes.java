package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.qpid.proton.amqp.transport.AmqpError;

/**
 * Nodes that live as long as the link that made them [J-7]. A temporary queue is exclusive to its session; a temporary
 * topic is a key of {@code amq.topic} that only this connection may subscribe to.
 *
 * <p>Thread: the connection's event loop.
 */
final class TemporaryNodes {
    private static final String QUEUE_PREFIX = "amq.tmp:";
    private static final String TOPIC_PREFIX = "amq.tmp.";
    private static final int CONTAINER_CHARS = 24;

    private final BrokerSession broker;
    private final String container;
    private final Registry registry;
    private final Set<String> ownTopics = new HashSet<>();

    TemporaryNodes(BrokerSession broker, String containerId, Registry registry) {
        this.broker = broker;
        this.container = shortened(containerId);
        this.registry = registry;
    }

    CompletionStage<QueueInfo> makeQueue() {
        String name = QUEUE_PREFIX + container + ":" + UUID.randomUUID();
        return broker.declareQueue(new QueueSpec(name, false, false, true, true, Map.of()));
    }

    /** Failure means that it is gone already. */
    void deleteQueue(String name) {
        broker.deleteQueue(name, false, false);
    }

    /** The key of a new temporary topic. */
    String makeTopic() {
        String key = TOPIC_PREFIX + UUID.randomUUID();
        ownTopics.add(key);
        registry.live.add(key);
        return key;
    }

    void deleteTopic(String key) {
        ownTopics.remove(key);
        registry.live.remove(key);
    }

    /** Refuses temporary topics that are gone. @throws AmqpException not-found for the link */
    void checkTopic(String key) {
        if (key.startsWith(TOPIC_PREFIX) && !registry.live.contains(key)) {
            throw AmqpException.link(AmqpError.NOT_FOUND, "MS-0504 no temporary topic '" + key + "'");
        }
    }

    /** Refuses temporary queues that are gone. @throws AmqpException not-found for the link */
    void checkQueue(String name) {
        if (broker.queue(name) == null) {
            throw AmqpException.link(AmqpError.NOT_FOUND, "MS-0504 no temporary queue '" + name + "'");
        }
    }

    /** A target for the node, which refuses what comes when the node is temporary and gone. */
    PublishTarget guarded(PublishTarget target, Address address) {
        if (address instanceof Address.TopicNode node && node.key().startsWith(TOPIC_PREFIX)) {
            return new TemporaryTarget(target, () -> checkTopic(node.key()));
        }
        if (address instanceof Address.QueueNode node && node.name().startsWith(QUEUE_PREFIX)) {
            return new TemporaryTarget(target, () -> checkQueue(node.name()));
        }
        return target;
    }

    /** Refuses to subscribe to other connections' temporary topics. @throws AmqpException for the link */
    void checkOwnTopic(String key) {
        checkTopic(key);
        if (key.startsWith(TOPIC_PREFIX) && !ownTopics.contains(key)) {
            throw AmqpException.link(
                    AmqpError.RESOURCE_LOCKED, "MS-0504 temporary topic '" + key + "' belongs to another connection");
        }
    }

    /** The connection is gone; its queues go with the broker's session. */
    void close() {
        registry.live.removeAll(ownTopics);
        ownTopics.clear();
    }

    private static String shortened(String containerId) {
        String plain = containerId.replaceAll("[^A-Za-z0-9_~-]", "-");
        return plain.length() <= CONTAINER_CHARS ? plain : plain.substring(0, CONTAINER_CHARS);
    }

    /** Keys of the temporary topics of all connections. Thread: any. */
    static final class Registry {
        private final Set<String> live = ConcurrentHashMap.newKeySet();
    }
}
