package io.mainstem.conformance.ecosystem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jms.InvalidSelectorException;
import org.springframework.jms.connection.CachingConnectionFactory;
import org.springframework.jms.connection.JmsTransactionManager;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.jms.listener.DefaultMessageListenerContainer;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring JMS: templates, transactions, listener containers. */
final class SpringJmsTest {
    private static final long WAIT_MS = 60_000;

    private static EmbeddedBroker broker;
    private static CachingConnectionFactory caching;

    @BeforeAll
    static void start() {
        broker = EmbeddedBroker.builder().start();
        caching = new CachingConnectionFactory(factory());
    }

    @AfterAll
    static void stop() {
        caching.destroy();
        broker.close();
    }

    private static MainstemConnectionFactory factory() {
        return new MainstemConnectionFactory(broker.uri().toString());
    }

    private static JmsTemplate template() {
        JmsTemplate template = new JmsTemplate(caching);
        template.setReceiveTimeout(WAIT_MS);
        return template;
    }

    @Test
    @DisplayName("JmsTemplate converts and sends texts, bytes and maps, and receives them")
    void templatesSendAndReceive() {
        JmsTemplate template = template();

        template.convertAndSend("template", "a text");
        template.convertAndSend("template", new byte[] {1, 2});
        template.convertAndSend("template", Map.of("n", 7));

        assertThat(template.receiveAndConvert("template")).isEqualTo("a text");
        assertThat(template.receiveAndConvert("template")).isEqualTo(new byte[] {1, 2});
        assertThat(template.receiveAndConvert("template")).isEqualTo(Map.of("n", 7));
    }

    @Test
    @DisplayName("JmsTemplate with explicit quality of service, post processor and selector")
    void templatesSetQualityOfService() throws JMSException {
        JmsTemplate template = template();
        template.setExplicitQosEnabled(true);
        template.setPriority(8);
        template.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        template.setTimeToLive(60_000);
        template.convertAndSend("qos", "x", message -> {
            message.setStringProperty("region", "eu");
            return message;
        });

        Message received = template.receiveSelected("qos", "region = 'eu'");

        assertThat(received).isNotNull();
        assertThat(received.getJMSPriority()).isEqualTo(8);
        assertThat(received.getJMSDeliveryMode()).isEqualTo(DeliveryMode.NON_PERSISTENT);
        assertThat(received.getJMSExpiration()).isPositive();
        assertThatThrownBy(() -> template.receiveSelected("qos", "region ="))
                .isInstanceOf(InvalidSelectorException.class);
    }

    @Test
    @DisplayName("JmsTemplate.browse looks and leaves; sendAndReceive gets an answer by a temporary queue")
    void templatesBrowseAndAsk() throws JMSException {
        JmsTemplate template = template();
        template.convertAndSend("browsed", "stays");
        List<String> seen = template.browse(
                "browsed",
                (session, browser) ->
                        List.of(((TextMessage) browser.getEnumeration().nextElement()).getText()));
        assertThat(seen).containsExactly("stays");
        assertThat(template.receiveAndConvert("browsed")).isEqualTo("stays");

        DefaultMessageListenerContainer service = container(
                factory(),
                "ask",
                request -> template().send(replyTo(request), session -> session.createTextMessage("answer")));
        Message answer = template.sendAndReceive("ask", session -> session.createTextMessage("question"));
        service.destroy();

        assertThat(answer).isNotNull();
        assertThat(answer.getBody(String.class)).isEqualTo("answer");
    }

    private static Destination replyTo(Message request) {
        try {
            return request.getJMSReplyTo();
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("JmsTransactionManager: what was sent before a rollback is not there")
    void transactionsRollBack() {
        JmsTemplate template = template();
        TransactionTemplate transaction = new TransactionTemplate(new JmsTransactionManager(caching));

        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    template.convertAndSend("transacted", "undone");
                    throw new IllegalArgumentException("on purpose");
                }))
                .hasMessage("on purpose");
        transaction.executeWithoutResult(status -> template.convertAndSend("transacted", "done"));

        assertThat(template.receiveAndConvert("transacted")).isEqualTo("done");
    }

    @ParameterizedTest(name = "cache level {0}")
    @ValueSource(
            ints = {
                DefaultMessageListenerContainer.CACHE_NONE,
                DefaultMessageListenerContainer.CACHE_CONNECTION,
                DefaultMessageListenerContainer.CACHE_SESSION,
                DefaultMessageListenerContainer.CACHE_CONSUMER
            })
    @DisplayName("DefaultMessageListenerContainer delivers every message once, whatever it keeps open")
    void containersDeliverEveryMessage(int cacheLevel) throws InterruptedException {
        String queue = "container" + cacheLevel;
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        ConnectionFactory factory = cacheLevel == DefaultMessageListenerContainer.CACHE_CONSUMER ? factory() : caching;
        DefaultMessageListenerContainer container =
                container(factory, queue, message -> received.add(text(message)), cacheLevel, 2);
        int count = 20;
        for (int i = 0; i < count; i++) {
            template().convertAndSend(queue, "m" + i);
        }

        TreeSet<String> all = new TreeSet<>();
        for (int i = 0; i < count; i++) {
            all.add(String.valueOf(received.poll(WAIT_MS, TimeUnit.MILLISECONDS)));
        }
        container.destroy();

        assertThat(all).hasSize(count).doesNotContain("null");
        assertThat(received).isEmpty();
    }

    @Test
    @DisplayName("A transacted container delivers again what its listener failed on, marked as such")
    void transactedContainersDeliverAgain() throws InterruptedException {
        AtomicInteger attempts = new AtomicInteger();
        BlockingQueue<Integer> counts = new LinkedBlockingQueue<>();
        DefaultMessageListenerContainer container = container(factory(), "failing", message -> {
            counts.add(count(message));
            if (attempts.incrementAndGet() == 1) {
                throw new IllegalStateException("on purpose");
            }
        });
        template().convertAndSend("failing", "x");

        Integer first = counts.poll(WAIT_MS, TimeUnit.MILLISECONDS);
        Integer second = counts.poll(WAIT_MS, TimeUnit.MILLISECONDS);
        container.destroy();

        assertThat(first).isEqualTo(1);
        assertThat(second).isEqualTo(2);
    }

    @Test
    @DisplayName("A durable subscription by a container keeps what comes while it is down")
    void durableContainersKeepMessages() throws InterruptedException {
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        DefaultMessageListenerContainer container = durable(received);
        container.destroy();
        JmsTemplate topic = template();
        topic.setPubSubDomain(true);
        topic.convertAndSend("news", "while away");

        DefaultMessageListenerContainer again = durable(received);
        String kept = received.poll(WAIT_MS, TimeUnit.MILLISECONDS);
        again.destroy();

        assertThat(kept).isEqualTo("while away");
    }

    private static DefaultMessageListenerContainer durable(BlockingQueue<String> received) {
        DefaultMessageListenerContainer container = new DefaultMessageListenerContainer();
        container.setConnectionFactory(factory());
        container.setDestinationName("news");
        container.setPubSubDomain(true);
        container.setSubscriptionDurable(true);
        container.setDurableSubscriptionName("reader");
        container.setClientId("spring");
        container.setMessageListener((MessageListener) message -> received.add(text(message)));
        container.afterPropertiesSet();
        container.start();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(container::isRegisteredWithDestination);
        return container;
    }

    private static DefaultMessageListenerContainer container(
            ConnectionFactory factory, String queue, MessageListener listener) {
        return container(factory, queue, listener, DefaultMessageListenerContainer.CACHE_CONSUMER, 1);
    }

    private static DefaultMessageListenerContainer container(
            ConnectionFactory factory, String queue, MessageListener listener, int cacheLevel, int consumers) {
        DefaultMessageListenerContainer container = new DefaultMessageListenerContainer();
        container.setConnectionFactory(factory);
        container.setDestinationName(queue);
        container.setSessionTransacted(true);
        container.setSessionAcknowledgeMode(Session.SESSION_TRANSACTED);
        container.setCacheLevel(cacheLevel);
        container.setConcurrentConsumers(consumers);
        container.setMessageListener(listener);
        container.afterPropertiesSet();
        container.start();
        return container;
    }

    private static String text(Message message) {
        try {
            return ((TextMessage) message).getText();
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int count(Message message) {
        try {
            return message.getIntProperty("JMSXDeliveryCount");
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }
}
