package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.CompletionListener;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The API documentation of MessageProducer, sentence by sentence. */
final class ProducerApiTest {
    @RegisterExtension
    static final OpenConnections OPEN = new OpenConnections();

    private static final CompletionListener LISTENER = new CompletionListener() {
        @Override
        public void onCompletion(Message message) {
            throw new AssertionError("7.3.4: not called when the send call throws");
        }

        @Override
        public void onException(Message message, Exception failure) {
            throw new AssertionError("7.3.4: not called when the send call throws", failure);
        }
    };

    private static Queue queue(JmsClient client) throws JMSException {
        return OPEN.session(client).createQueue(Names.unique("producer"));
    }

    @AllClients
    @Clause({
        "MessageProducer.getDeliveryMode: PERSISTENT by default",
        "MessageProducer.getPriority: 4 by default",
        "MessageProducer.getTimeToLive: 0 by default",
        "MessageProducer.getDeliveryDelay: 0 by default",
        "MessageProducer.getDisableMessageID: false by default",
        "MessageProducer.getDisableMessageTimestamp: false by default",
        "Message.DEFAULT_DELIVERY_MODE: the default of producers",
        "Message.DEFAULT_PRIORITY: the default of producers",
        "Message.DEFAULT_TIME_TO_LIVE: the default of producers",
        "Message.DEFAULT_DELIVERY_DELAY: the default of producers"
    })
    void defaults(JmsClient client) throws Exception {
        try (MessageProducer producer = OPEN.session(client).createProducer(queue(client))) {
            assertThat(producer.getDeliveryMode())
                    .isEqualTo(DeliveryMode.PERSISTENT)
                    .isEqualTo(Message.DEFAULT_DELIVERY_MODE);
            assertThat(producer.getPriority()).isEqualTo(4).isEqualTo(Message.DEFAULT_PRIORITY);
            assertThat(producer.getTimeToLive()).isZero().isEqualTo(Message.DEFAULT_TIME_TO_LIVE);
            assertThat(producer.getDeliveryDelay()).isZero().isEqualTo(Message.DEFAULT_DELIVERY_DELAY);
            assertThat(producer.getDisableMessageID()).isFalse();
            assertThat(producer.getDisableMessageTimestamp()).isFalse();
        }
    }

    @AllClients
    @Clause({
        "MessageProducer.setDeliveryMode: got as set",
        "MessageProducer.setPriority: got as set, 0 to 9",
        "MessageProducer.setTimeToLive: got as set",
        "MessageProducer.setDeliveryDelay: got as set",
        "MessageProducer.setDisableMessageID: got as set",
        "MessageProducer.setDisableMessageTimestamp: got as set"
    })
    void whatIsSetIsGot(JmsClient client) throws Exception {
        try (MessageProducer producer = OPEN.session(client).createProducer(queue(client))) {
            producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
            assertThat(producer.getDeliveryMode()).isEqualTo(DeliveryMode.NON_PERSISTENT);
            for (int priority = 0; priority <= 9; priority++) {
                producer.setPriority(priority);
                assertThat(producer.getPriority()).isEqualTo(priority);
            }
            producer.setTimeToLive(1);
            assertThat(producer.getTimeToLive()).isEqualTo(1);
            producer.setDeliveryDelay(2);
            assertThat(producer.getDeliveryDelay()).isEqualTo(2);
            producer.setDisableMessageID(true);
            assertThat(producer.getDisableMessageID()).isTrue();
            producer.setDisableMessageTimestamp(true);
            assertThat(producer.getDisableMessageTimestamp()).isTrue();
        }
    }

    @OurClients
    @Clause({
        "MessageProducer.setDeliveryMode: other values are refused",
        "MessageProducer.setPriority: other values are refused",
        "MessageProducer.setTimeToLive: negative values are refused",
        "MessageProducer.setDeliveryDelay: negative values are refused",
        "MessageProducer.send: other delivery modes, priorities and times are refused"
    })
    void valuesOutOfRangeAreRefused(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Message message = session.createMessage();
        try (MessageProducer producer = session.createProducer(queue(client))) {
            Refused.allWith(
                    JMSException.class,
                    () -> producer.setDeliveryMode(0),
                    () -> producer.setDeliveryMode(3),
                    () -> producer.setPriority(-1),
                    () -> producer.setPriority(10),
                    () -> producer.setTimeToLive(-1),
                    () -> producer.setDeliveryDelay(-1),
                    () -> producer.send(message, 3, 4, 0),
                    () -> producer.send(message, DeliveryMode.PERSISTENT, 10, 0),
                    () -> producer.send(message, DeliveryMode.PERSISTENT, 4, -1));
            assertThat(producer.getPriority()).isEqualTo(4);
        }
    }

    @AllClients
    @Clause({
        "MessageProducer.send(Message): UnsupportedOperationException without a destination at creation",
        "MessageProducer.send(Destination, Message): UnsupportedOperationException with a destination at creation",
        "MessageProducer.getDestination: what was given at creation"
    })
    void theFormOfTheCallFitsTheProducer(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Queue queue = queue(client);
        Message message = session.createMessage();
        try (MessageProducer open = session.createProducer(null);
                MessageProducer bound = session.createProducer(queue)) {
            assertThat(open.getDestination()).isNull();
            assertThat(bound.getDestination()).isEqualTo(queue);
            Refused.allWith(
                    UnsupportedOperationException.class,
                    () -> open.send(message),
                    () -> open.send(message, LISTENER),
                    () -> open.send(message, DeliveryMode.PERSISTENT, 4, 0),
                    () -> open.send(message, DeliveryMode.PERSISTENT, 4, 0, LISTENER),
                    () -> bound.send(queue, message),
                    () -> bound.send(queue, message, LISTENER),
                    () -> bound.send(queue, message, DeliveryMode.PERSISTENT, 4, 0),
                    () -> bound.send(queue, message, DeliveryMode.PERSISTENT, 4, 0, LISTENER));
        }
    }

    @AllClients
    @Clause({
        "MessageProducer.send: InvalidDestinationException for a null destination",
        "MessageProducer.send: IllegalArgumentException for a null CompletionListener"
    })
    void destinationAndListenerMustBeGiven(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Queue queue = queue(client);
        Message message = session.createMessage();
        Destination none = null;
        try (MessageProducer open = session.createProducer(null);
                MessageProducer bound = session.createProducer(queue)) {
            Refused.allWith(
                    InvalidDestinationException.class,
                    () -> open.send(none, message),
                    () -> open.send(none, message, LISTENER),
                    () -> open.send(none, message, DeliveryMode.PERSISTENT, 4, 0),
                    () -> open.send(none, message, DeliveryMode.PERSISTENT, 4, 0, LISTENER));
            Refused.allWith(
                    IllegalArgumentException.class,
                    () -> bound.send(message, null),
                    () -> bound.send(message, DeliveryMode.PERSISTENT, 4, 0, null),
                    () -> open.send(queue, message, null),
                    () -> open.send(queue, message, DeliveryMode.PERSISTENT, 4, 0, null));
        }
    }

    @AllClients
    @Clause("MessageProducer.send: MessageFormatException for a null message")
    void theMessageMustBeGiven(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Queue queue = queue(client);
        try (MessageProducer open = session.createProducer(null);
                MessageProducer bound = session.createProducer(queue)) {
            Refused.allWith(
                    MessageFormatException.class,
                    () -> bound.send(null),
                    () -> bound.send(null, LISTENER),
                    () -> bound.send(null, DeliveryMode.PERSISTENT, 4, 0),
                    () -> bound.send(null, DeliveryMode.PERSISTENT, 4, 0, LISTENER),
                    () -> open.send(queue, null),
                    () -> open.send(queue, null, LISTENER),
                    () -> open.send(queue, null, DeliveryMode.PERSISTENT, 4, 0),
                    () -> open.send(queue, null, DeliveryMode.PERSISTENT, 4, 0, LISTENER));
        }
    }

    @AllClients
    @Clause({
        "MessageProducer.send(Destination, Message): by the producer's mode, priority and time to live",
        "MessageProducer.send(Destination, Message, int, int, long): by those of the call"
    })
    void anOpenProducerSendsEverywhere(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Topic topic = session.createTopic(Names.unique("producer"));
        try (MessageProducer producer = session.createProducer(null);
                MessageConsumer subscriber = session.createConsumer(topic)) {
            producer.setPriority(2);
            producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
            for (Destination destination : List.of(queue(client), topic)) {
                producer.send(destination, session.createTextMessage("own"));
                MessageConsumer consumer = destination.equals(topic) ? subscriber : session.createConsumer(destination);
                Message own = consumer.receive(Names.WAIT_MS);
                assertThat(own.getJMSPriority()).isEqualTo(2);
                assertThat(own.getJMSDeliveryMode()).isEqualTo(DeliveryMode.NON_PERSISTENT);
                assertThat(own.getJMSExpiration()).isZero();
                assertThat(own.getJMSDestination()).isEqualTo(destination);
                producer.send(destination, session.createTextMessage("call"), DeliveryMode.PERSISTENT, 7, 60_000);
                Message call = consumer.receive(Names.WAIT_MS);
                assertThat(call.getJMSPriority()).isEqualTo(7);
                assertThat(call.getJMSDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
                assertThat(call.getJMSExpiration()).isEqualTo(call.getJMSTimestamp() + 60_000);
                consumer.close();
            }
        }
    }
}
