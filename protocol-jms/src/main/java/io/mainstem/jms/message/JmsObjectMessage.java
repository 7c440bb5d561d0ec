package io.mainstem.jms.message;

import io.mainstem.jms.message.section.ContentTypes;
import io.mainstem.jms.message.section.ReceivedBody;
import jakarta.jms.JMSException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.ObjectMessage;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.Data;
import org.apache.qpid.proton.amqp.messaging.Section;
import org.jspecify.annotations.Nullable;

/**
 * A serialised object, frozen when it is set. On the wire a data section with the content type of Java serialisation;
 * objects that came in AMQP's own types are given as plain JDK values. Every {@link #getObject} gives a new one. Thread:
 * one at a time.
 */
final class JmsObjectMessage extends JmsMessage implements ObjectMessage {
    private final TrustedClasses trusted;
    private byte @Nullable [] serialised;

    JmsObjectMessage(boolean strictNames, TrustedClasses trusted) {
        super(strictNames);
        this.trusted = trusted;
    }

    @Override
    MessageKind kind() {
        return MessageKind.OBJECT;
    }

    @Override
    @Nullable
    String contentType() {
        return serialised == null ? null : ContentTypes.JAVA_OBJECT;
    }

    @Override
    public void setObject(@Nullable Serializable object) throws JMSException {
        requireBodyWritable();
        serialised = object == null ? null : ObjectBytes.of(object);
    }

    @Override
    public @Nullable Serializable getObject() throws JMSException {
        ReceivedBody body = received();
        if (body == null) {
            // what this JVM serialised itself needs no trust
            return serialised == null ? null : (Serializable) ObjectBytes.read(serialised, null);
        }
        if (body.isEmpty() || body.isNull()) {
            return null;
        }
        return body.isData() ? deserialised(body.bytes()) : body.typedObject();
    }

    private @Nullable Serializable deserialised(ByteBuffer bytes) throws MessageFormatException {
        if (!bytes.hasRemaining()) {
            return null;
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return (Serializable) ObjectBytes.read(copy, trusted);
    }

    @Override
    void dropBody() {
        serialised = null;
    }

    /** An object that is null goes as an AMQP null: a body of no bytes would be no serialised object. */
    @Override
    List<Section> bodySections() {
        return List.of(serialised == null ? new AmqpValue(null) : new Data(new Binary(serialised)));
    }

    @Override
    @Nullable
    Object bodyValue() throws JMSException {
        return getObject();
    }
}
