package io.mainstem.jms.amqp;

import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.engine.Delivery;
import org.jspecify.annotations.Nullable;

/** Events of a session or link of the engine, whose context this is. Thread: the event loop. */
interface EndpointEvents {
    void remoteOpened();

    /** @param error null if the peer gave no reason */
    void remoteClosed(@Nullable ErrorCondition error);

    default void delivery(Delivery delivery) {}

    default void flow() {}
}
