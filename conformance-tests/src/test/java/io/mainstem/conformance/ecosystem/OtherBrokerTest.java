package io.mainstem.conformance.ecosystem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.jms.MainstemConnectionFactory;
import jakarta.jms.BytesMessage;
import jakarta.jms.DeliveryMode;
import jakarta.jms.InvalidSelectorRuntimeException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.StreamMessage;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptorFactory;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The provider against another AMQP 1.0 broker, ActiveMQ Artemis: the standard parts. */
final class OtherBrokerTest {
    private static final long WAIT_MS = 60_000;
    /** Long enough for a broker on this machine to send what it has. */
    private static final long SOON_MS = 300;

    private static EmbeddedActiveMQ artemis;
    private static MainstemConnectionFactory factory;

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new ConfigurationImpl()
                .setName("artemis")
                .setSecurityEnabled(false)
                .setJMXManagementEnabled(false)
                .setPersistenceEnabled(false);
        configuration.addAcceptorConfiguration(new TransportConfiguration(
                NettyAcceptorFactory.class.getName(),
                Map.of("host", "127.0.0.1", "port", 0, "protocols", "AMQP"),
                "amqp"));
        artemis = new EmbeddedActiveMQ();
        artemis.setConfiguration(configuration);
        artemis.start();
        NettyAcceptor acceptor =
                (NettyAcceptor) artemis.getActiveMQServer().getRemotingService().getAcceptor("amqp");
        factory = new MainstemConnectionFactory("amqp://127.0.0.1:" + acceptor.getActualPort());
        factory.setTrustedPackages(List.of("java.util"));
    }

    @AfterAll
    static void stop() throws Exception {
        artemis.stop();
    }

    @Test
    @DisplayName("All message types go there and come back, with headers and properties")
    void allTypesComeBack() throws JMSException {
        try (JMSContext context = factory.createContext()) {
            Queue queue = context.createQueue("types");
            MapMessage map = context.createMapMessage();
            map.setInt("n", 7);
            map.setBytes("b", new byte[] {1});
            StreamMessage stream = context.createStreamMessage();
            stream.writeLong(8);
            stream.writeString("s");
            BytesMessage bytes = context.createBytesMessage();
            bytes.writeUTF("utf");
            TextMessage text = context.createTextMessage("a text");
            text.setStringProperty("region", "eu");
            text.setBooleanProperty("flag", true);
            text.setStringProperty("JMSXGroupID", "g");
            text.setJMSCorrelationID("c");
            text.setJMSType("t");
            text.setJMSReplyTo(context.createTopic("answers"));
            List<Message> all = List.of(
                    text,
                    bytes,
                    map,
                    stream,
                    context.createObjectMessage(new ArrayList<>(List.of("x"))),
                    context.createMessage());
            all.forEach(message -> context.createProducer()
                    .setPriority(8)
                    .setDeliveryMode(DeliveryMode.NON_PERSISTENT)
                    .setTimeToLive(60_000)
                    .send(queue, message));
            JMSConsumer consumer = context.createConsumer(queue);

            TextMessage first = (TextMessage) consumer.receive(WAIT_MS);
            assertThat(first.getText()).isEqualTo("a text");
            assertThat(first.getStringProperty("region")).isEqualTo("eu");
            assertThat(first.getBooleanProperty("flag")).isTrue();
            assertThat(first.getStringProperty("JMSXGroupID")).isEqualTo("g");
            assertThat(first.getIntProperty("JMSXDeliveryCount")).isEqualTo(1);
            assertThat(first.getJMSMessageID()).isEqualTo(text.getJMSMessageID());
            assertThat(first.getJMSCorrelationID()).isEqualTo("c");
            assertThat(first.getJMSType()).isEqualTo("t");
            assertThat(first.getJMSReplyTo()).isEqualTo(context.createTopic("answers"));
            assertThat(first.getJMSDestination()).isEqualTo(queue);
            assertThat(first.getJMSPriority()).isEqualTo(8);
            assertThat(first.getJMSDeliveryMode()).isEqualTo(DeliveryMode.NON_PERSISTENT);
            assertThat(first.getJMSExpiration()).isEqualTo(text.getJMSExpiration());
            assertThat(((BytesMessage) consumer.receive(WAIT_MS)).readUTF()).isEqualTo("utf");
            MapMessage third = (MapMessage) consumer.receive(WAIT_MS);
            assertThat(third.getInt("n")).isEqualTo(7);
            assertThat(third.getBytes("b")).containsExactly(1);
            StreamMessage fourth = (StreamMessage) consumer.receive(WAIT_MS);
            assertThat(fourth.readLong()).isEqualTo(8);
            assertThat(fourth.readString()).isEqualTo("s");
            assertThat(((ObjectMessage) consumer.receive(WAIT_MS)).getObject()).isEqualTo(List.of("x"));
            assertThat(consumer.receive(WAIT_MS).isBodyAssignableTo(String.class))
                    .isTrue();
        }
    }

    private static List<Object> list(Enumeration<?> messages) {
        return new ArrayList<>(Collections.list(messages));
    }

    @Test
    @DisplayName("Selectors, browsers, order")
    void selectorsAndBrowsers() throws JMSException {
        try (JMSContext context = factory.createContext()) {
            Queue queue = context.createQueue("selected");
            for (int n = 0; n < 5; n++) {
                context.createProducer().setProperty("n", n).send(queue, "m" + n);
            }
            QueueBrowser browser = context.createBrowser(queue);
            assertThat(list(browser.getEnumeration())).hasSize(5);

            JMSConsumer consumer = context.createConsumer(queue, "n > 2");
            assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("m3");
            assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("m4");
            assertThat(consumer.receive(SOON_MS)).isNull();
            assertThatThrownBy(() -> context.createConsumer(queue, "n >"))
                    .isInstanceOf(InvalidSelectorRuntimeException.class);
        }
    }

    @Test
    @DisplayName("Topics; shared and durable subscriptions")
    void topicsAndSubscriptions() {
        try (JMSContext context = factory.createContext()) {
            Topic topic = context.createTopic("news");
            JMSConsumer every = context.createConsumer(topic);
            JMSConsumer shared = context.createSharedConsumer(topic, "group");
            context.createProducer().send(topic, "one");

            assertThat(every.receiveBody(String.class, WAIT_MS)).isEqualTo("one");
            assertThat(shared.receiveBody(String.class, WAIT_MS)).isEqualTo("one");
        }
        try (JMSContext context = factory.createContext()) {
            context.setClientID("reader");
            context.createDurableConsumer(context.createTopic("news"), "durable")
                    .close();
            context.createProducer().send(context.createTopic("news"), "kept");
        }
        try (JMSContext context = factory.createContext()) {
            context.setClientID("reader");
            JMSConsumer durable = context.createDurableConsumer(context.createTopic("news"), "durable");
            assertThat(durable.receiveBody(String.class, WAIT_MS)).isEqualTo("kept");
            durable.close();
            context.unsubscribe("durable");
        }
    }

    @Test
    @DisplayName("Local transactions: rollback undoes sends and gives messages back, marked")
    void transactions() throws JMSException {
        try (JMSContext context = factory.createContext(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createQueue("transacted");
            context.createProducer().send(queue, "undone");
            context.rollback();
            context.createProducer().send(queue, "done");
            context.commit();
            JMSConsumer consumer = context.createConsumer(queue);

            assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("done");
            context.rollback();
            Message again = consumer.receive(WAIT_MS);
            assertThat(again.getBody(String.class)).isEqualTo("done");
            assertThat(again.getJMSRedelivered()).isTrue();
            assertThat(again.getIntProperty("JMSXDeliveryCount")).isEqualTo(2);
            context.commit();
            assertThat(consumer.receive(SOON_MS)).isNull();
        }
    }

    @Test
    @DisplayName("CLIENT_ACKNOWLEDGE: recover gives messages again; acknowledge ends that")
    void clientAcknowledge() throws JMSException {
        try (JMSContext context = factory.createContext(JMSContext.CLIENT_ACKNOWLEDGE)) {
            Queue queue = context.createQueue("acknowledged");
            context.createProducer().send(queue, "x");
            JMSConsumer consumer = context.createConsumer(queue);
            assertThat(consumer.receive(WAIT_MS)).isNotNull();
            context.recover();
            Message again = consumer.receive(WAIT_MS);
            assertThat(again.getJMSRedelivered()).isTrue();
            again.acknowledge();
        }
        try (JMSContext context = factory.createContext()) {
            assertThat(context.createConsumer(context.createQueue("acknowledged"))
                            .receive(SOON_MS))
                    .isNull();
        }
    }

    @Test
    @DisplayName("Request and reply by a temporary queue; delayed delivery")
    void requestsAndDelays() throws JMSException {
        try (JMSContext context = factory.createContext()) {
            TemporaryQueue answers = context.createTemporaryQueue();
            Queue service = context.createQueue("service");
            context.createProducer().setJMSReplyTo(answers).send(service, "question");
            Message request = context.createConsumer(service).receive(WAIT_MS);
            context.createProducer().setDeliveryDelay(200).send(request.getJMSReplyTo(), "answer");

            JMSConsumer consumer = context.createConsumer(answers);
            Message answer = consumer.receive(WAIT_MS);
            assertThat(answer.getBody(String.class)).isEqualTo("answer");
            assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(answer.getJMSDeliveryTime());
            consumer.close();
            answers.delete();
        }
    }
}
