package io.mainstem.amqp.v1;

import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.DeliverySource;
import io.mainstem.routing.Outcome;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that can outlive the link it was attached for, because its source does. Thread: the event loop of the link
 * that has it; while none has, that of the last one.
 */
sealed interface KeptConsumer extends DeliverySource, DeliverySink, Suspension
        permits ResumableConsumer, SessionConsumer {
    /** What it consumes from. */
    Feed feed();

    /** False if the broker has ended it meanwhile: the queue is gone. */
    boolean isAlive();

    /** True if links of this connection can go on with it. */
    boolean canServe(AmqpConnection connection);

    @Override
    default TerminusLife life() {
        return feed().life();
    }

    // ---- while a link has it ---------------------------------------------------------------------------------

    /** Ids below this one were given by the broker. */
    long next();

    /** A delivery goes out. */
    void sent(Delivery delivery);

    /** True if some of what was sent must be settled before more is. */
    boolean isFull();

    /** True if delivery-tags name deliveries on the link for ever, not only within a session. */
    boolean tagsByLink();

    /** A transaction settles these with its commit, by the handle that is returned. */
    @Nullable
    ConsumerHandle retired(long first, long last);

    // ---- while no link has it --------------------------------------------------------------------------------

    /**
     * True if there is a reason to keep it without its link.
     *
     * @param awaited the time of its source does not count yet
     */
    boolean isToBeKept(boolean awaited);

    /**
     * The link is gone, and has given back what it had not sent.
     *
     * @param unresumed what becomes of unsettled deliveries if it is not resumed
     */
    void suspend(Outcome unresumed);

    /** Another link goes on with it; what is settled by comparing both sides' maps is settled now. */
    ResumedDeliveries resume(OutboundLink nextLink, Attach request);
}
