package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.qpid.proton.amqp.Symbol;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the broker's open tells [R-1] [mapping 4.2]. */
final class OpenNegotiationTest {
    @Test
    @DisplayName("[R-1] the version is RabbitMQ's where its clients are to feel at home, else the product's")
    void version() {
        assertThat(property(options(Set.of(AmqpOptions.Compatibility.RABBITMQ)), "version"))
                .isEqualTo("4.2.0");
        assertThat(property(options(Set.of()), "version")).isEqualTo("9.9");
        assertThat(property(options(Set.of()), "node")).isEqualTo("n1");
    }

    @Test
    @DisplayName("4.2 failover-server-list names the other brokers; none, no list")
    void failover() {
        AmqpOptions options =
                new AmqpOptions("n1", Set.of(), "", "", List.of(new AmqpOptions.FailoverServer("other.example", 5673)));

        assertThat(property(options, "failover-server-list"))
                .isEqualTo(List.of(Map.of(
                        Symbol.valueOf("network-host"), "other.example",
                        Symbol.valueOf("hostname"), "other.example",
                        Symbol.valueOf("port"), 5673)));
        assertThat(property(options(Set.of()), "failover-server-list")).isNull();
    }

    private static AmqpOptions options(Set<AmqpOptions.Compatibility> compatibility) {
        return new AmqpOptions("n1", compatibility, "", "", List.of());
    }

    private static Object property(AmqpOptions options, String name) {
        Map<?, ?> properties =
                new OpenNegotiation(AmqpLimits.DEFAULT, options, "9.9").answer().getProperties();
        return properties.get(Symbol.valueOf(name));
    }
}
