package io.mainstem.amqp.v1;

import io.mainstem.routing.message.MessageHeader;
import java.util.List;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/** Where the messages of an inbound link go. Thread: the connection's event loop. */
interface PublishTarget {
    /**
     * Makes a message of a delivery's payload and gives it, or a refusal, to the link.
     *
     * @param header what the header section said, or null if it is still part of the payload
     * @param payload the sections as received; the target may keep it
     * @param tag to hand on to the link
     */
    void publish(@Nullable MessageHeader header, List<byte[]> payload, long tag, InboundLink link);

    /** Why nothing can be published here any more, or null if it can: the node was deleted. */
    default @Nullable ErrorCondition gone() {
        return null;
    }

    /** False if what is sent here is a request, which is done at once and cannot wait for a discharge. */
    default boolean takesPostings() {
        return true;
    }

    /** The link is gone. */
    default void released() {}

    /** Most credit that makes sense here. */
    default int creditMax() {
        return Integer.MAX_VALUE;
    }
}
