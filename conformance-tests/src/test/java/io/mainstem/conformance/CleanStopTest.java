package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.jms.CompletionListener;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** SIGTERM while clients publish. */
@Timeout(300)
final class CleanStopTest {
    private static final String QUEUE = "clean-stop";
    private static final int CONFIRMED_BEFORE_STOP = 200;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    @Test
    void whatIsUnderWayIsConfirmedBeforeConnectionsCloseAndNothingElseIsKept() {
        SharedBroker.assumeOurs();
        try (BrokerProcess broker = BrokerProcess.start(folder.resolve("data"))) {
            Publisher publisher = new Publisher(broker.address());
            await("publishing").atMost(PATIENCE).until(() -> publisher.confirmed.size() >= CONFIRMED_BEFORE_STOP);

            assertThat(broker.terminate()).as(broker.output()).isZero();
            publisher.end();
            broker.restart();

            assertThat(drain(broker.address())).isEqualTo(publisher.confirmed);
        }
    }

    private static Set<Integer> drain(BrokerAddress broker) {
        Set<Integer> kept = new TreeSet<>();
        try (JMSContext context = Jms.context(broker)) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(QUEUE));
            String body = consumer.receiveBody(String.class, Jms.RECEIVE_MS);
            while (body != null) {
                kept.add(Integer.valueOf(body));
                body = consumer.receiveBodyNoWait(String.class);
            }
        }
        return kept;
    }

    /** Sends durable messages without waiting for each, until its connection breaks. */
    private static final class Publisher implements CompletionListener {
        private final Set<Integer> confirmed = new ConcurrentSkipListSet<>();
        private final AtomicBoolean broken = new AtomicBoolean();
        private final Thread thread;

        Publisher(BrokerAddress broker) {
            thread = new Thread(() -> publish(broker), "publisher");
            thread.start();
        }

        private void publish(BrokerAddress broker) {
            try (JMSContext context = Jms.context(broker)) {
                JMSProducer producer = context.createProducer().setAsync(this);
                for (int number = 0; !broken.get(); number++) {
                    producer.send(context.createQueue(QUEUE), String.valueOf(number));
                }
            } catch (JMSRuntimeException e) {
                broken.set(true);
            }
        }

        /** The client has heard everything that it will hear. */
        void end() {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void onCompletion(Message message) {
            try {
                confirmed.add(Integer.valueOf(message.getBody(String.class)));
            } catch (JMSException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void onException(Message message, Exception exception) {
            broken.set(true);
        }
    }
}
