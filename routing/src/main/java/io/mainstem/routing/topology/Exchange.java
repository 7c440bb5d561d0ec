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
 * @param changes the last ones of its bindings
 */
record Exchange(ExchangeSpec spec, BindingTable table, int bindings, RecentChanges changes) {
    static final String DEFAULT = "";
    static final String ALTERNATE = "alternate-exchange";

    /** There without being declared, in every virtual host. */
    static final List<Exchange> PREDECLARED = List.of(
            predeclared("amq.direct", ExchangeType.DIRECT),
            predeclared("amq.fanout", ExchangeType.FANOUT),
            predeclared("amq.topic", ExchangeType.TOPIC),
            predeclared("amq.headers", ExchangeType.HEADERS),
            predeclared("amq.match", ExchangeType.HEADERS));

    /** @param epoch route epoch from which it is there */
    static Exchange of(ExchangeSpec spec, long epoch) {
        return new Exchange(spec, BindingTable.of(spec.type()), 0, RecentChanges.since(epoch));
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

    Exchange with(Binding binding, long epoch) {
        return new Exchange(spec, table.with(binding), bindings + 1, changes(binding, epoch));
    }

    Exchange without(Binding binding, long epoch) {
        return new Exchange(spec, table.without(binding), bindings - 1, changes(binding, epoch));
    }

    /** True if a route of that key which was found at that epoch may be another one now. */
    boolean changed(String key, long sinceEpoch) {
        return changes.concern(key, sinceEpoch, spec.type());
    }

    private RecentChanges changes(Binding binding, long epoch) {
        return changes.with(epoch, spec.type(), binding.spec().key());
    }

    private static Exchange predeclared(String name, ExchangeType type) {
        return of(new ExchangeSpec(name, type, true, false, false, Map.of()), 0);
    }
}
