package io.mainstem.jms.link;

import jakarta.jms.JMSException;

/** Told when a connection is gone. Thread: the transport's; must not block. */
@FunctionalInterface
public interface ConnectionLost {
    void lost(JMSException cause);
}
