package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.ExceptionListener;
import jakarta.jms.IllegalStateRuntimeException;
import jakarta.jms.InvalidDestinationRuntimeException;
import jakarta.jms.InvalidSelectorRuntimeException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatRuntimeException;
import jakarta.jms.Queue;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The simplified API (Jakarta Messaging 6.1, 6.2.6, 7.2, 7.5, 7.10, 8.6). */
final class ContextTest {
    @AllClients
    @Clause({"6.1.4", "8.4", "JMSContext.setAutoStart", "JMSContext.start", "JMSContext.stop"})
    void aContextStartsWithItsFirstConsumerUnlessToldOtherwise(JmsClient client) throws Exception {
        try (JMSContext automatic = client.factory().createContext();
                JMSContext manual = client.factory().createContext()) {
            assertThat(automatic.getAutoStart()).isTrue();
            Queue queue = automatic.createQueue(Names.unique("context"));
            automatic.createProducer().send(queue, "one");
            assertThat(automatic.createConsumer(queue).receiveBody(String.class, Names.WAIT_MS))
                    .isEqualTo("one");

            manual.setAutoStart(false);
            assertThat(manual.getAutoStart()).isFalse();
            Queue other = manual.createQueue(Names.unique("context"));
            manual.createProducer().send(other, "two");
            JMSConsumer consumer = manual.createConsumer(other);
            assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
            manual.start();
            assertThat(consumer.receiveBody(String.class, Names.WAIT_MS)).isEqualTo("two");
            manual.stop();
            manual.createProducer().send(other, "three");
            assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
        }
    }

    @AllClients
    @Clause({"6.1.8", "JMSContext.createContext", "JMSContext.close"})
    void contextsShareAConnectionUntilTheLastIsClosed(JmsClient client) throws Exception {
        JMSContext first = client.factory().createContext();
        String id = Names.unique("client");
        first.setClientID(id);
        JMSContext second = first.createContext(JMSContext.CLIENT_ACKNOWLEDGE);
        assertThat(second.getClientID()).isEqualTo(id);
        assertThat(second.getSessionMode()).isEqualTo(JMSContext.CLIENT_ACKNOWLEDGE);
        first.close();
        Queue queue = second.createQueue(Names.unique("context"));
        second.createProducer().send(queue, "still open");
        assertThat(second.createConsumer(queue).receiveBody(String.class, Names.WAIT_MS))
                .isEqualTo("still open");
        second.acknowledge();
        second.close();
        try (JMSContext again = client.factory().createContext()) {
            again.setClientID(id); // Free: the connection is gone.
        }
    }

    @AllClients
    @Clause({"JMSContext.commit", "JMSContext.rollback", "JMSContext.recover", "JMSContext.getTransacted"})
    void callsThatDoNotFitTheMode(JmsClient client) throws Exception {
        try (JMSContext automatic = client.factory().createContext();
                JMSContext transacted = client.factory().createContext(JMSContext.SESSION_TRANSACTED)) {
            assertThat(automatic.getTransacted()).isFalse();
            assertThat(transacted.getTransacted()).isTrue();
            assertThatThrownBy(automatic::commit).isInstanceOf(IllegalStateRuntimeException.class);
            assertThatThrownBy(automatic::rollback).isInstanceOf(IllegalStateRuntimeException.class);
            assertThatThrownBy(transacted::recover).isInstanceOf(IllegalStateRuntimeException.class);
            assertThatThrownBy(() -> automatic.createContext(17)).isInstanceOf(JMSRuntimeException.class);
        }
    }

    @AllClients
    @Clause({"ConnectionFactory.createContext", "6.1"})
    void aModeThatDoesNotExistIsRefused(JmsClient client) throws Exception {
        assertThatThrownBy(() -> client.factory().createContext(17)).isInstanceOf(JMSRuntimeException.class);
        assertThatThrownBy(() -> client.factory().createContext(-1)).isInstanceOf(JMSRuntimeException.class);
    }

    @AllClients
    @Clause({
        "JMSContext.createConsumer",
        "JMSContext.createDurableConsumer",
        "JMSContext.createSharedConsumer",
        "JMSContext.createBrowser"
    })
    void nullDestinationsAndWrongSelectorsAreRefused(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            context.setClientID(Names.unique("client"));
            for (Runnable call : List.<Runnable>of(
                    () -> context.createConsumer(null),
                    () -> context.createDurableConsumer(null, "n"),
                    () -> context.createSharedConsumer(null, "n"),
                    () -> context.createSharedDurableConsumer(null, "n"),
                    () -> context.createBrowser(null),
                    () -> context.createProducer().send((Destination) null, "x"))) {
                assertThatThrownBy(call::run).isInstanceOf(InvalidDestinationRuntimeException.class);
            }
            Queue queue = context.createQueue(Names.unique("context"));
            Topic topic = context.createTopic(Names.unique("context"));
            for (Runnable call : List.<Runnable>of(
                    () -> context.createConsumer(queue, "a ="),
                    () -> context.createDurableConsumer(topic, "n", "a =", false),
                    () -> context.createSharedConsumer(topic, "n", "a ="),
                    () -> context.createSharedDurableConsumer(topic, "n", "a ="))) {
                assertThatThrownBy(call::run).isInstanceOf(InvalidSelectorRuntimeException.class);
            }
        }
    }

    @AllClients
    @Clause({
        "7.10",
        "7.5",
        "7.6",
        "JMSProducer.setProperty",
        "JMSProducer.getPropertyNames",
        "JMSProducer.clearProperties"
    })
    void aProducerIsSetUpInOneChain(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            Queue queue = context.createQueue(Names.unique("context"));
            JMSProducer producer = context.createProducer();
            assertThat(producer.getDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
            assertThat(producer.getPriority()).isEqualTo(Message.DEFAULT_PRIORITY);
            assertThat(producer.getTimeToLive()).isZero();
            assertThat(producer.getDeliveryDelay()).isZero();
            assertThat(producer.getAsync()).isNull();
            producer.setProperty("a", 1)
                    .setProperty("b", "two")
                    .setDeliveryMode(DeliveryMode.NON_PERSISTENT)
                    .setPriority(8)
                    .setTimeToLive(60_000)
                    .setJMSCorrelationID("c")
                    .setJMSType("t")
                    .setJMSReplyTo(queue)
                    .setDisableMessageID(false)
                    .setDisableMessageTimestamp(false)
                    .send(queue, "body");
            assertThat(producer.getPropertyNames()).containsExactlyInAnyOrder("a", "b");
            assertThat(producer.propertyExists("a")).isTrue();
            assertThat(producer.getStringProperty("a")).isEqualTo("1");
            assertThatThrownBy(() -> producer.getBooleanProperty("a"))
                    .isInstanceOf(MessageFormatRuntimeException.class);
            assertThatThrownBy(() -> producer.setProperty("o", List.of()))
                    .isInstanceOf(MessageFormatRuntimeException.class);
            Message received = context.createConsumer(queue).receive(Names.WAIT_MS);
            assertThat(received.getIntProperty("a")).isEqualTo(1);
            assertThat(received.getJMSPriority()).isEqualTo(8);
            assertThat(received.getJMSDeliveryMode()).isEqualTo(DeliveryMode.NON_PERSISTENT);
            assertThat(received.getJMSCorrelationID()).isEqualTo("c");
            assertThat(received.getJMSType()).isEqualTo("t");
            assertThat(received.getJMSReplyTo()).isEqualTo(queue);
            assertThat(producer.clearProperties().getPropertyNames()).isEmpty();
        }
    }

    @AllClients
    @Clause({"7.2", "8.6", "JMSProducer.send", "JMSConsumer.receiveBody", "JMSConsumer.receiveBodyNoWait"})
    void bodiesAreSentAndReceivedWithoutAMessage(JmsClient client) throws Exception {
        String trust = client == JmsClient.QPID ? "jms.deserializationPolicy.allowList=*" : "jms.trustedPackages=*";
        try (JMSContext context = client.factory(trust).createContext()) {
            Queue queue = context.createQueue(Names.unique("context"));
            JMSConsumer consumer = context.createConsumer(queue);
            JMSProducer producer = context.createProducer();
            producer.send(queue, "text");
            assertThat(consumer.receiveBody(String.class, Names.WAIT_MS)).isEqualTo("text");
            producer.send(queue, Map.<String, Object>of("n", 1));
            assertThat((Object) consumer.receiveBody(Map.class, Names.WAIT_MS)).isEqualTo(Map.of("n", 1));
            producer.send(queue, new byte[] {1, 2});
            assertThat(consumer.receiveBody(byte[].class, Names.WAIT_MS)).containsExactly(1, 2);
            producer.send(queue, (Serializable) 5L);
            assertThat(consumer.receiveBody(Serializable.class, Names.WAIT_MS)).isEqualTo(5L);
            producer.send(queue, (String) null);
            assertThat(consumer.receive(Names.WAIT_MS)).isInstanceOf(TextMessage.class);
            assertThat(consumer.receiveBodyNoWait(String.class)).isNull();
        }
    }

    @OurClients
    @Clause("JMSConsumer.receiveBody")
    void receiveBodySaysWhyThereIsNone(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            Queue queue = context.createQueue(Names.unique("body"));
            JMSConsumer consumer = context.createConsumer(queue);
            context.createProducer().send(queue, new java.util.BitSet());
            assertThatThrownBy(() -> consumer.receiveBody(java.util.BitSet.class, Names.WAIT_MS))
                    .isInstanceOf(MessageFormatRuntimeException.class)
                    .hasMessageStartingWith("MS-0759 an ObjectMessage holds class java.util.BitSet")
                    .hasMessageContaining("jms.trustedPackages");
            assertThat(consumer.receive(Names.WAIT_MS))
                    .as("in automatic modes it stays")
                    .isNotNull();
            context.createProducer().send(queue, "text");
            assertThatThrownBy(() -> consumer.receiveBody(Map.class, Names.WAIT_MS))
                    .isInstanceOf(MessageFormatRuntimeException.class)
                    .hasMessageStartingWith("MS-0757 the body of a TextMessage cannot be given as java.util.Map");
            consumer.receive(Names.WAIT_MS);
            context.createProducer().send(queue, context.createMessage());
            assertThatThrownBy(() -> consumer.receiveBody(String.class, Names.WAIT_MS))
                    .isInstanceOf(MessageFormatRuntimeException.class)
                    .hasMessageStartingWith("MS-0711 the message has no body of type java.lang.String");
        }
    }

    @AllClients
    @Clause({"6.1.7", "JMSContext.setExceptionListener", "6.1.6", "JMSContext.getMetaData"})
    void listenersAndMetaData(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            assertThat(context.getExceptionListener()).isNull();
            ExceptionListener listener = failure -> {};
            context.setExceptionListener(listener);
            assertThat(context.getExceptionListener()).isSameAs(listener);
            assertThat(context.getMetaData().getJMSMajorVersion()).isPositive();
        }
    }

    @AllClients
    @Clause("6.2.6")
    void aSecondListenerMayBeSetWhileTheContextRuns(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext();
                JMSContext sender = client.factory().createContext()) {
            Queue one = context.createQueue(Names.unique("context"));
            Queue two = context.createQueue(Names.unique("context"));
            CompletableFuture<Message> first = new CompletableFuture<>();
            CompletableFuture<Message> second = new CompletableFuture<>();
            context.createConsumer(one).setMessageListener(first::complete);
            sender.createProducer().send(one, "1");
            context.createConsumer(two).setMessageListener(second::complete);
            sender.createProducer().send(two, "2");
            assertThat(first.get(Names.WAIT_MS, TimeUnit.MILLISECONDS).getBody(String.class))
                    .isEqualTo("1");
            assertThat(second.get(Names.WAIT_MS, TimeUnit.MILLISECONDS).getBody(String.class))
                    .isEqualTo("2");
        }
    }
}
