package io.mainstem.jms.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Shows the counters of a factory in a Micrometer registry:
 *
 * <pre>{@code
 * new MainstemJmsMetrics(factory.counters(), List.of(Tag.of("name", "orders"))).bindTo(registry);
 * }</pre>
 *
 * <p>The only class of the client that needs Micrometer; without it on the class path everything else works.
 *
 * @param counters of one factory
 * @param tags of all its meters: what tells the factories of an application apart
 */
public record MainstemJmsMetrics(ClientCounters counters, List<Tag> tags) implements MeterBinder {
    public MainstemJmsMetrics {
        tags = List.copyOf(tags);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        gauge(registry, "connections", "Connections that are open", ClientCounters::connectionsOpen);
        gauge(registry, "sessions", "Sessions that are open", ClientCounters::sessionsOpen);
        counter(registry, "sent", "Messages that the broker has taken", ClientCounters::sent);
        counter(registry, "send.failures", "Messages that the broker has not taken", ClientCounters::sendFailures);
        counter(registry, "received", "Messages that the application got", ClientCounters::received);
        counter(registry, "acknowledged", "Messages that were acknowledged", ClientCounters::acknowledged);
        counter(registry, "failovers", "Lost connections that were made again", ClientCounters::failovers);
        counter(registry, "resent", "Messages in doubt that were sent again", ClientCounters::resent);
    }

    private void gauge(MeterRegistry registry, String name, String text, ToDoubleFunction<ClientCounters> value) {
        Gauge.builder("mainstem.jms." + name, counters, value)
                .description(text)
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }

    private void counter(MeterRegistry registry, String name, String text, ToDoubleFunction<ClientCounters> value) {
        FunctionCounter.builder("mainstem.jms." + name, counters, value)
                .description(text)
                .tags(tags)
                .register(registry);
    }
}
