package io.mainstem.jms.message;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.io.Serializable;
import java.time.InstantSource;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Messages whose form outside this JVM is AMQP 1.0. Thread: any. */
public final class AmqpMessageFactory implements MessageFactory {
    private final boolean strictNames;
    private final TrustedClasses trusted;
    private final MessageEncoder encoder;
    private final MessageDecoder decoder;
    private final ForeignMessages foreignMessages;

    /**
     * @param strictNames property names must be Java identifiers
     * @param trustedPackages packages and classes that an ObjectMessage may be read from; {@code *} for all
     * @param userId sent as JMSXUserID with every message; null: none
     * @param clock the wall clock, for messages that have a time to live and no time of expiry
     */
    public AmqpMessageFactory(
            boolean strictNames, Set<String> trustedPackages, @Nullable String userId, InstantSource clock) {
        this.strictNames = strictNames;
        this.trusted = new TrustedClasses(trustedPackages);
        this.encoder = new MessageEncoder(userId);
        this.decoder = new MessageDecoder(this, clock);
        this.foreignMessages = new ForeignMessages(this);
    }

    JmsMessage empty(MessageKind kind) {
        return switch (kind) {
            case MESSAGE -> createMessage();
            case OBJECT -> new JmsObjectMessage(strictNames, trusted);
            case MAP -> createMapMessage();
            case BYTES -> createBytesMessage();
            case STREAM -> createStreamMessage();
            case TEXT -> new JmsTextMessage(strictNames);
        };
    }

    @Override
    public JmsMessage createMessage() {
        return new JmsMessage(strictNames);
    }

    @Override
    public JmsTextMessage createTextMessage(@Nullable String text) {
        JmsTextMessage message = new JmsTextMessage(strictNames);
        message.begin(text);
        return message;
    }

    @Override
    public JmsBytesMessage createBytesMessage() {
        return new JmsBytesMessage(strictNames);
    }

    @Override
    public JmsMapMessage createMapMessage() {
        return new JmsMapMessage(strictNames);
    }

    @Override
    public JmsStreamMessage createStreamMessage() {
        return new JmsStreamMessage(strictNames);
    }

    @Override
    public JmsObjectMessage createObjectMessage(@Nullable Serializable object) throws JMSException {
        JmsObjectMessage message = new JmsObjectMessage(strictNames, trusted);
        message.setObject(object);
        return message;
    }

    @Override
    public EncodedMessage freeze(@Nullable Message message, SendHeaders headers) throws JMSException {
        if (message == null) {
            throw MessageErrors.format("MS-0766", "the message to send is null; fix: make one by the session");
        }
        if (message instanceof JmsMessage own) {
            own.sending(headers);
            return encoder.encode(own, headers);
        }
        EncodedMessage encoded = encoder.encode(foreignMessages.copyOf(message), headers);
        foreignMessages.tell(message, headers);
        return encoded;
    }

    @Override
    public Message decode(EncodedMessage encoded, Arrival arrival) throws JMSException {
        return decoder.decode(encoded, arrival);
    }
}
