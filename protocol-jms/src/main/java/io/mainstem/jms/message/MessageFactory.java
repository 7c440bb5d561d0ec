package io.mainstem.jms.message;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.ObjectMessage;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Makes messages, freezes them for sending and thaws what arrives. One a connection. Thread: any.
 */
public interface MessageFactory {
    Message createMessage();

    TextMessage createTextMessage(@Nullable String text);

    BytesMessage createBytesMessage();

    MapMessage createMapMessage();

    StreamMessage createStreamMessage();

    ObjectMessage createObjectMessage(@Nullable Serializable object) throws JMSException;

    /**
     * Sets the headers on the caller's message, foreign ones through their setters, and encodes it: what the caller does
     * to the message afterwards changes nothing that was sent.
     *
     * @throws jakarta.jms.MessageFormatException if the message is null, or a foreign message cannot be read
     */
    EncodedMessage freeze(@Nullable Message message, SendHeaders headers) throws JMSException;

    /**
     * The message of a delivery, with properties and body read-only. Called again for a redelivery, so that nothing the
     * first receiver did to it shows. Total: a body that no type fits becomes one that can be read ([D-4]).
     *
     * @throws jakarta.jms.MessageFormatException if the sections are no AMQP
     */
    Message decode(EncodedMessage encoded, DeliveryInfo arrival) throws JMSException;
}
