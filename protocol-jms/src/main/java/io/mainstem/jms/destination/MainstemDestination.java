package io.mainstem.jms.destination;

import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.Topic;
import java.io.Serializable;
import javax.naming.Reference;
import javax.naming.Referenceable;
import javax.naming.StringRefAddr;
import org.jspecify.annotations.Nullable;

/**
 * A place to send to and to receive from. Two destinations of one kind and address are equal, whoever made them.
 * Thread: immutable.
 */
public abstract sealed class MainstemDestination implements Destination, Referenceable, Serializable
        permits MainstemQueue, MainstemTopic, MainstemTemporaryQueue, MainstemTemporaryTopic {
    /** Name of the address in a JNDI reference. */
    public static final String ADDRESS_PROPERTY = "address";

    private static final long serialVersionUID = 1;
    private static final String OBJECT_FACTORY = "io.mainstem.jms.jndi.MainstemObjectFactory";

    private final DestinationKind kind;
    private final String address;

    MainstemDestination(DestinationKind kind, String address) {
        if (address.isEmpty()) {
            throw new IllegalArgumentException(
                    "name of a " + kind.capability() + ": empty (expected: at least one character)");
        }
        this.kind = kind;
        this.address = address;
    }

    /**
     * A destination of any provider as one of ours, by its name.
     *
     * @throws InvalidDestinationException if it is null, has no name, or is of no kind or of two
     */
    public static MainstemDestination of(@Nullable Destination destination) throws JMSException {
        if (destination instanceof MainstemDestination own) {
            return own;
        }
        if (destination == null || destination instanceof Queue == destination instanceof Topic) {
            throw invalid(destination, destination == null ? "a queue or topic" : "either a queue or a topic");
        }
        String name = destination instanceof Queue queue ? queue.getQueueName() : ((Topic) destination).getTopicName();
        if (name == null || name.isEmpty()) {
            throw invalid(destination, "one that has a name");
        }
        if (destination instanceof Queue) {
            return destination instanceof TemporaryQueue
                    ? new MainstemTemporaryQueue(name, null)
                    : new MainstemQueue(name);
        }
        return destination instanceof TemporaryTopic ? new MainstemTemporaryTopic(name, null) : new MainstemTopic(name);
    }

    private static InvalidDestinationException invalid(@Nullable Destination found, String wanted) {
        return new InvalidDestinationException(
                "MS-0763 destination is " + (found == null ? "null" : found + " of " + found.getClass()) + "; wanted: "
                        + wanted + "; fix: take one from createQueue, createTopic or a look-up",
                "MS-0763");
    }

    /** The plain name; never empty. */
    public final String address() {
        return address;
    }

    public final DestinationKind kind() {
        return kind;
    }

    /** True for the topics whose names match others: consumers take such a name, producers do not. */
    public final boolean isPattern() {
        if (kind.isQueue() || (address.indexOf('*') < 0 && address.indexOf('#') < 0)) {
            return false;
        }
        for (String word : address.split("\\.", -1)) {
            if (word.equals("*") || word.equals("#")) {
                return true;
            }
        }
        return false;
    }

    @Override
    public final Reference getReference() {
        return new Reference(getClass().getName(), new StringRefAddr(ADDRESS_PROPERTY, address), OBJECT_FACTORY, null);
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof MainstemDestination that && kind == that.kind && address.equals(that.address);
    }

    @Override
    public final int hashCode() {
        return 31 * address.hashCode() + kind.code();
    }

    @Override
    public final String toString() {
        return address;
    }
}
