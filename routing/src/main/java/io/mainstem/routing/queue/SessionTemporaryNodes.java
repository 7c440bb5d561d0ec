package io.mainstem.routing.queue;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.TemporaryNames;
import io.mainstem.routing.TemporaryNodes;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The temporary nodes of one session, and what it may do with those of others. The shard knows the owner of a queue by
 * itself. Thread: the session's event loop.
 */
final class SessionTemporaryNodes implements TemporaryNodes {
    private static final String TOPIC_EXCHANGE = "amq.topic";

    private final BrokerSession session;
    private final ClientInfo client;
    private final TemporaryRegister register;
    private final Set<String> ownTopics = new HashSet<>(0);

    SessionTemporaryNodes(BrokerSession session, ClientInfo client, TemporaryRegister register) {
        this.session = session;
        this.client = client;
        this.register = register;
    }

    @Override
    public CompletionStage<QueueInfo> makeQueue(UUID id, @Nullable String wanted) {
        String name = TemporaryNames.queue(client, id, wanted);
        return session.declareQueue(new QueueSpec(name, false, false, true, true, Map.of()));
    }

    @Override
    public CompletionStage<Long> deleteQueue(String name) {
        register.endingQueues.add(name);
        return session.deleteQueue(name, false, false)
                .whenComplete((deleted, failure) -> register.endingQueues.remove(name));
    }

    @Override
    public String makeTopic(UUID id, @Nullable String wanted) {
        String key = TemporaryNames.topic(client, id, wanted);
        if (register.topics.putIfAbsent(key, this) != null) {
            throw others(key);
        }
        ownTopics.add(key);
        return key;
    }

    @Override
    public void deleteTopic(String key) {
        ownTopics.remove(key);
        register.topics.remove(key, this);
    }

    /**
     * To send there: whoever knows a temporary node's name may.
     *
     * @throws BrokerException NOT_FOUND if the address is a temporary node's that is gone
     */
    void requireThere(String exchange, String key) {
        if (exchange.isEmpty()
                && TemporaryNames.isQueue(key)
                && (session.queue(key) == null || register.endingQueues.contains(key))) {
            throw gone("queue", key);
        }
        if (isTopic(exchange, key) && !register.topics.containsKey(key)) {
            throw gone("topic", key);
        }
    }

    /**
     * To hear what is sent there, by whatever way.
     *
     * @throws BrokerException NOT_FOUND if the key is a temporary topic's that is gone, LOCKED if another session's
     */
    void requireOwn(String exchange, String key) {
        if (isTopic(exchange, key)) {
            requireThere(exchange, key);
            if (!ownTopics.contains(key)) {
                throw others(key);
            }
        }
    }

    void requireOwn(BindingSpec binding) {
        requireOwn(binding.source(), binding.key());
    }

    void close() {
        ownTopics.forEach(key -> register.topics.remove(key, this));
        ownTopics.clear();
    }

    private static boolean isTopic(String exchange, String key) {
        return TemporaryNames.isTopic(key) && exchange.equals(TOPIC_EXCHANGE);
    }

    private static BrokerException gone(String kind, String name) {
        return new BrokerException(
                ErrorKind.NOT_FOUND,
                "MS-0320",
                "no temporary " + kind + " '" + name + "'.",
                "nothing: it went with the link or connection that made it.");
    }

    private static BrokerException others(String key) {
        return new BrokerException(
                ErrorKind.LOCKED,
                "MS-0321",
                "temporary topic '" + key + "' belongs to another connection.",
                "subscribe on the connection that made it; others may only send to it.");
    }
}
