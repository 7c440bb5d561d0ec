package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import jakarta.jms.Connection;
import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Receiving (Jakarta Messaging 4.1.2, 4.2.2, 4.2.4, 6.2.10, 6.2.11, 6.2.14, 8.5, 8.8). */
final class ReceiveTest {
    private interface Call {
        void run() throws JMSException;
    }

    private static Connection started(JmsClient client) throws JMSException {
        Connection connection = client.factory().createConnection();
        connection.start();
        return connection;
    }

    @AllClients
    @Clause({"8.5", "MessageConsumer.receive"})
    void receiveWaitsAsLongAsItIsTold(JmsClient client) throws Exception {
        try (Connection connection = started(client)) {
            Session session = connection.createSession();
            Session sending = connection.createSession();
            Queue queue = session.createQueue(Names.unique("receive"));
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(consumer.receive(50)).isNull();
            for (Call wait : List.<Call>of(
                    () -> assertThat(consumer.receive()).isNotNull(),
                    () -> assertThat(consumer.receive(0)).isNotNull())) {
                CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
                    try {
                        wait.run();
                    } catch (JMSException e) {
                        throw new java.lang.IllegalStateException(e);
                    }
                });
                assertThat(waiting).isNotDone();
                sending.createProducer(queue).send(sending.createMessage());
                waiting.get(Names.WAIT_MS, TimeUnit.MILLISECONDS);
            }
        }
    }

    @AllClients
    @Clause({"8.8", "MessageConsumer.close"})
    void aListenerMayCloseItsOwnConsumer(JmsClient client) throws Exception {
        try (Connection connection = started(client)) {
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("receive"));
            MessageConsumer consumer = session.createConsumer(queue);
            CompletableFuture<String> ended = new CompletableFuture<>();
            consumer.setMessageListener(message -> {
                try {
                    consumer.close();
                    ended.complete(message.getBody(String.class));
                } catch (JMSException e) {
                    ended.completeExceptionally(e);
                }
            });
            Session sending = connection.createSession();
            sending.createProducer(queue).send(sending.createTextMessage("last"));
            assertThat(ended.get(Names.WAIT_MS, TimeUnit.MILLISECONDS)).isEqualTo("last");
        }
        try (Connection connection = started(client)) {
            Session session = connection.createSession();
            assertThat(session.createConsumer(session.createQueue("other")).receiveNoWait())
                    .isNull();
        }
    }

    @AllClients
    @Clause({"6.2.10", "6.2.11"})
    void whatIsAcknowledgedNeverComesAgain(JmsClient client) throws Exception {
        for (int mode : new int[] {Session.AUTO_ACKNOWLEDGE, Session.DUPS_OK_ACKNOWLEDGE, Session.CLIENT_ACKNOWLEDGE}) {
            String name = Names.unique("receive");
            try (Connection connection = started(client)) {
                Session session = connection.createSession(mode);
                assertThat(session.getAcknowledgeMode()).isEqualTo(mode);
                Queue queue = session.createQueue(name);
                MessageProducer producer = session.createProducer(queue);
                MessageConsumer consumer = session.createConsumer(queue);
                for (int i = 0; i < 5; i++) {
                    producer.send(session.createTextMessage("m" + i));
                }
                for (int i = 0; i < 5; i++) {
                    Message message = consumer.receive(Names.WAIT_MS);
                    assertThat(message.getBody(String.class)).isEqualTo("m" + i);
                    message.acknowledge();
                }
            }
            try (Connection connection = started(client)) {
                Session session = connection.createSession();
                assertThat(session.createConsumer(session.createQueue(name)).receiveNoWait())
                        .isNull();
            }
        }
    }

    @AllClients
    @Clause("6.2.14")
    void listenersOfTwoSessionsRunAtTheSameTime(JmsClient client) throws Exception {
        try (Connection connection = started(client)) {
            CountDownLatch together = new CountDownLatch(2);
            CountDownLatch done = new CountDownLatch(2);
            Session sending = connection.createSession();
            Queue queue = sending.createQueue(Names.unique("receive"));
            for (int i = 0; i < 2; i++) {
                Queue own = sending.createQueue(queue.getQueueName() + i);
                Session session = connection.createSession();
                session.createConsumer(own).setMessageListener(message -> {
                    together.countDown();
                    try {
                        if (together.await(Names.WAIT_MS, TimeUnit.MILLISECONDS)) {
                            done.countDown();
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
                sending.createProducer(own).send(sending.createMessage());
            }
            assertThat(done.await(Names.WAIT_MS, TimeUnit.MILLISECONDS)).isTrue();
        }
    }

    @AllClients
    @Clause({"4.1.2", "4.2.2"})
    void whatASelectorLeavesStaysInAQueueAndNeverEntersASubscription(JmsClient client) throws Exception {
        try (Connection connection = started(client)) {
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("receive"));
            Topic topic = session.createTopic(Names.unique("receive"));
            MessageConsumer chosen = session.createConsumer(queue, "n = 1");
            MessageConsumer one = session.createConsumer(topic, "n = 1");
            MessageConsumer all = session.createConsumer(topic);
            for (int n = 1; n <= 2; n++) {
                Message message = session.createTextMessage("m" + n);
                message.setIntProperty("n", n);
                session.createProducer(queue).send(message);
                session.createProducer(topic).send(message);
            }
            assertThat(QueueTest.bodies(chosen, 1)).containsExactly("m1");
            assertThat(chosen.receiveNoWait()).isNull();
            chosen.close();
            assertThat(QueueTest.bodies(session.createConsumer(queue), 1)).containsExactly("m2");
            assertThat(QueueTest.bodies(one, 1)).containsExactly("m1");
            assertThat(one.receiveNoWait()).isNull();
            assertThat(QueueTest.bodies(all, 2)).containsExactly("m1", "m2");
        }
    }

    @AllClients
    @Clause({"4.2.4", "8.3.4", "Session.unsubscribe"})
    void namesOfSubscriptions(JmsClient client) throws Exception {
        try (Connection connection = started(client)) {
            connection.stop();
            Session session = connection.createSession();
            Topic topic = session.createTopic(Names.unique("receive"));
            for (String name : List.of("a_b.c-d9", "Überfluß", "n".repeat(128))) {
                session.createSharedDurableConsumer(topic, name).close();
                session.unsubscribe(name);
            }
            String name = Names.unique("sub");
            MessageConsumer active = session.createSharedDurableConsumer(topic, name);
            assertThatThrownBy(() -> session.unsubscribe(name)).isInstanceOf(JMSException.class);
            Topic other = session.createTopic(Names.unique("receive"));
            assertThatThrownBy(() -> session.createSharedDurableConsumer(other, name))
                    .isInstanceOf(JMSException.class);
            assertThatThrownBy(() -> session.createSharedDurableConsumer(topic, name, "a = 1"))
                    .isInstanceOf(JMSException.class);
            active.close();
            await().ignoreExceptions().until(() -> {
                session.unsubscribe(name);
                return true;
            });
            assertThatThrownBy(() -> session.unsubscribe(name)).isInstanceOf(InvalidDestinationException.class);
        }
    }

    @AllClients
    @Clause({
        "Session.createConsumer",
        "Session.createBrowser",
        "Session.createDurableConsumer",
        "Session.createSharedConsumer"
    })
    void nullDestinationsAndWrongSelectorsAreRefused(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.setClientID(Names.unique("client"));
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("receive"));
            Topic topic = session.createTopic(Names.unique("receive"));
            for (Call call : List.<Call>of(
                    () -> session.createConsumer(null),
                    () -> session.createConsumer(null, "a = 1"),
                    () -> session.createDurableConsumer(null, "n"),
                    () -> session.createDurableSubscriber(null, "n"),
                    () -> session.createSharedConsumer(null, "n"),
                    () -> session.createSharedDurableConsumer(null, "n"),
                    () -> session.createBrowser(null))) {
                assertThatThrownBy(call::run).isInstanceOf(InvalidDestinationException.class);
            }
            for (Call call : List.<Call>of(
                    () -> session.createConsumer(queue, "a ="),
                    () -> session.createConsumer(topic, "a =", false),
                    () -> session.createDurableConsumer(topic, "n", "a =", false),
                    () -> session.createSharedConsumer(topic, "n", "a ="),
                    () -> session.createSharedDurableConsumer(topic, "n", "a ="),
                    () -> session.createBrowser(queue, "a =").getEnumeration())) {
                assertThatThrownBy(call::run).isInstanceOf(InvalidSelectorException.class);
            }
        }
    }

    @AllClients
    @Clause({"6.1.2", "Session.createDurableConsumer", "8.3.3"})
    void anUnsharedDurableSubscriptionNeedsAClientIdentifier(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            Topic topic = session.createTopic(Names.unique("receive"));
            assertThatThrownBy(() -> session.createDurableConsumer(topic, "n"))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> session.createDurableSubscriber(topic, "n", null, false))
                    .isInstanceOf(IllegalStateException.class);
        }
    }
}
