package io.mainstem.jms.message;

import io.mainstem.jms.message.value.MessageErrors;
import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.ObjectMessage;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.io.Serializable;
import java.time.InstantSource;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Messages whose form outside this JVM is AMQP 1.0. Thread: any. */
public final class AmqpMessageFactory implements MessageFactory {
    private final EmptyMessages empty;
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
        this.empty = new EmptyMessages(strictNames, new TrustedClasses(trustedPackages));
        this.encoder = new MessageEncoder(userId);
        this.decoder = new MessageDecoder(empty, clock);
        this.foreignMessages = new ForeignMessages(empty);
    }

    @Override
    public Message createMessage() {
        return empty.message();
    }

    @Override
    public TextMessage createTextMessage(@Nullable String text) {
        JmsTextMessage message = empty.text();
        message.begin(text);
        return message;
    }

    @Override
    public BytesMessage createBytesMessage() {
        return empty.bytes();
    }

    @Override
    public MapMessage createMapMessage() {
        return empty.map();
    }

    @Override
    public StreamMessage createStreamMessage() {
        return empty.stream();
    }

    @Override
    public ObjectMessage createObjectMessage(@Nullable Serializable object) throws JMSException {
        ObjectMessage message = empty.object();
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
    public Message decode(EncodedMessage encoded, DeliveryInfo arrival) throws JMSException {
        return decoder.decode(encoded, arrival);
    }
}
