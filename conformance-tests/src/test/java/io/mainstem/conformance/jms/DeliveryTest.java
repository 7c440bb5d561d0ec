package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What comes to a consumer and what does not, and how much of it at a time. */
final class DeliveryTest {
    @OurClients
    @Clause({"6.2.10", "8.7"})
    void anErrorInAListenerDoesNotEndTheSession(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("error"));
            MessageProducer producer = session.createProducer(queue);
            AtomicInteger calls = new AtomicInteger();
            CountDownLatch done = new CountDownLatch(3);
            session.createConsumer(queue).setMessageListener(message -> {
                if (calls.incrementAndGet() == 1) {
                    throw new NoClassDefFoundError("a class of the application");
                }
                done.countDown();
            });
            for (int i = 0; i < 3; i++) {
                producer.send(session.createTextMessage("m" + i));
            }
            connection.start();
            assertThat(done.await(Names.WAIT_MS, TimeUnit.MILLISECONDS)).isTrue();
        }
    }

    @OurClients
    @Clause("MessageConsumer")
    void theFirstPrefetchDoesNotExceedItsBytesByFar(JmsClient client) throws Exception {
        try (JMSContext one = client.factory("jms.prefetchBytes=1000000").createContext();
                JMSContext two = client.factory().createContext()) {
            Queue queue = one.createQueue(Names.unique("bytes"));
            byte[] body = new byte[200_000];
            for (int i = 0; i < 60; i++) {
                one.createProducer().send(queue, body);
            }
            JMSConsumer holding = one.createConsumer(queue);
            assertThat(holding.receive(Names.WAIT_MS)).isNotNull();
            JMSConsumer other = two.createConsumer(queue);
            int left = 60 - 1 - 16;
            for (int i = 0; i < left; i++) {
                assertThat(other.receive(Names.WAIT_MS)).as("message %d", i).isNotNull();
            }
            // The rest is wherever it is.
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Names.WAIT_MS);
            int rest = 0;
            while (left + rest < 59 && System.nanoTime() < end) {
                rest += other.receive(20) == null ? 0 : 1;
                rest += holding.receive(20) == null ? 0 : 1;
            }
            assertThat(left + rest).isEqualTo(59);
            assertThat(other.receive(Names.SILENCE_MS)).isNull();
            assertThat(holding.receive(Names.SILENCE_MS)).isNull();
        }
    }

    @OurClients
    @Clause({"6.2.7", "6.2.9"})
    void aLargeMessageUnderWayDoesNotOvertakeWhatARollbackBringsBack(JmsClient client) throws Exception {
        try (Connection connection = client.factory("jms.prefetchPolicy.all=2").createConnection()) {
            Session session = connection.createSession(Session.SESSION_TRANSACTED);
            Queue queue = session.createQueue(Names.unique("large"));
            MessageProducer producer = session.createProducer(queue);
            producer.send(session.createTextMessage("small"));
            BytesMessage large = session.createBytesMessage();
            byte[] body = new byte[12 << 20];
            body[body.length - 1] = 7;
            large.writeBytes(body);
            producer.send(large);
            session.commit();
            MessageConsumer consumer = session.createConsumer(queue);
            connection.start();
            assertThat(consumer.receive(Names.WAIT_MS).getBody(String.class)).isEqualTo("small");
            session.rollback();
            assertThat(consumer.receive(Names.WAIT_MS).getBody(String.class)).isEqualTo("small");
            assertThat(consumer.receive(Names.WAIT_MS).getBody(byte[].class)).isEqualTo(body);
            session.commit();
        }
    }

    @OurClients
    @Clause("8.7")
    void aMessageThatCameTooOftenIsRejected(JmsClient client) throws Exception {
        try (JMSContext context = client.factory("jms.redeliveriesMax=1").createContext(JMSContext.CLIENT_ACKNOWLEDGE);
                JMSContext patient = client.factory().createContext()) {
            Queue queue = context.createQueue(Names.unique("often"));
            context.createProducer().send(queue, "poison").send(queue, "next");
            JMSConsumer consumer = context.createConsumer(queue);
            for (int count = 1; count <= 2; count++) {
                assertThat(consumer.receive(Names.WAIT_MS).getIntProperty("JMSXDeliveryCount"))
                        .isEqualTo(count);
                context.recover();
            }
            assertThat(consumer.receiveBody(String.class, Names.WAIT_MS)).isEqualTo("next");
            context.acknowledge();
            consumer.close();
            assertThat(patient.createConsumer(queue).receive(Names.SILENCE_MS)).isNull();
        }
    }

    @AllClients
    @Clause("3.8.1.2")
    void aMissingPropertyIsNeitherTrueNorFalseToASelector(JmsClient client) throws Exception {
        for (String selector : List.of(
                "x <> 1",
                "NOT (x = 1)",
                "x NOT IN ('a')",
                "x NOT LIKE 'a%'",
                "x NOT BETWEEN 1 AND 2",
                "x + 1 > 0",
                "x = 1 AND y = 2",
                "x",
                "NOT x")) {
            assertThat(chosen(client, selector)).as(selector).isEmpty();
        }
        for (String selector :
                List.of("x IS NULL", "x = 1 OR y = 2", "NOT (x = 1 AND y = 3)", "x IS NOT NULL OR y = 2")) {
            assertThat(chosen(client, selector)).as(selector).containsExactly("sent");
        }
    }

    private static List<String> chosen(JmsClient client, String selector) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            Queue queue = context.createQueue(Names.unique("null"));
            context.createProducer().setProperty("y", 2).send(queue, "sent");
            List<String> chosen = new ArrayList<>();
            JMSConsumer consumer = context.createConsumer(queue, selector);
            for (String body = consumer.receiveBodyNoWait(String.class);
                    body != null;
                    body = consumer.receiveBodyNoWait(String.class)) {
                chosen.add(body);
            }
            return chosen;
        }
    }

    @OurClients
    @Clause("MessageProducer.send")
    void aTopicNameWithAWildcardIsNoPlaceToSendTo(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            for (String name : List.of("news.*", "news.#", "*.today")) {
                Topic topic = session.createTopic(name);
                assertThatThrownBy(() -> session.createProducer(topic).send(session.createTextMessage("x")))
                        .as(name)
                        .isInstanceOf(InvalidDestinationException.class);
                assertThatThrownBy(() -> session.createProducer(null).send(topic, session.createTextMessage("x")))
                        .as(name)
                        .isInstanceOf(InvalidDestinationException.class);
                session.createConsumer(topic).close();
            }
        }
    }
}
