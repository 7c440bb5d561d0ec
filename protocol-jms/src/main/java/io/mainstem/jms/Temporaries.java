package io.mainstem.jms;

import io.mainstem.jms.destination.Kind;
import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.destination.MainstemTemporaryQueue;
import io.mainstem.jms.destination.MainstemTemporaryTopic;
import io.mainstem.jms.destination.TemporaryOwner;
import io.mainstem.jms.link.TemporaryNode;
import jakarta.jms.JMSException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The temporary destinations of a connection (Jakarta Messaging 6.2.2). Thread: any. */
final class Temporaries implements TemporaryOwner {
    private final MainstemConnection connection;
    private final Map<MainstemDestination, TemporaryNode> nodes = new ConcurrentHashMap<>();

    Temporaries(MainstemConnection connection) {
        this.connection = connection;
    }

    MainstemTemporaryQueue createQueue() throws JMSException {
        TemporaryNode node = create(Kind.TEMPORARY_QUEUE);
        MainstemTemporaryQueue queue = new MainstemTemporaryQueue(node.address(), this);
        nodes.put(queue, node);
        return queue;
    }

    MainstemTemporaryTopic createTopic() throws JMSException {
        TemporaryNode node = create(Kind.TEMPORARY_TOPIC);
        MainstemTemporaryTopic topic = new MainstemTemporaryTopic(node.address(), this);
        nodes.put(topic, node);
        return topic;
    }

    private TemporaryNode create(Kind kind) throws JMSException {
        return Errors.awaitMade(
                connection.link().createTemporary(kind, null),
                connection.options().timeouts().requestMs(),
                "creating a " + kind.capability(),
                TemporaryNode::delete);
    }

    /** @throws jakarta.jms.InvalidDestinationException if only another connection may consume from it */
    void checkOwned(MainstemDestination destination) throws JMSException {
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
        for (MainstemSession session : connection.sessions()) {
            if (session.consumesFrom(destination)) {
                throw Errors.illegal(
                        "MS-0708",
                        "temporary destination " + destination + " has an open consumer; fix: close it first");
            }
        }
        nodes.remove(destination);
        Errors.await(node.delete(), connection.options().timeouts().requestMs(), "deleting " + destination);
    }
}
