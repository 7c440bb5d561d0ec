package io.mainstem.jms;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.destination.MainstemQueue;
import io.mainstem.jms.destination.MainstemTemporaryQueue;
import io.mainstem.jms.destination.MainstemTemporaryTopic;
import io.mainstem.jms.destination.MainstemTopic;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.Topic;
import org.jspecify.annotations.Nullable;

/** Destinations that applications hand over: ours, or those of another provider by their names. Thread: any. */
final class Destinations {
    private Destinations() {}

    /** @throws jakarta.jms.InvalidDestinationException if it is null, or neither queue nor topic, or has no name */
    static MainstemDestination of(@Nullable Destination destination) throws JMSException {
        if (destination instanceof MainstemDestination own) {
            return own;
        }
        if (destination == null) {
            throw Errors.destination("destination is null; fix: give a queue or topic");
        }
        boolean both = destination instanceof Queue && destination instanceof Topic;
        MainstemDestination made = both ? null : foreign(destination);
        if (made == null || made.address() == null || made.address().isEmpty()) {
            throw Errors.destination("destination " + destination + " of " + destination.getClass()
                    + " is not usable (expected: a queue or a topic with a name)");
        }
        return made;
    }

    private static @Nullable MainstemDestination foreign(Destination destination) throws JMSException {
        if (destination instanceof TemporaryQueue queue) {
            return new MainstemTemporaryQueue(queue.getQueueName(), null);
        } else if (destination instanceof Queue queue) {
            return new MainstemQueue(queue.getQueueName());
        } else if (destination instanceof TemporaryTopic topic) {
            return new MainstemTemporaryTopic(topic.getTopicName(), null);
        } else if (destination instanceof Topic topic) {
            return new MainstemTopic(topic.getTopicName());
        }
        return null;
    }
}
