package io.mainstem.amqp.v1;

import java.util.List;

/** Where the messages of an inbound link go. Thread: the connection's event loop. */
interface PublishTarget {
    /**
     * Makes a message of a delivery's payload and gives it, or a refusal, to the link.
     *
     * @param payload as received, header and all; the target may keep it
     * @param tag to hand on to the link
     */
    void publish(List<byte[]> payload, long tag, InboundLink link);
}
