package io.mainstem.jms.destination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.Topic;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Destinations as values, and as AMQP addresses of received messages. */
final class DestinationTest {
    private interface Both extends Queue, Topic {}

    @Test
    @DisplayName("Equal by kind and name, whoever made them")
    void destinationsAreEqualByKindAndName() {
        assertThat(new MainstemQueue("a")).isEqualTo(new MainstemQueue("a")).hasSameHashCodeAs(new MainstemQueue("a"));
        assertThat((Object) new MainstemQueue("a")).isNotEqualTo(new MainstemTopic("a"));
        assertThat((Object) new MainstemQueue("a")).isNotEqualTo(new MainstemTemporaryQueue("a", null));
        assertThatThrownBy(() -> new MainstemQueue("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("Serialised and read again they are equal")
    void destinationsAreSerialisable() throws IOException, ClassNotFoundException {
        for (MainstemDestination destination : new MainstemDestination[] {
            new MainstemQueue("a"), new MainstemTopic("b.c"), new MainstemTemporaryQueue("d", null)
        }) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream output = new ObjectOutputStream(bytes)) {
                output.writeObject(destination);
            }
            try (ObjectInputStream input = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                assertThat(input.readObject()).isEqualTo(destination);
            }
        }
    }

    @Test
    @DisplayName("3.12: destinations of other providers are taken by their name, if they are of one kind")
    void foreignDestinationsAreTakenByName() throws JMSException {
        Queue queue = () -> "q";
        Topic topic = () -> "t";
        Topic nameless = () -> null;

        assertThat(MainstemDestination.of(queue)).isEqualTo(new MainstemQueue("q"));
        assertThat(MainstemDestination.of(topic)).isEqualTo(new MainstemTopic("t"));
        assertThat(MainstemDestination.of(new TemporaryTopic() {
                    @Override
                    public String getTopicName() {
                        return "x";
                    }

                    @Override
                    public void delete() {}
                }))
                .isEqualTo(new MainstemTemporaryTopic("x", null));
        for (Destination wrong : new @Nullable Destination[] {
            null,
            new Destination() {},
            nameless,
            new Both() {
                @Override
                public String getQueueName() {
                    return "q";
                }

                @Override
                public String getTopicName() {
                    return "t";
                }
            }
        }) {
            assertThatThrownBy(() -> MainstemDestination.of(wrong))
                    .isInstanceOf(InvalidDestinationException.class)
                    .hasMessageContaining("MS-0763");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "orders, 0, QUEUE, orders",
        "a.b, 1, TOPIC, a.b",
        "amq.tmp:1, 2, TEMPORARY_QUEUE, amq.tmp:1",
        "amq.tmp.1, 3, TEMPORARY_TOPIC, amq.tmp.1",
        "orders, , TOPIC, orders",
        "orders, 9, TOPIC, orders",
        "/queues/a%2Fb%20c, 0, QUEUE, a/b c",
        "/queues/a+b, , QUEUE, a+b",
        "/exchanges/amq.topic/a.b%2Fc, 1, TOPIC, a.b/c",
        "/exchanges/amq.topic/a, , TOPIC, a",
        "/exchanges/amq.topic/%2Fqueues%2Fx, 1, TOPIC, /exchanges/amq.topic/%2Fqueues%2Fx",
        "/exchanges/logs/k, , TOPIC, /exchanges/logs/k",
        "/queues/%zz, , TOPIC, /queues/%zz",
        "/queues/%c3, , TOPIC, /queues/%c3",
        "/queues/%c, , TOPIC, /queues/%c",
        "/queues/a/b, , TOPIC, /queues/a/b",
        "queue://q, , QUEUE, q",
        "topic://t, , TOPIC, t"
    })
    @DisplayName(
            "[A-9], [A-16] addresses of all protocols become destinations that can be sent to; the consumer's kind is the last resort")
    void addressesBecomeDestinations(String address, @Nullable Byte annotation, DestinationKind kind, String name) {
        MainstemDestination destination = AmqpAddresses.destination(address, annotation, DestinationKind.TOPIC);

        assertThat(destination).isNotNull();
        assertThat(destination.kind()).isEqualTo(kind);
        assertThat(destination.address()).isEqualTo(name);
    }

    @Test
    @DisplayName("No address, no destination")
    void noAddressNoDestination() {
        assertThat(AmqpAddresses.destination(null, (byte) 0, DestinationKind.QUEUE))
                .isNull();
        assertThat(AmqpAddresses.destination("", (byte) 0, DestinationKind.QUEUE))
                .isNull();
    }
}
