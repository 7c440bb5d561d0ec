package io.mainstem.routing.topology;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.TopologyView;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The topology of one virtual host at one moment, for routing. Immutable; thread: any. Extending it shares nearly all
 * of it, so a new snapshot per declaration is cheap with any number of queues and bindings.
 */
public final class RoutingSnapshot {
    private final TopologyState state;
    private final RouteCache cache;
    private final UnmappableKeys unmappable;

    RoutingSnapshot(TopologyState state, RouteCache cache, UnmappableKeys unmappable) {
        this.state = state;
        this.cache = cache;
        this.unmappable = unmappable;
    }

    /**
     * The queues that get a message published by a client, [A-2], [A-3].
     *
     * @param exchange "" = default exchange: the queues named by the keys
     * @param keys at least one
     * @param message read only where a headers exchange asks for it
     * @throws BrokerException NOT_FOUND if there is no such exchange; ACCESS_REFUSED if it is internal
     */
    public RouteResult route(String exchange, List<String> keys, Message message) {
        if (exchange.equals(Exchange.DEFAULT)) {
            return routeDefault(keys, message);
        }
        Exchange start = state.exchanges().get(exchange);
        if (start == null) {
            throw noExchange(exchange, null);
        }
        if (start.spec().internal()) {
            throw new BrokerException(
                    ErrorKind.ACCESS_REFUSED,
                    "MS-0310",
                    "exchange '" + exchange + "' is internal: only exchanges publish to it.",
                    "publish to an exchange that is bound to it");
        }
        return route(start, keys, message);
    }

    /**
     * The queues that get a message which the broker itself sends on, such as a dead letter [T-3]: an exchange that is
     * gone leads nowhere, an internal one is as good as any.
     */
    public RouteResult routeFromBroker(String exchange, List<String> keys, Message message) {
        if (exchange.equals(Exchange.DEFAULT)) {
            return routeDefault(keys, message);
        }
        Exchange start = state.exchanges().get(exchange);
        List<String> reaching = start == null ? List.of() : Resolution.withoutBrokers(start, keys);
        return start == null || reaching.isEmpty() ? RouteResult.UNROUTABLE : route(start, reaching, message);
    }

    /** True if the exchange exists; "" always does. */
    public boolean exchangeExists(String name) {
        return name.equals(Exchange.DEFAULT) || state.exchanges().get(name) != null;
    }

    /** The queue of that name, or null. */
    public @Nullable QueueTarget queue(String name) {
        return state.queues().get(name);
    }

    /** How many queues there are. */
    public int queues() {
        return state.queues().size();
    }

    /** Visits all queues; order unspecified. */
    public void forEachQueue(Consumer<QueueTarget> action) {
        state.queues().forEach((name, queue) -> action.accept(queue));
    }

    /** Bindings whose destination is the queue. */
    public List<BindingSpec> bindingsOf(String queue) {
        List<BindingSpec> specs = new ArrayList<>();
        for (Binding binding : state.bindingsTo(new Destination(queue, true))) {
            specs.add(binding.spec());
        }
        return specs;
    }

    /** All that is declared. */
    public TopologyView view() {
        return new SnapshotView(state);
    }

    TopologyState state() {
        return state;
    }

    static BrokerException noExchange(String name, @Nullable String virtualHost) {
        String where = virtualHost == null ? "" : " in vhost '" + virtualHost + "'";
        return new BrokerException(
                ErrorKind.NOT_FOUND,
                "MS-0302",
                "no exchange '" + name + "'" + where + ".",
                "declare it first, or correct the name");
    }

    private RouteResult routeDefault(List<String> keys, Message message) {
        if (keys.size() > 1) {
            return new Resolution(state, keys, message).fromDefault();
        }
        QueueTarget queue = state.queues().get(keys.get(0));
        return queue == null
                ? RouteResult.UNROUTABLE
                : new RouteResult(List.of(new RouteResult.Target(queue, List.of())));
    }

    private RouteResult route(Exchange start, List<String> keys, Message message) {
        // With several keys the alternate depends on all of them together, so single results do not add up.
        boolean single = keys.size() == 1;
        ResolvedRoute known = single ? cache.get(start.name(), keys.get(0), state) : null;
        if (known != null) {
            return told(known, start, keys).of(message);
        }
        Resolution resolution = new Resolution(state, keys, message);
        ResolvedRoute route = resolution.from(start);
        if (single && resolution.cacheable()) {
            cache.put(start.name(), keys.get(0), state, route, resolution.way());
        }
        return told(route, start, keys).of(message);
    }

    private ResolvedRoute told(ResolvedRoute route, Exchange start, List<String> keys) {
        if (route.unmappable()) {
            unmappable.add(start.name(), keys);
        }
        return route;
    }
}
