package io.mainstem.jms.message;

import io.mainstem.jms.message.section.ReceivedBody;
import jakarta.jms.JMSException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.TextMessage;
import java.util.List;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.Section;
import org.jspecify.annotations.Nullable;

/** A text, which may be null. On the wire an AMQP string. Thread: one at a time. */
final class JmsTextMessage extends JmsMessage implements TextMessage {
    private @Nullable String text;
    private boolean decoded;

    JmsTextMessage(boolean strictNames) {
        super(strictNames);
    }

    /** The text of a message that is being made. */
    void begin(@Nullable String initial) {
        text = initial;
    }

    @Override
    MessageKind kind() {
        return MessageKind.TEXT;
    }

    @Override
    public void setText(@Nullable String text) throws JMSException {
        requireBodyWritable();
        this.text = text;
    }

    @Override
    public @Nullable String getText() throws MessageFormatException {
        ReceivedBody body = received();
        if (body != null && !decoded) {
            text = body.text();
            decoded = true;
        }
        return text;
    }

    @Override
    void dropBody() {
        text = null;
    }

    @Override
    List<Section> bodySections() {
        return List.of(new AmqpValue(text));
    }

    @Override
    @Nullable
    Object bodyValue() throws MessageFormatException {
        return getText();
    }
}
