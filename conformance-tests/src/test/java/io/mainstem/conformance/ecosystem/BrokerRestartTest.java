package io.mainstem.conformance.ecosystem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.MessageListener;
import jakarta.jms.TextMessage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.messaginghub.pooled.jms.JmsPoolConnectionFactory;
import org.springframework.jms.listener.DefaultMessageListenerContainer;

/** Containers and pools that recover by themselves find the broker again after its death, without failover in the URI. */
final class BrokerRestartTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private Path data;

    private EmbeddedBroker broker;
    private int port;

    @BeforeEach
    void start() {
        broker = EmbeddedBroker.builder().dataDirectory(data).start();
        port = broker.port();
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private void killAndRestart() {
        broker.crash();
        broker.close();
        broker = EmbeddedBroker.builder()
                .dataDirectory(data)
                .set("amqp.port", Integer.toString(port))
                .start();
    }

    private MainstemConnectionFactory factory() {
        return new MainstemConnectionFactory("amqp://127.0.0.1:" + port);
    }

    private void send(String text) {
        try (JMSContext context = factory().createContext()) {
            context.createProducer().send(context.createQueue("orders"), text);
        }
    }

    @ParameterizedTest(name = "transacted: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("DefaultMessageListenerContainer connects again and goes on")
    void aContainerGoesOn(boolean transacted) {
        Set<String> received = ConcurrentHashMap.newKeySet();
        DefaultMessageListenerContainer container = new DefaultMessageListenerContainer();
        container.setConnectionFactory(factory());
        container.setDestinationName("orders");
        container.setSessionTransacted(transacted);
        container.setRecoveryInterval(50);
        container.setMessageListener((MessageListener) message -> {
            try {
                received.add(((TextMessage) message).getText());
            } catch (JMSException e) {
                throw new IllegalStateException(e);
            }
        });
        container.afterPropertiesSet();
        container.start();
        try {
            send("before");
            await().atMost(LONG).until(() -> received.contains("before"));

            killAndRestart();
            send("after");

            await().atMost(LONG).until(() -> received.contains("after"));
        } finally {
            container.destroy();
        }
    }

    @Test
    @DisplayName("A pool throws away the connections that were lost and lends new ones")
    void aPoolLendsNewConnections() throws JMSException {
        JmsPoolConnectionFactory pool = new JmsPoolConnectionFactory();
        pool.setConnectionFactory(factory());
        pool.start();
        try {
            try (JMSContext context = pool.createContext()) {
                context.createProducer().send(context.createQueue("pooled"), "before");
            }

            killAndRestart();

            await().atMost(LONG)
                    .ignoreExceptionsInstanceOf(JMSRuntimeException.class)
                    .until(() -> {
                        try (JMSContext context = pool.createContext()) {
                            context.createProducer().send(context.createQueue("pooled"), "after");
                        }
                        return true;
                    });
            try (JMSContext context = pool.createContext()) {
                var consumer = context.createConsumer(context.createQueue("pooled"));
                assertThat(consumer.receive(LONG.toMillis()).getBody(String.class))
                        .isEqualTo("before");
                assertThat(consumer.receive(LONG.toMillis()).getBody(String.class))
                        .isEqualTo("after");
            }
        } finally {
            pool.stop();
        }
    }
}
