package io.mainstem.routing.topology;

import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An exchange and its bindings. Immutable.
 *
 * @param bindings how many bindings have it as their source
 */
record Exchange(ExchangeSpec spec, BindingTable table, int bindings) {
    static final String DEFAULT = "";
    static final String ALTERNATE = "alternate-exchange";

    /** There without being declared, in every virtual host. */
    static final List<Exchange> PREDECLARED = List.of(
            predeclared("amq.direct", ExchangeType.DIRECT),
            predeclared("amq.fanout", ExchangeType.FANOUT),
            predeclared("amq.topic", ExchangeType.TOPIC),
            predeclared("amq.headers", ExchangeType.HEADERS),
            predeclared("amq.match", ExchangeType.HEADERS));

    static Exchange of(ExchangeSpec spec) {
        return new Exchange(spec, BindingTable.of(spec.type()), 0);
    }

    static boolean isPredeclared(String name) {
        return PREDECLARED.stream().anyMatch(exchange -> exchange.name().equals(name));
    }

    String name() {
        return spec.name();
    }

    /** Where messages go that match nothing here; null if there is none. */
    @Nullable
    String alternate() {
        return spec.arguments().get(ALTERNATE) instanceof String name ? name : null;
    }

    Exchange with(Binding binding) {
        return new Exchange(spec, table.with(binding), bindings + 1);
    }

    Exchange without(Binding binding) {
        return new Exchange(spec, table.without(binding), bindings - 1);
    }

    private static Exchange predeclared(String name, ExchangeType type) {
        return of(new ExchangeSpec(name, type, true, false, false, Map.of()));
    }
}
