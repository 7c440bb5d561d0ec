package io.mainstem.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.jms.message.AmqpMessageFactory;
import io.mainstem.jms.metrics.ClientCounters;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Clock;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a listener finds on the thread that calls it. */
final class ListenerThreadTest {
    private final ScriptedBroker broker = new ScriptedBroker();

    @Test
    @DisplayName("A listener has the context class loader of who has set it, also when sessions share a thread")
    void theContextClassLoader() throws Exception {
        BlockingQueue<ClassLoader> seen = new LinkedBlockingQueue<>();
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (Connection connection = new MainstemConnection(
                        ScriptedBroker.options("amqp://test"),
                        broker,
                        new AmqpMessageFactory(true, Set.of(), null, Clock.systemUTC()),
                        new ClientCounters());
                URLClassLoader first = new URLClassLoader(new URL[0], before);
                URLClassLoader second = new URLClassLoader(new URL[0], before)) {
            connection.start();
            for (ClassLoader application : new ClassLoader[] {first, second}) {
                listenAs(application, connection, seen);

                broker.deliver();

                assertThat(seen.poll(60, TimeUnit.SECONDS)).isSameAs(application);
            }
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static void listenAs(ClassLoader application, Connection connection, BlockingQueue<ClassLoader> seen)
            throws JMSException {
        Thread.currentThread().setContextClassLoader(application);
        Session session = connection.createSession(Session.AUTO_ACKNOWLEDGE);
        session.createConsumer(session.createQueue("orders"))
                .setMessageListener(message -> seen.add(Thread.currentThread().getContextClassLoader()));
    }
}
