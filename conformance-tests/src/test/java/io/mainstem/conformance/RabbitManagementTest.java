package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.amqp.AmqpException;
import com.rabbitmq.client.amqp.Management;
import com.rabbitmq.client.amqp.Management.ExchangeType;
import com.rabbitmq.client.amqp.Publisher;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What RabbitMQ's AMQP 1.0 Java client does with {@code /management} [mapping 5.3]. */
@WithBroker
final class RabbitManagementTest {
    private final Rabbit rabbit;
    private final Management management;

    RabbitManagementTest(BrokerAddress broker) {
        rabbit = new Rabbit(broker);
        management = rabbit.management();
    }

    @AfterEach
    void close() {
        rabbit.close();
    }

    @Test
    @DisplayName("[R-1] it connects, and learns version and node")
    void connects() {
        assertThat(rabbit.connection().toString()).isNotEmpty();
        assertThat(management.queueInfo(declared("node")).leader()).isNotBlank();
    }

    @Test
    @DisplayName("a declared queue tells what it is; declaring it again finds it")
    void declareQueue() {
        String name = Rabbit.uniqueName("queue/with ümlaut%");
        Management.QueueInfo made = management
                .queue(name)
                .argument("x-message-ttl", 60_000L)
                .argument("x-max-priority", 5)
                .declare();

        assertThat(made.name()).isEqualTo(name);
        assertThat(made.durable()).isTrue();
        assertThat(made.autoDelete()).isFalse();
        assertThat(made.exclusive()).isFalse();
        assertThat(made.type()).isEqualTo(Management.QueueType.CLASSIC);
        assertThat(made.arguments()).isEqualTo(Map.of("x-message-ttl", 60_000L, "x-max-priority", 5));
        assertThat(made.members()).containsExactly(made.leader());
        assertThat(made.messageCount()).isZero();
        assertThat(made.consumerCount()).isZero();

        Management.QueueInfo again = management
                .queue(name)
                .argument("x-message-ttl", 60_000L)
                .argument("x-max-priority", 5)
                .declare();
        assertThat(again.name()).isEqualTo(name);
    }

    @Test
    @DisplayName("a queue without a name gets the client's own")
    void serverNamedQueue() {
        Management.QueueInfo made = management.queue().exclusive(true).declare();

        assertThat(made.name()).isNotBlank();
        assertThat(management.queueInfo(made.name()).exclusive()).isTrue();
    }

    @Test
    @DisplayName("409 for other properties, naming what differs")
    void declareQueueOtherwise() {
        String name = declared("other");

        assertThatThrownBy(() -> management.queue(name).autoDelete(true).declare())
                .isInstanceOf(AmqpException.class)
                .hasMessageContaining("409")
                .hasMessageContaining("auto-delete");
    }

    @Test
    @DisplayName("400 for a bad argument, 403 for a name of the broker's own")
    void declareQueueBadly() {
        assertThatThrownBy(() -> management
                        .queue(Rabbit.uniqueName("bad"))
                        .argument("x-message-ttl", "soon")
                        .declare())
                .hasMessageContaining("400")
                .hasMessageContaining("x-message-ttl");
        assertThatThrownBy(() -> management.queue("amq.mine").declare()).hasMessageContaining("403");
    }

    @Test
    @DisplayName("404 for a queue that is not there; deleting it works")
    void missingQueue() {
        String name = Rabbit.uniqueName("missing");

        assertThatThrownBy(() -> management.queueInfo(name))
                .isInstanceOf(AmqpException.AmqpEntityDoesNotExistException.class);
        assertThatThrownBy(() -> management.queuePurge(name))
                .isInstanceOf(AmqpException.AmqpEntityDoesNotExistException.class);
        assertThatCode(() -> management.queueDelete(name)).doesNotThrowAnyException();
    }

    @Test
    @DisplayName("a purge drops what is ready and says how many")
    void purge() throws Exception {
        String name = declared("purge");
        try (Publisher publisher =
                rabbit.connection().publisherBuilder().queue(name).build()) {
            rabbit.publish(publisher, "one");
            rabbit.publish(publisher, "two");
        }
        assertThat(management.queueInfo(name).messageCount()).isEqualTo(2);

        assertThat(management.queuePurge(name).messageCount()).isEqualTo(2);

        assertThat(management.queueInfo(name).messageCount()).isZero();
    }

    @Test
    @DisplayName("another connection's exclusive queue: 400 with the text that the client looks for")
    void exclusiveQueueOfAnother(BrokerAddress broker) {
        String name = Rabbit.uniqueName("exclusive");
        management.queue(name).exclusive(true).declare();

        try (Rabbit other = new Rabbit(broker)) {
            assertThatThrownBy(
                            () -> other.management().queue(name).exclusive(true).declare())
                    .hasMessageContaining("cannot obtain exclusive access to locked queue")
                    .hasMessageContaining(
                            "the exclusive property value does not match that of the original declaration");
        }
    }

    @Test
    @DisplayName("exchanges: declared, found equal, refused if not, deleted, also when absent")
    void exchanges() {
        String name = Rabbit.uniqueName("exchange");
        management.exchange(name).type(ExchangeType.TOPIC).declare();
        management.exchange(name).type(ExchangeType.TOPIC).declare();

        assertThatThrownBy(() ->
                        management.exchange(name).type(ExchangeType.FANOUT).declare())
                .hasMessageContaining("409");
        assertThatThrownBy(() -> management.exchange("amq.mine").declare()).hasMessageContaining("403");
        assertThatThrownBy(() -> management.exchangeDelete("amq.topic")).hasMessageContaining("403");
        assertThatThrownBy(() ->
                        management.exchange(name + "x").type("x-unheard-of").declare())
                .hasMessageContaining("400");
        management.exchange("amq.topic").type(ExchangeType.TOPIC).declare();

        management.exchangeDelete(name);
        management.exchangeDelete(name);
    }

    @Test
    @DisplayName("a binding routes, and no more once it is unbound")
    void bindings() throws Exception {
        String exchange = Rabbit.uniqueName("exchange");
        String queue = declared("bound");
        management.exchange(exchange).type(ExchangeType.DIRECT).declare();
        bind(exchange, queue, "k/e y+ü", Map.of());
        Publisher publisher = rabbit.connection()
                .publisherBuilder()
                .exchange(exchange)
                .key("k/e y+ü")
                .build();
        assertThat(rabbit.publish(publisher, "routed")).isEqualTo(Publisher.Status.ACCEPTED);

        unbind(exchange, queue, "k/e y+ü", Map.of());

        assertThat(rabbit.publish(publisher, "lost")).isEqualTo(Publisher.Status.RELEASED);
        assertThat(management.queueInfo(queue).messageCount()).isEqualTo(1);
    }

    @Test
    @DisplayName("[R-2] [R-3] bindings with arguments differ by them; a plus in the key stays a plus")
    void bindingsWithArguments() throws Exception {
        String exchange = Rabbit.uniqueName("headers");
        String queue = declared("headers");
        management.exchange(exchange).type(ExchangeType.HEADERS).declare();
        Map<String, Object> red = Map.of("x-match", "all", "colour", "red", "size", 1);
        Map<String, Object> blue = Map.of("x-match", "all", "colour", "blue", "size", 1L, "new", true);
        bind(exchange, queue, "a+b", red);
        bind(exchange, queue, "a+b", blue);
        Publisher publisher =
                rabbit.connection().publisherBuilder().exchange(exchange).build();
        assertThat(publishColour(publisher, "red")).isEqualTo(Publisher.Status.ACCEPTED);

        unbind(exchange, queue, "a+b", red);

        assertThat(publishColour(publisher, "red")).isEqualTo(Publisher.Status.RELEASED);
        assertThat(publishColour(publisher, "blue")).isEqualTo(Publisher.Status.ACCEPTED);
    }

    @Test
    @DisplayName("exchanges bind to exchanges")
    void exchangeToExchange() throws Exception {
        String from = Rabbit.uniqueName("from");
        String to = Rabbit.uniqueName("to");
        String queue = declared("end");
        management.exchange(from).type(ExchangeType.FANOUT).declare();
        management.exchange(to).type(ExchangeType.FANOUT).declare();
        management.binding().sourceExchange(from).destinationExchange(to).bind();
        bind(to, queue, "", Map.of());
        Publisher publisher =
                rabbit.connection().publisherBuilder().exchange(from).build();
        assertThat(rabbit.publish(publisher, "through")).isEqualTo(Publisher.Status.ACCEPTED);

        management.unbind().sourceExchange(from).destinationExchange(to).unbind();

        assertThat(rabbit.publish(publisher, "lost")).isEqualTo(Publisher.Status.RELEASED);
    }

    @Test
    @DisplayName("binding what is not there: 400 that the client takes for an absent entity")
    void bindMissing() {
        assertThatThrownBy(() -> bind("amq.direct", Rabbit.uniqueName("missing"), "k", Map.of()))
                .isInstanceOf(AmqpException.AmqpEntityDoesNotExistException.class);
        assertThatThrownBy(() -> bind("", declared("q"), "k", Map.of())).hasMessageContaining("403");
        unbind("amq.direct", Rabbit.uniqueName("missing"), "k", Map.of());
    }

    private String declared(String kind) {
        return management.queue(Rabbit.uniqueName(kind)).declare().name();
    }

    private void bind(String exchange, String queue, String key, Map<String, Object> arguments) {
        management
                .binding()
                .sourceExchange(exchange)
                .destinationQueue(queue)
                .key(key)
                .arguments(arguments)
                .bind();
    }

    private void unbind(String exchange, String queue, String key, Map<String, Object> arguments) {
        management
                .unbind()
                .sourceExchange(exchange)
                .destinationQueue(queue)
                .key(key)
                .arguments(arguments)
                .unbind();
    }

    private static Publisher.Status publishColour(Publisher publisher, String colour) throws Exception {
        return Rabbit.publish(
                        publisher,
                        publisher
                                .message(new byte[0])
                                .property("colour", colour)
                                .property("size", 1)
                                .property("new", true))
                .status();
    }
}
