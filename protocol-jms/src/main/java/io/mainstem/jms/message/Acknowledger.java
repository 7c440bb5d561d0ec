package io.mainstem.jms.message;

import jakarta.jms.JMSException;

/** The session behind a received message. */
@FunctionalInterface
public interface Acknowledger {
    /**
     * Acknowledges all that the session delivered, if its mode is CLIENT_ACKNOWLEDGE; nothing in the other modes.
     *
     * @throws jakarta.jms.IllegalStateException if the session is closed
     */
    void acknowledge() throws JMSException;
}
