package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.CompletionListener;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationRuntimeException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatRuntimeException;
import jakarta.jms.MessageNotWriteableRuntimeException;
import jakarta.jms.Queue;
import jakarta.jms.TextMessage;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The API documentation of JMSProducer, sentence by sentence. */
final class JmsProducerApiTest {
    @RegisterExtension
    static final OpenConnections OPEN = new OpenConnections();

    private static Queue queue(JmsClient client) {
        return OPEN.context(client).createQueue(Names.unique("producer"));
    }

    private static Message received(JmsClient client, Queue queue) {
        try (JMSConsumer consumer = OPEN.context(client).createConsumer(queue)) {
            return consumer.receive(Names.WAIT_MS);
        }
    }

    @AllClients
    @Clause({
        "JMSProducer.getDeliveryMode: PERSISTENT by default",
        "JMSProducer.getPriority: 4 by default",
        "JMSProducer.getTimeToLive: 0 by default",
        "JMSProducer.getDeliveryDelay: 0 by default",
        "JMSProducer.getDisableMessageID: false by default",
        "JMSProducer.getDisableMessageTimestamp: false by default",
        "JMSProducer.getAsync: null by default",
        "JMSProducer.getJMSCorrelationID: null by default",
        "JMSProducer.getJMSType: null by default",
        "JMSProducer.getJMSReplyTo: null by default"
    })
    void defaults(JmsClient client) {
        JMSProducer producer = OPEN.context(client).createProducer();
        assertThat(producer.getDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
        assertThat(producer.getPriority()).isEqualTo(4);
        assertThat(producer.getTimeToLive()).isZero();
        assertThat(producer.getDeliveryDelay()).isZero();
        assertThat(producer.getDisableMessageID()).isFalse();
        assertThat(producer.getDisableMessageTimestamp()).isFalse();
        assertThat(producer.getAsync()).isNull();
        assertThat(producer.getJMSCorrelationID()).isNull();
        assertThat(producer.getJMSType()).isNull();
        assertThat(producer.getJMSReplyTo()).isNull();
        assertThat(producer.getPropertyNames()).isEmpty();
    }

    @AllClients
    @Clause("JMSProducer: every setter and every send returns this JMSProducer")
    void callsAreChained(JmsClient client) {
        JMSProducer producer = OPEN.context(client).createProducer();
        Queue queue = queue(client);
        for (JMSProducer returned : List.of(
                producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT),
                producer.setPriority(1),
                producer.setTimeToLive(60_000),
                producer.setDeliveryDelay(0),
                producer.setDisableMessageID(false),
                producer.setDisableMessageTimestamp(false),
                producer.setAsync(null),
                producer.setProperty("a", true),
                producer.setProperty("a", (byte) 1),
                producer.setProperty("a", (short) 1),
                producer.setProperty("a", 1),
                producer.setProperty("a", 1L),
                producer.setProperty("a", 1f),
                producer.setProperty("a", 1d),
                producer.setProperty("a", "1"),
                producer.setProperty("a", (Object) 1),
                producer.clearProperties(),
                producer.setJMSCorrelationID("c"),
                producer.setJMSCorrelationIDAsBytes(new byte[] {1}),
                producer.setJMSType("t"),
                producer.setJMSReplyTo(queue),
                producer.send(queue, "text"),
                producer.send(queue, new byte[1]),
                producer.send(queue, Map.of()),
                producer.send(queue, (Serializable) 1),
                producer.send(queue, OPEN.context(client).createMessage()))) {
            assertThat(returned).isSameAs(producer);
        }
    }

    private static ThrowingCallable[] setters(JMSProducer producer, String name) {
        return new ThrowingCallable[] {
            () -> producer.setProperty(name, true),
            () -> producer.setProperty(name, (byte) 1),
            () -> producer.setProperty(name, (short) 1),
            () -> producer.setProperty(name, 1),
            () -> producer.setProperty(name, 1L),
            () -> producer.setProperty(name, 1f),
            () -> producer.setProperty(name, 1d),
            () -> producer.setProperty(name, "1"),
            () -> producer.setProperty(name, (Object) 1)
        };
    }

    @AllClients
    @Clause({
        "JMSProducer.setProperty: IllegalArgumentException if the name is null or an empty string",
        "JMSProducer.setProperty: MessageFormatRuntimeException if the object is invalid"
    })
    void propertiesHaveNamesAndTypes(JmsClient client) {
        JMSProducer producer = OPEN.context(client).createProducer();
        Refused.allWith(IllegalArgumentException.class, setters(producer, null));
        Refused.allWith(IllegalArgumentException.class, setters(producer, ""));
        Refused.allWith(
                MessageFormatRuntimeException.class,
                () -> producer.setProperty("a", List.of()),
                () -> producer.setProperty("a", new byte[1]));
        assertThat(producer.getPropertyNames()).isEmpty();
    }

    @AllClients
    @Clause({
        "JMSProducer.getXProperty: converted to the type",
        "JMSProducer.getXProperty: MessageFormatRuntimeException if the conversion is invalid",
        "JMSProducer.getObjectProperty: in objectified format",
        "JMSProducer.getStringProperty: null if there is no property by this name",
        "JMSProducer.getObjectProperty: null if there is no property by this name",
        "JMSProducer.propertyExists: whether it has been set"
    })
    void propertiesAreConverted(JmsClient client) {
        JMSProducer producer = OPEN.context(client).createProducer();
        producer.setProperty("i", 7).setProperty("z", true);
        assertThat(producer.getIntProperty("i")).isEqualTo(7);
        assertThat(producer.getLongProperty("i")).isEqualTo(7);
        assertThat(producer.getStringProperty("i")).isEqualTo("7");
        assertThat(producer.getObjectProperty("i")).isEqualTo(7);
        assertThat(producer.getBooleanProperty("z")).isTrue();
        Refused.allWith(
                MessageFormatRuntimeException.class,
                () -> producer.getBooleanProperty("i"),
                () -> producer.getByteProperty("i"),
                () -> producer.getShortProperty("i"),
                () -> producer.getFloatProperty("i"),
                () -> producer.getDoubleProperty("i"),
                () -> producer.getIntProperty("z"),
                () -> producer.getLongProperty("z"));
        assertThat(producer.getStringProperty("missing")).isNull();
        assertThat(producer.getObjectProperty("missing")).isNull();
        assertThat(producer.propertyExists("i")).isTrue();
        assertThat(producer.propertyExists("missing")).isFalse();
    }

    @OurClients
    @Clause({
        "JMSProducer.getPropertyNames: cannot be modified, UnsupportedOperationException",
        "JMSProducer.clearProperties: no property is left"
    })
    void namesAreReadOnly(JmsClient client) {
        JMSProducer producer = OPEN.context(client).createProducer();
        producer.setProperty("a", 1);
        Set<String> names = producer.getPropertyNames();
        Refused.allWith(UnsupportedOperationException.class, () -> names.add("b"), () -> names.remove("a"), () -> {
            var iterator = names.iterator();
            iterator.next();
            iterator.remove();
        });
        assertThat(names).containsExactly("a");
        producer.clearProperties();
        assertThat(producer.propertyExists("a")).isFalse();
        assertThat(producer.getPropertyNames()).isEmpty();
    }

    @OurClients
    @Clause("JMSProducer.getPropertyNames: a view that shows later changes")
    void namesAreAView(JmsClient client) {
        JMSProducer producer = OPEN.context(client).createProducer();
        Set<String> names = producer.getPropertyNames();
        producer.setProperty("a", 1);
        assertThat(names).containsExactly("a");
        producer.clearProperties();
        assertThat(names).isEmpty();
    }

    @AllClients
    @Clause({
        "JMSProducer.setProperty: replaces the message's property of the same name",
        "JMSProducer.setJMSCorrelationID: overrides the message's",
        "JMSProducer.setJMSType: overrides the message's",
        "JMSProducer.setJMSReplyTo: overrides the message's",
        "JMSProducer: priority, delivery mode and time to live override the message's"
    })
    void whatIsSetOverridesTheMessage(JmsClient client) throws Exception {
        JMSContext context = OPEN.context(client);
        Queue queue = queue(client);
        Message message = context.createMessage();
        message.setStringProperty("a", "message");
        message.setStringProperty("b", "message");
        message.setJMSCorrelationID("message");
        message.setJMSType("message");
        message.setJMSReplyTo(context.createQueue("message"));
        message.setJMSPriority(9);
        message.setJMSDeliveryMode(DeliveryMode.NON_PERSISTENT);
        message.setJMSExpiration(1);
        context.createProducer()
                .setProperty("a", "producer")
                .setJMSCorrelationID("producer")
                .setJMSType("producer")
                .setJMSReplyTo(queue)
                .setPriority(3)
                .send(queue, message);
        Message received = received(client, queue);
        assertThat(received.getStringProperty("a")).isEqualTo("producer");
        assertThat(received.getStringProperty("b")).isEqualTo("message");
        assertThat(received.getJMSCorrelationID()).isEqualTo("producer");
        assertThat(received.getJMSType()).isEqualTo("producer");
        assertThat(received.getJMSReplyTo()).isEqualTo(queue);
        assertThat(received.getJMSPriority()).isEqualTo(3);
        assertThat(received.getJMSDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
        assertThat(received.getJMSExpiration()).isZero();
    }

    @OurClients
    @Clause({
        "JMSProducer.setJMSCorrelationIDAsBytes: the array is copied",
        "JMSProducer.getJMSCorrelationIDAsBytes: as set",
        "JMSProducer.getJMSCorrelationID: as set",
        "JMSProducer.getJMSType: as set",
        "JMSProducer.getJMSReplyTo: as set"
    })
    void headersAreGotAsSet(JmsClient client) throws Exception {
        Queue queue = queue(client);
        JMSProducer producer = OPEN.context(client).createProducer();
        byte[] id = {1, 2};
        producer.setJMSCorrelationIDAsBytes(id);
        id[0] = 9;
        assertThat(producer.getJMSCorrelationIDAsBytes()).containsExactly(1, 2);
        producer.send(queue, "text");
        assertThat(received(client, queue).getJMSCorrelationIDAsBytes()).containsExactly(1, 2);
        producer.setJMSType("t").setJMSReplyTo(queue);
        assertThat(producer.getJMSType()).isEqualTo("t");
        assertThat(producer.getJMSReplyTo()).isEqualTo(queue);
    }

    @OurClients
    @Clause({
        "JMSProducer.setJMSCorrelationID: goes over one set as bytes before",
        "JMSProducer.setJMSCorrelationIDAsBytes: goes over one set as text before"
    })
    void theLastCorrelationIdCounts(JmsClient client) throws Exception {
        Queue queue = queue(client);
        JMSProducer producer = OPEN.context(client).createProducer();
        producer.setJMSCorrelationIDAsBytes(new byte[] {1}).setJMSCorrelationID("c");
        assertThat(producer.getJMSCorrelationID()).isEqualTo("c");
        producer.send(queue, "text");
        assertThat(received(client, queue).getJMSCorrelationID()).isEqualTo("c");
        producer.setJMSCorrelationIDAsBytes(new byte[] {2}).send(queue, "text");
        assertThat(received(client, queue).getJMSCorrelationIDAsBytes()).containsExactly(2);
    }

    @AllClients
    @Clause({
        "JMSProducer.send(String): a TextMessage with no body for null",
        "JMSProducer.send(Map): a MapMessage with no entries for null",
        "JMSProducer.send(byte[]): a BytesMessage with no body for null",
        "JMSProducer.send(Serializable): an ObjectMessage with no body for null"
    })
    void nullBodiesAreSent(JmsClient client) throws Exception {
        Queue queue = queue(client);
        JMSProducer producer = OPEN.context(client).createProducer();
        producer.send(queue, (String) null);
        assertThat(((TextMessage) received(client, queue)).getText()).isNull();
        producer.send(queue, (Map<String, Object>) null);
        assertThat(((MapMessage) received(client, queue)).getMapNames().hasMoreElements())
                .isFalse();
        producer.send(queue, (byte[]) null);
        assertThat(received(client, queue).getBody(byte[].class)).isNull();
        producer.send(queue, (Serializable) null);
        assertThat(received(client, queue).getBody(Serializable.class)).isNull();
    }

    @AllClients
    @Clause({
        "JMSProducer.send: MessageFormatRuntimeException for a null message",
        "JMSProducer.send: InvalidDestinationRuntimeException for an invalid destination",
        "JMSProducer.send(Map): MessageFormatRuntimeException for values of other classes"
    })
    void wrongMessagesAndDestinationsAreRefused(JmsClient client) {
        JMSContext context = OPEN.context(client);
        Queue queue = queue(client);
        Destination none = null;
        JMSProducer producer = context.createProducer();
        Refused.allWith(
                MessageFormatRuntimeException.class,
                () -> producer.send(queue, (Message) null),
                () -> producer.send(queue, Map.of("a", List.of())));
        Refused.allWith(
                InvalidDestinationRuntimeException.class,
                () -> producer.send(none, "text"),
                () -> producer.send(none, new byte[1]),
                () -> producer.send(none, Map.of()),
                () -> producer.send(none, (Serializable) 1),
                () -> producer.send(none, context.createMessage()));
    }

    @OurClients
    @Clause({
        "JMSProducer.setDeliveryMode: other values are refused",
        "JMSProducer.setPriority: other values are refused",
        "JMSProducer.setTimeToLive: negative values are refused",
        "JMSProducer.setDeliveryDelay: negative values are refused"
    })
    void valuesOutOfRangeAreRefused(JmsClient client) {
        JMSProducer producer = OPEN.context(client).createProducer();
        Refused.allWith(
                JMSRuntimeException.class,
                () -> producer.setDeliveryMode(0),
                () -> producer.setDeliveryMode(3),
                () -> producer.setPriority(-1),
                () -> producer.setPriority(10),
                () -> producer.setTimeToLive(-1),
                () -> producer.setDeliveryDelay(-1));
    }

    @AllClients
    @Clause("JMSProducer.send: MessageNotWriteableRuntimeException for a read-only message if a property is set here")
    void propertiesOfAReceivedMessageAreNotReplaced(JmsClient client) {
        Queue queue = queue(client);
        JMSProducer producer = OPEN.context(client).createProducer();
        producer.send(queue, "text");
        Message message = received(client, queue);
        producer.setProperty("a", 1);
        Refused.allWith(MessageNotWriteableRuntimeException.class, () -> producer.send(queue, message));
        producer.clearProperties().send(queue, message);
    }

    @AllClients
    @Clause({
        "JMSProducer.setAsync: sends are asynchronous with a listener and synchronous with null",
        "JMSProducer.getAsync: the listener that was set, or null"
    })
    void sendsAreAsynchronousWithAListener(JmsClient client) throws Exception {
        CompletableFuture<Message> told = new CompletableFuture<>();
        CompletionListener listener = new CompletionListener() {
            @Override
            public void onCompletion(Message message) {
                told.complete(message);
            }

            @Override
            public void onException(Message message, Exception failure) {
                told.completeExceptionally(failure);
            }
        };
        JMSContext context = OPEN.context(client);
        JMSProducer producer = context.createProducer().setAsync(listener);
        assertThat(producer.getAsync()).isSameAs(listener);
        Message message = context.createMessage();
        producer.send(queue(client), message);
        assertThat(told.get(Names.WAIT_MS, TimeUnit.MILLISECONDS)).isSameAs(message);
        assertThat(producer.setAsync(null).getAsync()).isNull();
        Message next = context.createMessage();
        producer.send(queue(client), next);
        assertThat(next.getJMSMessageID()).isNotNull();
    }
}
