package io.mainstem.jms.error;

import jakarta.jms.JMSException;

/** A step that Jakarta Messaging may refuse. */
@FunctionalInterface
public interface JmsAction {
    void run() throws JMSException;
}
