package io.mainstem.jms.message;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.destination.MainstemQueue;
import io.mainstem.jms.message.section.GrowingBuffer;
import io.mainstem.jms.message.section.SectionCodec;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import org.apache.qpid.proton.amqp.messaging.Section;

/** Messages as a sender makes them and a receiver gets them, without a connection between. */
final class Exchange {
    static final MainstemDestination QUEUE = new MainstemQueue("orders");
    static final long NOW_MS = 1_700_000_000_000L;

    static final InstantSource CLOCK = () -> Instant.ofEpochMilli(NOW_MS);
    static final AmqpMessageFactory FACTORY = new AmqpMessageFactory(true, Set.of(), null, CLOCK);

    private Exchange() {}

    static SendHeaders headers() {
        return new SendHeaders(QUEUE, DeliveryMode.PERSISTENT, 4, NOW_MS, "ID:1", 0, 0, NOW_MS, false, null);
    }

    static DeliveryInfo arrival() {
        return arrival(1);
    }

    static DeliveryInfo arrival(int count) {
        return new DeliveryInfo(QUEUE, count, count > 1, () -> {});
    }

    static EncodedMessage sent(Message message) throws JMSException {
        return FACTORY.freeze(message, headers());
    }

    static Message received(EncodedMessage encoded) throws JMSException {
        return FACTORY.decode(encoded, arrival());
    }

    /** Sent and received. */
    @SuppressWarnings("unchecked")
    static <M extends Message> M passed(M message) throws JMSException {
        return (M) received(sent(message));
    }

    /** Names of properties or map items, which the API gives without their type. */
    static List<String> list(Enumeration<?> names) {
        return Collections.list(names).stream().map(String.class::cast).toList();
    }

    /** What a sender of another kind wrote. */
    static EncodedMessage encoded(Section... sections) {
        GrowingBuffer target = new GrowingBuffer(64);
        SectionCodec.write(target, sections);
        return encoded(target.finished());
    }

    static EncodedMessage encoded(ByteBuffer sections) {
        return new EncodedMessage(true, 4, 0, sections);
    }
}
