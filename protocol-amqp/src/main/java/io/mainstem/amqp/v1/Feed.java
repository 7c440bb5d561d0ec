package io.mainstem.amqp.v1;

import io.mainstem.routing.selector.Selector;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.jspecify.annotations.Nullable;

/**
 * What a link consumes from, and what of its source is granted.
 *
 * @param exclusive nobody else may consume from it meanwhile
 * @param selector what of the queue it wants; null = everything. A subscription's is in force before its queue
 * @param life how long the source is kept without the link
 * @param onClosed takes the queue away when the peer closes the link, or null
 * @param node the temporary node that it is of, or null
 * @param isMaker the node was made for the link
 */
record Feed(
        String queue,
        Kind kind,
        boolean exclusive,
        @Nullable Selector selector,
        Source granted,
        TerminusLife life,
        @Nullable Closing onClosed,
        @Nullable DynamicNode node,
        boolean isMaker) {

    /** Not of a node that was made for the link. */
    Feed(
            String queue,
            Kind kind,
            boolean exclusive,
            @Nullable Selector selector,
            Source granted,
            TerminusLife life,
            @Nullable Closing onClosed) {
        this(queue, kind, exclusive, selector, granted, life, onClosed, null, false);
    }

    /** What the queue is to the link. */
    enum Kind {
        /** One of many consumers. */
        COMPETE,
        /** Looks without taking. */
        BROWSE,
        /** The queue was made for this link alone, and is of no use without it. */
        OWN,
        /** The queue goes with its last consumer, which may happen before this one is attached. */
        VOLATILE,
        /** The queue is there whether somebody consumes or not, but by the source's life. */
        SUBSCRIPTION
    }

    /** Takes away what a link was for; completes when that is done. */
    interface Closing {
        CompletionStage<?> close();
    }

    /** True if it is a subscription that collects without a link until its session or connection ends. */
    boolean outlivesDetach() {
        return life.outlivesDetach() && kind != Kind.BROWSE && kind != Kind.COMPETE && !isDynamicQueue();
    }

    /** Its queue is there for the next link, by its address. */
    private boolean isDynamicQueue() {
        return isMaker && node != null && node.address().equals(queue);
    }

    /** A feed of somebody's temporary node, which knows of this link then. */
    Feed of(@Nullable DynamicNode somebodys) {
        return somebodys == null
                ? this
                : new Feed(queue, kind, exclusive, selector, granted, life, onClosed, somebodys, false);
    }

    /** The link consumes from it from now on. */
    void linked(AmqpLink link) {
        if (isMaker && node != null) {
            link.owns(node);
        } else {
            link.joins(node);
        }
    }

    /** No link consumes from it. */
    void unused() {
        if (isMaker && node != null) {
            var unused = node.ended();
        }
    }

    /** True if nobody else consumes from the queue, as long as the link is attached. */
    boolean isAlone() {
        return exclusive || kind == Kind.OWN;
    }

    boolean browse() {
        return kind == Kind.BROWSE;
    }
}
