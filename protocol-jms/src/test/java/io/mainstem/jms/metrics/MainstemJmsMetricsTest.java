package io.mainstem.jms.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a Micrometer registry shows of a factory. */
final class MainstemJmsMetricsTest {
    private final ClientCounters counters = new ClientCounters();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    @DisplayName("Every counter is a meter, with the tags of its factory")
    void everyCounterIsAMeter() {
        new MainstemJmsMetrics(counters, List.of(Tag.of("name", "orders"))).bindTo(registry);

        counters.connection(true);
        counters.connection(true);
        counters.connection(false);
        counters.session(true);
        counters.outcome(true);
        counters.outcome(false);
        counters.delivered();
        counters.acknowledgement();
        counters.failover();
        counters.resending(3);

        assertThat(registry.get("mainstem.jms.connections")
                        .tag("name", "orders")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(registry.get("mainstem.jms.sessions").gauge().value()).isEqualTo(1);
        for (String once : List.of("sent", "send.failures", "received", "acknowledged", "failovers")) {
            assertThat(registry.get("mainstem.jms." + once).functionCounter().count())
                    .as(once)
                    .isEqualTo(1);
        }
        assertThat(registry.get("mainstem.jms.resent").functionCounter().count())
                .isEqualTo(3);
    }
}
