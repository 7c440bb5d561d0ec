package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.Connection;
import jakarta.jms.IllegalStateException;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageFormatRuntimeException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** When messages are acknowledged, given back, and counted (Jakarta Messaging 6.2.10, 8.4 and 8.7). */
final class AcknowledgeTest {
    private static Queue filled(Session session, int count) throws Exception {
        Queue queue = session.createQueue(Names.unique("ack"));
        MessageProducer producer = session.createProducer(queue);
        for (int i = 0; i < count; i++) {
            producer.send(session.createTextMessage("m" + i));
        }
        producer.close();
        return queue;
    }

    private static String told(Message message) throws Exception {
        return ((TextMessage) message).getText()
                + ' '
                + message.getIntProperty("JMSXDeliveryCount")
                + ' '
                + message.getJMSRedelivered();
    }

    private static List<String> receive(MessageConsumer consumer, int count) throws Exception {
        List<String> told = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Message message = consumer.receive(Names.WAIT_MS);
            assertThat(message).as("message %s of %s", i, count).isNotNull();
            told.add(told(message));
        }
        return told;
    }

    @AllClients
    @Clause({"6.2.10", "Session.recover"})
    void clientAcknowledgeIsForAllThatTheSessionDelivered(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
            Queue queue = filled(session, 3);
            Queue other = filled(session, 1);
            MessageConsumer consumer = session.createConsumer(queue);
            MessageConsumer second = session.createConsumer(other);
            assertThat(receive(second, 1)).containsExactly("m0 1 false");
            assertThat(receive(consumer, 1)).containsExactly("m0 1 false");
            consumer.receive(Names.WAIT_MS).acknowledge();
            session.recover();
            assertThat(receive(consumer, 1)).containsExactly("m2 1 false");
            assertThat(second.receive(Names.SILENCE_MS)).isNull();
            session.close();
            Session next = connection.createSession();
            assertThat(receive(next.createConsumer(queue), 1)).containsExactly("m2 2 true");
        }
    }

    @OurClients
    @Clause({"6.2.10", "Session.recover"})
    void recoverBringsAllBackInOrderAndCountsExactly(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
            MessageConsumer consumer = session.createConsumer(filled(session, 6));
            assertThat(receive(consumer, 3)).containsExactly("m0 1 false", "m1 1 false", "m2 1 false");
            session.recover();
            assertThat(receive(consumer, 4)).containsExactly("m0 2 true", "m1 2 true", "m2 2 true", "m3 1 false");
            session.recover();
            assertThat(receive(consumer, 6))
                    .containsExactly("m0 3 true", "m1 3 true", "m2 3 true", "m3 2 true", "m4 1 false", "m5 1 false");
        }
    }

    @OurClients
    @Clause({"Session.recover"})
    void theCountOutlivesTheSession(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
            Queue queue = filled(session, 1);
            MessageConsumer consumer = session.createConsumer(queue);
            for (int i = 1; i <= 4; i++) {
                assertThat(receive(consumer, 1)).containsExactly("m0 " + i + (i == 1 ? " false" : " true"));
                session.recover();
            }
            session.close();
            MessageConsumer next = connection.createSession().createConsumer(queue);
            assertThat(receive(next, 1)).containsExactly("m0 5 true");
        }
    }

    @OurClients
    @Clause({"Message.acknowledge", "6.2.10"})
    void acknowledgeDoesNothingInAutomaticSessions(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            for (int mode : new int[] {Session.AUTO_ACKNOWLEDGE, Session.DUPS_OK_ACKNOWLEDGE}) {
                Session session = connection.createSession(mode);
                Queue queue = filled(session, 2);
                MessageConsumer consumer = session.createConsumer(queue);
                Message message = consumer.receive(Names.WAIT_MS);
                message.acknowledge();
                session.close();
                assertThatThrownBy(message::acknowledge).isInstanceOf(IllegalStateException.class);
                Session next = connection.createSession();
                assertThat(receive(next.createConsumer(queue), 1)).containsExactly("m1 1 false");
            }
        }
    }

    @OurClients
    @Clause({"6.2.10", "Session.DUPS_OK_ACKNOWLEDGE"})
    void whatIsAcknowledgedLazilyIsAcknowledgedBeforeAnythingIsGivenBack(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession(Session.DUPS_OK_ACKNOWLEDGE);
            Queue queue = filled(session, 9);
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(receive(consumer, 2)).containsExactly("m0 1 false", "m1 1 false");
            session.recover();
            assertThat(receive(consumer, 2)).containsExactly("m2 1 false", "m3 1 false");
            consumer.close();
            assertThat(receive(session.createConsumer(queue), 2)).containsExactly("m4 1 false", "m5 1 false");
            session.close();
            Session next = connection.createSession();
            assertThat(receive(next.createConsumer(queue), 3))
                    .containsExactly("m6 1 false", "m7 1 false", "m8 1 false");
        }
    }

    @AllClients
    @Clause({"Session.commit", "Session.rollback", "Session.recover"})
    void callsThatDoNotFitTheModeAreIllegal(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session automatic = connection.createSession();
            assertThatThrownBy(automatic::commit).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(automatic::rollback).isInstanceOf(IllegalStateException.class);
            Session transacted = connection.createSession(Session.SESSION_TRANSACTED);
            assertThatThrownBy(transacted::recover).isInstanceOf(IllegalStateException.class);
        }
    }

    @OurClients
    @Clause("8.7")
    void aFailingListenerOfAnAutomaticSessionGetsTheMessageAgainAtOnce(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            Queue queue = filled(session, 3);
            List<String> seen = Collections.synchronizedList(new ArrayList<>());
            CountDownLatch done = new CountDownLatch(5);
            session.createConsumer(queue).setMessageListener(message -> {
                try {
                    seen.add(told(message));
                    done.countDown();
                    if (seen.size() <= 2) {
                        throw new java.lang.IllegalStateException("as the test wants");
                    }
                } catch (Exception e) {
                    throw new java.lang.IllegalStateException(e);
                }
            });
            connection.start();
            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(seen).containsExactly("m0 1 false", "m0 2 true", "m0 3 true", "m1 1 false", "m2 1 false");
        }
    }

    @AllClients
    @Clause("8.7")
    void aFailingListenerOfAClientSessionGetsTheNextMessage(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
            Queue queue = filled(session, 2);
            List<String> seen = Collections.synchronizedList(new ArrayList<>());
            CountDownLatch done = new CountDownLatch(2);
            session.createConsumer(queue).setMessageListener(message -> {
                try {
                    seen.add(told(message));
                } catch (Exception e) {
                    seen.add(e.toString());
                }
                done.countDown();
                throw new java.lang.IllegalStateException("as the test wants");
            });
            connection.start();
            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(seen).containsExactly("m0 1 false", "m1 1 false");
        }
    }

    @OurClients
    @Clause({"8.8", "MessageConsumer.close", "6.2.10"})
    void aClosedConsumersMessagesCanStillBeAcknowledged(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
            Queue queue = filled(session, 3);
            MessageConsumer consumer = session.createConsumer(queue);
            Message first = consumer.receive(Names.WAIT_MS);
            consumer.close();
            first.acknowledge();
            session.close();
            assertThat(receive(connection.createSession().createConsumer(queue), 2))
                    .containsExactly("m1 1 false", "m2 1 false");
        }
    }

    @OurClients
    @Clause({"8.6", "JMSConsumer.receiveBody"})
    void aBodyOfAnotherTypeStaysTheNextMessage(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            Queue queue = context.createQueue(Names.unique("body"));
            context.createProducer().send(queue, "text");
            var consumer = context.createConsumer(queue);
            assertThatThrownBy(() -> consumer.receiveBody(byte[].class, Names.WAIT_MS))
                    .isInstanceOf(MessageFormatRuntimeException.class);
            Message message = consumer.receive(Names.WAIT_MS);
            assertThat(told(message)).isEqualTo("text 1 false");
        }
    }
}
