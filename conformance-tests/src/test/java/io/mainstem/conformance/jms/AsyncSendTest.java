package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Asynchronous send (Jakarta Messaging 7.3). */
final class AsyncSendTest {
    /** Remembers what it is told. */
    private static final class Recorder implements CompletionListener {
        private final List<String> told = Collections.synchronizedList(new ArrayList<>());
        private final List<Exception> failures = Collections.synchronizedList(new ArrayList<>());
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger most = new AtomicInteger();
        private volatile Thread thread;

        @Override
        public void onCompletion(Message message) {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max);
            thread = Thread.currentThread();
            try {
                told.add(((TextMessage) message).getText());
            } catch (JMSException e) {
                told.add(e.toString());
            }
            inside.decrementAndGet();
        }

        @Override
        public void onException(Message message, Exception exception) {
            failures.add(exception);
        }
    }

    @OurClients
    @Clause({"7.3.1", "7.3.3", "7.3.6", "7.3.8", "7.3.9"})
    void callbacksComeInTheOrderOfTheSendsAndOneAtATime(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("async"));
            MessageProducer producer = session.createProducer(queue);
            Recorder recorder = new Recorder();
            List<String> sent = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                int mode = i % 3 == 0 ? DeliveryMode.NON_PERSISTENT : DeliveryMode.PERSISTENT;
                producer.send(session.createTextMessage("m" + i), mode, 4, 0, recorder);
                sent.add("m" + i);
            }
            producer.close();
            assertThat(recorder.told).isEqualTo(sent);
            assertThat(recorder.most.get()).isEqualTo(1);
            assertThat(recorder.thread).isNotEqualTo(Thread.currentThread());
            assertThat(recorder.failures).isEmpty();
        }
    }

    @OurClients
    @Clause({"7.3.4", "Connection.stop", "JMSContext.stop"})
    void aCompletionListenerMayStopItsConnection(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue(Names.unique("stop")));
            producer.send(session.createTextMessage("x"), stopping(connection::stop));
            assertThat(stopped.get(60, TimeUnit.SECONDS)).isEqualTo("stopped");
        }
        stopped = new CompletableFuture<>();
        try (JMSContext context = client.factory().createContext()) {
            context.createProducer()
                    .setAsync(stopping(context::stop))
                    .send(context.createQueue(Names.unique("stop")), "x");
            assertThat(stopped.get(60, TimeUnit.SECONDS)).isEqualTo("stopped");
        }
    }

    private CompletableFuture<String> stopped = new CompletableFuture<>();

    private interface Stop {
        void run() throws JMSException;
    }

    private CompletionListener stopping(Stop stop) {
        return new CompletionListener() {
            @Override
            public void onCompletion(Message message) {
                try {
                    stop.run();
                    stopped.complete("stopped");
                } catch (JMSException | RuntimeException e) {
                    stopped.complete(e.toString());
                }
            }

            @Override
            public void onException(Message message, Exception exception) {
                stopped.complete(exception.toString());
            }
        };
    }

    @OurClients
    @Clause("7.3.4")
    void closeAndCommitWaitForCallbacks(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession(Session.SESSION_TRANSACTED);
            MessageProducer producer = session.createProducer(session.createQueue(Names.unique("async")));
            Recorder recorder = new Recorder();
            for (int i = 0; i < 50; i++) {
                producer.send(session.createTextMessage("m" + i), recorder);
            }
            session.commit();
            assertThat(recorder.told).hasSize(50);
            producer.send(session.createTextMessage("last"), recorder);
            session.close();
            assertThat(recorder.told).hasSize(51);
        }
    }

    @AllClients
    @Clause("7.3.4")
    void aCallbackMustNotEndWhatItBelongsTo(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession(Session.SESSION_TRANSACTED);
            MessageProducer producer = session.createProducer(session.createQueue(Names.unique("async")));
            CompletableFuture<Throwable> result = new CompletableFuture<>();
            producer.send(session.createTextMessage("x"), new CompletionListener() {
                @Override
                public void onCompletion(Message message) {
                    try {
                        assertThatThrownBy(session::commit).isInstanceOf(IllegalStateException.class);
                        assertThatThrownBy(session::rollback).isInstanceOf(IllegalStateException.class);
                        assertThatThrownBy(session::close).isInstanceOf(IllegalStateException.class);
                        assertThatThrownBy(connection::close).isInstanceOf(IllegalStateException.class);
                        assertThatThrownBy(producer::close).isInstanceOf(IllegalStateException.class);
                        result.complete(null);
                    } catch (Throwable e) {
                        result.complete(e);
                    }
                }

                @Override
                public void onException(Message message, Exception exception) {
                    result.complete(exception);
                }
            });
            assertThat(result.get(60, TimeUnit.SECONDS)).isNull();
        }
    }

    @OurClients
    @Clause("7.3.2")
    void aRefusedMessageIsToldToTheListenerOnly(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            TemporaryQueue gone = session.createTemporaryQueue();
            gone.delete();
            MessageProducer producer = session.createProducer(null);
            Recorder recorder = new Recorder();
            producer.send(gone, session.createTextMessage("lost"), recorder);
            session.close();
            assertThat(recorder.told).isEmpty();
            assertThat(recorder.failures).singleElement().isInstanceOf(InvalidDestinationException.class);
        }
    }

    @AllClients
    @Clause({"7.3", "MessageProducer.send"})
    void aListenerMustBeGiven(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue(Names.unique("async")));
            assertThatThrownBy(() -> producer.send(session.createTextMessage("x"), (CompletionListener) null))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** Qpid JMS may report sends whose answers its close did not wait for. */
    @OurClients
    @Clause({"7.3.4", "Session.close", "Connection.close", "MessageProducer.close"})
    void closeWaitsForTheAnswersToSendsThatNobodyWaitsFor(JmsClient client) throws Exception {
        for (int what = 0; what < 3; what++) {
            List<Exception> reported = Collections.synchronizedList(new ArrayList<>());
            String name = Names.unique("unanswered");
            try (Connection connection = client.factory().createConnection()) {
                connection.setExceptionListener(reported::add);
                Session session = connection.createSession();
                MessageProducer producer = session.createProducer(session.createQueue(name));
                producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
                for (int i = 0; i < 2000; i++) {
                    producer.send(session.createTextMessage("m" + i));
                }
                AutoCloseable closed = what == 0 ? producer : what == 1 ? session : connection;
                closed.close();
            }
            assertThat(reported).isEmpty();
            try (JMSContext context = client.factory().createContext()) {
                JMSConsumer consumer = context.createConsumer(context.createQueue(name));
                for (int i = 0; i < 2000; i++) {
                    assertThat(consumer.receiveBody(String.class, Names.WAIT_MS))
                            .isEqualTo("m" + i);
                }
                assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
            }
        }
    }
}
