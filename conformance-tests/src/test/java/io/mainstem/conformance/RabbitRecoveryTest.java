package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.amqp.BackOffDelayPolicy;
import com.rabbitmq.client.amqp.Connection;
import com.rabbitmq.client.amqp.Environment;
import com.rabbitmq.client.amqp.Publisher;
import com.rabbitmq.client.amqp.impl.AmqpEnvironmentBuilder;
import io.mainstem.launcher.admin.BrokerUrl;
import io.mainstem.launcher.admin.ManagementClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** RabbitMQ's client when an operator closes its connection: it comes back by itself. */
@WithBroker
final class RabbitRecoveryTest {
    private final BrokerAddress broker;

    RabbitRecoveryTest(BrokerAddress broker) {
        this.broker = broker;
    }

    @Test
    @DisplayName("its connection is made anew, and its consumer goes on")
    void recovers() throws Exception {
        // Closing a connection is a request of our own.
        SharedBroker.assumeOurs();
        BlockingQueue<String> received = new LinkedBlockingQueue<>();
        try (Environment environment = new AmqpEnvironmentBuilder().build();
                Connection connection = environment
                        .connectionBuilder()
                        .host(broker.host())
                        .port(broker.port())
                        .recovery()
                        .backOffDelayPolicy(BackOffDelayPolicy.fixed(Duration.ofMillis(200)))
                        .connectionBuilder()
                        .build();
                Rabbit other = new Rabbit(broker)) {
            String queue = connection
                    .management()
                    .queue(Rabbit.uniqueName("recovery"))
                    .declare()
                    .name();
            connection
                    .consumerBuilder()
                    .queue(queue)
                    .messageHandler((context, message) -> {
                        received.add(new String(message.body(), StandardCharsets.UTF_8));
                        context.accept();
                    })
                    .build();
            Publisher publisher =
                    other.connection().publisherBuilder().queue(queue).build();
            other.publish(publisher, "before");
            assertThat(received.poll(Rabbit.WAIT_MS, TimeUnit.MILLISECONDS)).isEqualTo("before");

            closeConsumerOf(other, queue);
            other.publish(publisher, "after");

            assertThat(received.poll(3 * Rabbit.WAIT_MS, TimeUnit.MILLISECONDS)).isEqualTo("after");
        }
    }

    /** Closes the connection of the consumer, as an operator would. */
    private void closeConsumerOf(Rabbit other, String queue) {
        try (ManagementClient client = ManagementClient.connect(
                BrokerUrl.parse("amqp://" + broker.host() + ":" + broker.port()), null, null)) {
            Map<?, ?> page = (Map<?, ?>) client.ask("GET", "/connections?limit=1000", null);
            List<?> open = (List<?>) page.get("items");
            // The last three: the recovering client, the other one, and this command.
            Map<?, ?> consumer = (Map<?, ?>) open.get(open.size() - 3);
            client.ask("DELETE", "/connections/" + consumer.get("id"), null);
        }
        assertThat(other.management().queueInfo(queue).name()).isEqualTo(queue);
    }
}
