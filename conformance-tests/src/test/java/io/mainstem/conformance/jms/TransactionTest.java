package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.Connection;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;

/** Local transactions (Jakarta Messaging 6.2.7). */
final class TransactionTest {
    @AllClients
    @Clause({"6.2.7", "Session.commit"})
    void sentMessagesAreSeenAfterTheCommitAndReceivedOnesAreGone(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession(Session.SESSION_TRANSACTED);
            Queue from = session.createQueue(Names.unique("from"));
            Queue to = session.createQueue(Names.unique("to"));
            MessageProducer producer = session.createProducer(null);
            producer.send(from, session.createTextMessage("work"));
            MessageConsumer watcher = connection.createSession().createConsumer(to);
            MessageConsumer consumer = session.createConsumer(from);
            assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
            session.commit();
            for (int round = 0; round < 5; round++) {
                Message work = consumer.receive(Names.WAIT_MS);
                producer.send(to, work);
                producer.send(from, work);
                assertThat(watcher.receiveNoWait()).isNull();
                session.commit();
                assertThat(watcher.receive(Names.WAIT_MS)).isNotNull();
            }
        }
    }

    @OurClients
    @Clause({"6.2.7", "6.2.10", "Session.rollback"})
    void rollbackUndoesSendsAndBringsBackInOrderAndCounted(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session plain = connection.createSession();
            Queue queue = plain.createQueue(Names.unique("rollback"));
            Queue to = plain.createQueue(Names.unique("to"));
            MessageProducer filling = plain.createProducer(queue);
            for (int i = 0; i < 5; i++) {
                filling.send(plain.createTextMessage("m" + i));
            }
            Session session = connection.createSession(Session.SESSION_TRANSACTED);
            MessageConsumer consumer = session.createConsumer(queue);
            MessageProducer producer = session.createProducer(to);
            for (int round = 1; round <= 3; round++) {
                for (int i = 0; i < 3; i++) {
                    Message message = consumer.receive(Names.WAIT_MS);
                    assertThat(((TextMessage) message).getText()).isEqualTo("m" + i);
                    assertThat(message.getIntProperty("JMSXDeliveryCount")).isEqualTo(round);
                    assertThat(message.getJMSRedelivered()).isEqualTo(round > 1);
                    producer.send(message);
                }
                session.rollback();
            }
            assertThat(QueueTest.bodies(consumer, 5)).containsExactly("m0", "m1", "m2", "m3", "m4");
            session.commit();
            assertThat(plain.createConsumer(to).receive(Names.SILENCE_MS)).isNull();
            assertThat(plain.createConsumer(queue).receive(Names.SILENCE_MS)).isNull();
        }
    }

    @AllClients
    @Clause({"6.1.8", "6.2.15", "8.8", "Session.close", "MessageConsumer.close"})
    void closeOfTheConsumerKeepsTheTransactionCloseOfTheSessionUndoesIt(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session plain = connection.createSession();
            Queue queue = plain.createQueue(Names.unique("close"));
            MessageProducer filling = plain.createProducer(queue);
            filling.send(plain.createTextMessage("one"));
            filling.send(plain.createTextMessage("two"));
            Session session = connection.createSession(Session.SESSION_TRANSACTED);
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(QueueTest.bodies(consumer, 1)).containsExactly("one");
            consumer.close();
            session.commit();
            MessageConsumer second = session.createConsumer(queue);
            assertThat(QueueTest.bodies(second, 1)).containsExactly("two");
            session.close();
            Message again = plain.createConsumer(queue).receive(Names.WAIT_MS);
            assertThat(((TextMessage) again).getText()).isEqualTo("two");
            assertThat(again.getJMSRedelivered()).isTrue();
        }
    }
}
