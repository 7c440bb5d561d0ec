package io.mainstem.jms.destination;

import jakarta.jms.Queue;

/** A queue that exists by configuration or by use. */
public final class MainstemQueue extends MainstemDestination implements Queue {
    private static final long serialVersionUID = 1;

    public MainstemQueue(String address) {
        super(DestinationKind.QUEUE, address);
    }

    @Override
    public String getQueueName() {
        return address();
    }
}
