package io.mainstem.jms.destination;

import jakarta.jms.Topic;

/** A topic that exists by configuration or by use. */
public final class MainstemTopic extends MainstemDestination implements Topic {
    private static final long serialVersionUID = 1;

    public MainstemTopic(String address) {
        super(DestinationKind.TOPIC, address);
    }

    @Override
    public String getTopicName() {
        return address();
    }
}
