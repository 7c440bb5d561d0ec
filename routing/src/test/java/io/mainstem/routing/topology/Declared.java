package io.mainstem.routing.topology;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.Messages;
import io.mainstem.store.MetaChange;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A topology under test with the log's metadata image beside it; every plan is logged and applied at once. */
final class Declared {
    final TreeMap<String, byte[]> image = new TreeMap<>();
    private VirtualHosts hosts = new VirtualHosts(TopologyLimits.NONE);

    Topology topology() {
        return hosts.topology("/");
    }

    RoutingSnapshot snapshot() {
        return topology().snapshot();
    }

    void restart() {
        hosts = VirtualHosts.restore(image, TopologyLimits.NONE);
    }

    Plan apply(Plan plan) {
        log(plan);
        topology().apply(plan, () -> {});
        return plan;
    }

    void log(Plan plan) {
        for (MetaChange change : plan.meta()) {
            if (change.value() == null) {
                image.remove(change.key());
            } else {
                image.put(change.key(), change.value());
            }
        }
    }

    Declared queues(String... names) {
        for (String name : names) {
            apply(topology().declareQueue(QueueSpec.durable(name)).plan());
        }
        return this;
    }

    Declared exchange(String name, ExchangeType type) {
        return exchange(name, type, Map.of());
    }

    Declared exchange(String name, ExchangeType type, Map<String, Object> arguments) {
        apply(topology().declareExchange(new ExchangeSpec(name, type, true, false, false, arguments)));
        return this;
    }

    Declared bind(String source, String queue, String key) {
        return bind(source, queue, key, Map.of());
    }

    Declared bind(String source, String queue, String key, Map<String, Object> arguments) {
        apply(topology().bind(new BindingSpec(source, queue, true, key, arguments)));
        return this;
    }

    Declared bindExchange(String source, String exchange, String key) {
        return bindExchange(source, exchange, key, Map.of());
    }

    Declared bindExchange(String source, String exchange, String key, Map<String, Object> arguments) {
        apply(topology().bind(new BindingSpec(source, exchange, false, key, arguments)));
        return this;
    }

    /** Names of the queues that get it; fails if one comes twice. */
    Set<String> route(String exchange, String... keys) {
        return route(Messages.empty(), exchange, keys);
    }

    Set<String> route(Message message, String exchange, String... keys) {
        return names(snapshot().route(exchange, List.of(keys), message));
    }

    static Set<String> names(RouteResult result) {
        return result.targets().stream()
                .collect(Collectors.toMap(each -> each.queue().name(), each -> each))
                .keySet();
    }
}
