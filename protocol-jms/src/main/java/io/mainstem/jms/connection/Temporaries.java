package io.mainstem.jms.connection;

import io.mainstem.jms.destination.DestinationKind;
import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.destination.MainstemTemporaryQueue;
import io.mainstem.jms.destination.MainstemTemporaryTopic;
import io.mainstem.jms.destination.TemporaryOwner;
import io.mainstem.jms.error.Answers;
import io.mainstem.jms.error.Errors;
import io.mainstem.jms.link.TemporaryNode;
import jakarta.jms.JMSException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** The temporary destinations of a connection (Jakarta Messaging 6.2.2). Thread: any. */
public final class Temporaries implements TemporaryOwner {
    private final BrokerConnection connection;
    private final Predicate<MainstemDestination> consumed;
    private final Map<MainstemDestination, TemporaryNode> nodes = new ConcurrentHashMap<>();

    /** @param consumed whether a consumer of this connection is open on it */
    public Temporaries(BrokerConnection connection, Predicate<MainstemDestination> consumed) {
        this.connection = connection;
        this.consumed = consumed;
    }

    public MainstemTemporaryQueue createQueue() throws JMSException {
        TemporaryNode node = create(DestinationKind.TEMPORARY_QUEUE);
        MainstemTemporaryQueue queue = new MainstemTemporaryQueue(node.address(), this);
        nodes.put(queue, node);
        return queue;
    }

    public MainstemTemporaryTopic createTopic() throws JMSException {
        TemporaryNode node = create(DestinationKind.TEMPORARY_TOPIC);
        MainstemTemporaryTopic topic = new MainstemTemporaryTopic(node.address(), this);
        nodes.put(topic, node);
        return topic;
    }

    private TemporaryNode create(DestinationKind kind) throws JMSException {
        return Answers.awaitMade(
                connection.link().createTemporary(kind, null),
                connection.options().timeouts().requestMs(),
                "creating a " + kind.capability(),
                TemporaryNode::delete);
    }

    /** @throws jakarta.jms.InvalidDestinationException if only another connection may consume from it */
    public void checkOwned(MainstemDestination destination) throws JMSException {
        if (destination.kind().isTemporary() && !nodes.containsKey(destination)) {
            throw Errors.destination("temporary destination " + destination
                    + " was created by another connection, or is deleted; fix: consume from it where it was created");
        }
    }

    @Override
    public void delete(MainstemDestination destination) throws JMSException {
        connection.checkUsable();
        TemporaryNode node = nodes.get(destination);
        if (node == null) {
            return; // Deleted before.
        }
        if (consumed.test(destination)) {
            throw Errors.illegal(
                    "MS-0708", "temporary destination " + destination + " has an open consumer; fix: close it first");
        }
        nodes.remove(destination);
        Answers.await(node.delete(), connection.options().timeouts().requestMs(), "deleting " + destination);
    }
}
