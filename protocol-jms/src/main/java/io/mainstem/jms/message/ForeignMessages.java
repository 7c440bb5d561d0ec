package io.mainstem.jms.message;

import io.mainstem.jms.message.value.MessageErrors;
import jakarta.jms.BytesMessage;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageEOFException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.ObjectMessage;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.util.Collections;
import java.util.Enumeration;
import org.jspecify.annotations.Nullable;

/**
 * Messages of other providers (Jakarta Messaging 3.12): what the application set is copied, what the send call sets goes
 * back to the foreign object through its setters.
 */
final class ForeignMessages {
    private static final int CHUNK_BYTES = 8192;

    private final EmptyMessages empty;

    ForeignMessages(EmptyMessages empty) {
        this.empty = empty;
    }

    /** @throws MessageFormatException if the foreign object throws whatever it may, or its type is unknown */
    JmsMessage copyOf(Message foreign) throws JMSException {
        try {
            JmsMessage copy = bodyOf(foreign);
            copyHeaders(foreign, copy);
            return copy;
        } catch (JMSException | RuntimeException unreadable) {
            throw MessageErrors.foreign(foreign.getClass().getName(), unreadable);
        }
    }

    void tell(Message foreign, SendHeaders headers) throws JMSException {
        try {
            foreign.setJMSDestination(headers.destination());
            foreign.setJMSDeliveryMode(headers.deliveryMode());
            foreign.setJMSExpiration(headers.expirationMs());
            foreign.setJMSPriority(headers.priority());
            foreign.setJMSMessageID(headers.messageId());
            foreign.setJMSTimestamp(headers.timestampMs());
            foreign.setJMSDeliveryTime(headers.deliveryTimeMs());
        } catch (AbstractMethodError beforeTwo) {
            // a message class of JMS 1.1 has no delivery time
            return;
        } catch (RuntimeException refused) {
            throw MessageErrors.foreign(foreign.getClass().getName(), refused);
        }
    }

    private void copyHeaders(Message foreign, JmsMessage copy) throws JMSException {
        copy.setJMSCorrelationID(foreign.getJMSCorrelationID());
        copy.setJMSType(foreign.getJMSType());
        Destination replyTo = foreign.getJMSReplyTo();
        copy.setJMSReplyTo(replyTo);
        for (String name : names(foreign.getPropertyNames())) {
            copy.properties().copy(name, foreign.getObjectProperty(name));
        }
    }

    private JmsMessage bodyOf(Message foreign) throws JMSException {
        if (foreign instanceof TextMessage text) {
            JmsTextMessage copy = empty.text();
            copy.begin(text.getText());
            return copy;
        }
        if (foreign instanceof BytesMessage bytes) {
            return bytes(bytes);
        }
        if (foreign instanceof MapMessage map) {
            JmsMapMessage copy = empty.map();
            for (String name : names(map.getMapNames())) {
                copy.setObject(name, map.getObject(name));
            }
            return copy;
        }
        if (foreign instanceof StreamMessage stream) {
            return stream(stream);
        }
        if (foreign instanceof ObjectMessage object) {
            JmsObjectMessage copy = empty.object();
            copy.setObject(object.getObject());
            return copy;
        }
        return empty.message();
    }

    private JmsMessage bytes(BytesMessage foreign) throws JMSException {
        JmsBytesMessage copy = empty.bytes();
        foreign.reset();
        byte[] chunk = new byte[CHUNK_BYTES];
        for (int count = foreign.readBytes(chunk); count > 0; count = foreign.readBytes(chunk)) {
            copy.writeBytes(chunk, 0, count);
        }
        return copy;
    }

    private JmsMessage stream(StreamMessage foreign) throws JMSException {
        JmsStreamMessage copy = empty.stream();
        foreign.reset();
        try {
            while (true) {
                copy.writeObject(foreign.readObject());
            }
        } catch (MessageEOFException end) {
            return copy;
        }
    }

    private static Iterable<String> names(@Nullable Enumeration<?> names) {
        return names == null
                ? Collections.emptyList()
                : Collections.list(names).stream().map(String::valueOf).toList();
    }
}
