package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.jms.Topic;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.proton.Proton;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.apache.qpid.proton.engine.Receiver;
import org.apache.qpid.proton.engine.Sender;
import org.apache.qpid.proton.engine.Session;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Delivery delay of JMS, and the annotations behind it [mapping 3.2]. */
@WithBroker
final class DelayedDeliveryTest {
    private static final long DELAY_MS = 2000;

    private final BrokerAddress broker;

    DelayedDeliveryTest(BrokerAddress broker) {
        this.broker = broker;
    }

    @Test
    @DisplayName("[J-1] setDeliveryDelay: not before, then at once; others overtake it")
    void aQueueGetsItNotBeforeItsTime() throws JMSException {
        try (JMSContext context = Jms.context(broker)) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            JMSConsumer consumer = context.createConsumer(queue);
            long sent = System.currentTimeMillis();
            context.createProducer().setDeliveryDelay(DELAY_MS).send(queue, "later");
            context.createProducer().send(queue, "now");

            assertThat(Jms.receiveBodies(consumer, 1)).containsExactly("now");
            Message later = consumer.receive(Jms.RECEIVE_MS);
            assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(sent + DELAY_MS);
            assertThat(later.getBody(String.class)).isEqualTo("later");
            assertThat(later.getJMSDeliveryTime()).isGreaterThanOrEqualTo(sent + DELAY_MS);
            assertThat(later.getJMSRedelivered()).isFalse();
        }
    }

    @Test
    @DisplayName("a topic's delayed message goes to who subscribed before it was sent (Jakarta Messaging 7.9)")
    void aTopicsSubscribersOfTheTimeOfSendingGetIt() {
        try (JMSContext context = Jms.context(broker)) {
            Topic topic = context.createTopic(Jms.uniqueName("topic"));
            JMSConsumer early = context.createConsumer(topic);
            JMSProducer producer = context.createProducer();
            producer.setDeliveryDelay(DELAY_MS).send(topic, "delayed");
            JMSConsumer late = context.createConsumer(topic);

            assertThat(Jms.receiveBodies(early, 1)).containsExactly("delayed");
            assertThat(late.receiveNoWait()).isNull();
        }
    }

    @Test
    void aNonPersistentMessageIsDelayedToo() {
        try (JMSContext context = Jms.context(broker)) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            JMSConsumer consumer = context.createConsumer(queue);
            long sent = System.currentTimeMillis();
            context.createProducer()
                    .setDeliveryMode(jakarta.jms.DeliveryMode.NON_PERSISTENT)
                    .setDeliveryDelay(DELAY_MS)
                    .send(queue, "light");

            assertThat(Jms.receiveBodies(consumer, 1)).containsExactly("light");
            assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(sent + DELAY_MS);
        }
    }

    @Test
    @DisplayName("[mapping 3.2] x-opt-delivery-time as timestamp or long, x-opt-delivery-delay as any whole number")
    void allFormsOfTheAnnotationsDelay() throws IOException {
        long at = System.currentTimeMillis() + DELAY_MS;
        for (Map<Symbol, Object> annotation : Arrays.<Map<Symbol, Object>>asList(
                Map.of(Symbol.valueOf("x-opt-delivery-time"), Date.from(Instant.ofEpochMilli(at))),
                Map.of(Symbol.valueOf("x-opt-delivery-time"), at),
                Map.of(Symbol.valueOf("x-opt-delivery-delay"), UnsignedInteger.valueOf(DELAY_MS)),
                Map.of(Symbol.valueOf("x-opt-delivery-delay"), (int) DELAY_MS))) {
            try (AmqpPeer peer = new AmqpPeer(broker)) {
                String queue = Jms.uniqueName("queue");
                Session session = peer.session();
                Sender sender = peer.sender(session, queue);
                Receiver receiver = peer.receiver(session, queue, 1);
                peer.pumpUntil("credit", () -> sender.getCredit() > 0);
                AmqpPeer.send(sender, 0, encode(annotation));

                peer.await(receiver);

                assertThat(System.currentTimeMillis()).as("%s", annotation).isGreaterThanOrEqualTo(at);
            }
        }
    }

    @Test
    @DisplayName("a delivery time that is none detaches with amqp:invalid-field, and its own link only")
    void anInvalidTimeIsRefused() throws IOException {
        try (AmqpPeer peer = new AmqpPeer(broker)) {
            String queue = Jms.uniqueName("queue");
            Session session = peer.session();
            Sender wrong = peer.sender(session, queue);
            Sender other = peer.sender(session, queue);
            peer.pumpUntil("credit", () -> wrong.getCredit() > 0 && other.getCredit() > 0);

            AmqpPeer.send(wrong, 0, encode(Map.of(Symbol.valueOf("x-opt-delivery-time"), "tomorrow")));
            peer.pumpUntil("detach", () -> wrong.getRemoteCondition().getCondition() != null);

            assertThat((Object) wrong.getRemoteCondition().getCondition()).hasToString("amqp:invalid-field");
            assertThat(wrong.getRemoteCondition().getDescription()).contains("MS-0590", "tomorrow", "fix:");
            AmqpPeer.send(other, 1, encode(Map.of()));
            peer.await(peer.receiver(session, queue, 1));
        }
    }

    static byte[] encode(Map<Symbol, Object> annotations) {
        org.apache.qpid.proton.message.Message message = Proton.message();
        message.setDurable(true);
        message.setMessageAnnotations(new MessageAnnotations(new HashMap<>(annotations)));
        message.setBody(new AmqpValue("body"));
        byte[] buffer = new byte[512];
        return Arrays.copyOf(buffer, message.encode(buffer, 0, buffer.length));
    }
}
