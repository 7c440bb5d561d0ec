package io.mainstem.launcher.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.amqp.v1.AmqpOptions;
import io.mainstem.amqp.v1.AmqpOptions.Compatibility;
import io.mainstem.amqp.v1.AmqpOptions.FailoverServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How AMQP presents itself: from configuration to the head's options. */
final class AmqpPresentationTest {
    @Test
    void theDefaultsAreThoseOfTheHead() {
        assertThat(options()).isEqualTo(AmqpOptions.DEFAULT);
    }

    @Test
    @DisplayName("[A-9] (5), (7), 4.2: every option can be set")
    void everyOptionCanBeSet() {
        AmqpOptions options = options(
                "amqp.compatibility=artemis, RabbitMQ",
                "amqp.queue-prefix=jms.queue.",
                "amqp.topic-prefix=jms.topic.",
                "amqp.failover-servers=b.example:5672,[::1]:5673");

        assertThat(options.compatibility()).containsExactlyInAnyOrder(Compatibility.ARTEMIS, Compatibility.RABBITMQ);
        assertThat(options.queuePrefix()).isEqualTo("jms.queue.");
        assertThat(options.topicPrefix()).isEqualTo("jms.topic.");
        assertThat(options.failoverServers())
                .containsExactly(new FailoverServer("b.example", 5672), new FailoverServer("[::1]", 5673));
        assertThat(options("amqp.compatibility=none").compatibility()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "amqp.compatibility=qpid",
                "amqp.queue-prefix=a,b",
                "amqp.failover-servers=host",
                "amqp.failover-servers=host:70000",
            })
    void whatIsWrongIsToldWithItsKey(String assignment) {
        assertThatThrownBy(() -> options(assignment))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("MS-0106 --set: " + assignment.substring(0, assignment.indexOf('=')));
    }

    private static AmqpOptions options(String... assignments) {
        return BrokerConfig.of(new ConfigSources(null, Map.of(), List.of(assignments)).load())
                .amqpOptions();
    }
}
