package io.mainstem.jms.destination;

import jakarta.jms.JMSException;
import jakarta.jms.TemporaryTopic;
import org.jspecify.annotations.Nullable;

/** A topic that lives as long as the connection that made it. Received as a reply address it has no owner here. */
public final class MainstemTemporaryTopic extends MainstemDestination implements TemporaryTopic {
    private static final long serialVersionUID = 1;

    private final transient @Nullable TemporaryOwner owner;

    public MainstemTemporaryTopic(String address, @Nullable TemporaryOwner owner) {
        super(DestinationKind.TEMPORARY_TOPIC, address);
        this.owner = owner;
    }

    @Override
    public String getTopicName() {
        return address();
    }

    /** The connection that made it, or null if it came with a message. */
    public @Nullable TemporaryOwner owner() {
        return owner;
    }

    @Override
    public void delete() throws JMSException {
        TemporaryOwner.deleteOwned(owner, this);
    }
}
