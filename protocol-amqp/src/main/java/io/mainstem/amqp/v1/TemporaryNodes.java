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
import java.util.regex.Pattern;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.jspecify.annotations.Nullable;

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
    private static final Pattern UUID_TEXT = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private final BrokerSession broker;
    private final String container;
    private final Registry registry;
    private final Set<String> ownTopics = new HashSet<>();

    TemporaryNodes(BrokerSession broker, String containerId, Registry registry) {
        this.broker = broker;
        this.container = shortened(containerId);
        this.registry = registry;
    }

    /**
     * Makes a temporary queue.
     *
     * @param wanted name of one that this container had on another connection, or null; it is granted if it is free, so
     *     that answers find a client that was cut off
     * @return fails if the name is another connection's
     */
    CompletionStage<QueueInfo> makeQueue(@Nullable String wanted) {
        String prefix = QUEUE_PREFIX + container + ":";
        String name = wanted != null && isMade(wanted, prefix) ? wanted : prefix + UUID.randomUUID();
        return broker.declareQueue(new QueueSpec(name, false, false, true, true, Map.of()));
    }

    /** Failure means that it is gone already. */
    void deleteQueue(String name) {
        registry.ending.add(name);
        var unused =
                broker.deleteQueue(name, false, false).whenComplete((deleted, failure) -> registry.ending.remove(name));
    }

    /**
     * Makes a temporary topic.
     *
     * @param wanted key of one that was lost, or null; as for queues
     * @return its key
     * @throws AmqpException for the link: the key is another connection's
     */
    String makeTopic(@Nullable String wanted) {
        String key = wanted != null && isMade(wanted, TOPIC_PREFIX) ? wanted : TOPIC_PREFIX + UUID.randomUUID();
        if (!registry.live.add(key)) {
            throw AmqpException.link(
                    AmqpError.RESOURCE_LOCKED, "MS-0504 temporary topic '" + key + "' belongs to another connection");
        }
        ownTopics.add(key);
        return key;
    }

    /** Whether the name can be one of ours: nobody is given others, such as those of ordinary queues. */
    private static boolean isMade(String name, String prefix) {
        return name.startsWith(prefix)
                && UUID_TEXT.matcher(name.substring(prefix.length())).matches();
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
        if (broker.queue(name) == null || registry.ending.contains(name)) {
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

    /** Temporary nodes of all connections. Thread: any. */
    static final class Registry {
        /** Keys of topics. */
        private final Set<String> live = ConcurrentHashMap.newKeySet();
        /** Names of queues whose deletion is under way: for all the world they are gone. */
        private final Set<String> ending = ConcurrentHashMap.newKeySet();
    }
}
