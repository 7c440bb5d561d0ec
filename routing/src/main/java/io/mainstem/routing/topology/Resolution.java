package io.mainstem.routing.topology;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.selector.BindingFilter;
import io.mainstem.routing.selector.MessageFields;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One walk from an exchange along bindings and alternates. Every exchange is visited once, which cuts cycles;
 * every queue is taken once. Thread: one.
 */
final class Resolution {
    private static final String TOPICS = "amq.topic";

    private final TopologyState state;
    private final List<String> keys;
    private final Headers headers;
    private final Map<Integer, RouteResult.Target> targets = new LinkedHashMap<>();
    private final Set<String> visited = new HashSet<>();
    private final Deque<Exchange> ahead = new ArrayDeque<>();
    private final Map<Integer, Conditional> conditional = new LinkedHashMap<>(0);
    private final Message message;
    private @Nullable MessageFields fields;
    private boolean cacheable = true;
    private boolean hasAlternate;
    private boolean anyMatch;
    private boolean unmappable;
    private String key = "";

    Resolution(TopologyState state, List<String> keys, Message message) {
        this.state = state;
        this.keys = keys;
        this.message = message;
        this.headers = new Headers(message);
    }

    ResolvedRoute from(Exchange start) {
        visit(start.name());
        for (Exchange exchange = ahead.poll(); exchange != null; exchange = ahead.poll()) {
            cacheable &= !exchange.table().readsHeaders();
            hasAlternate = exchange.alternate() != null;
            anyMatch = false;
            for (String each : exchange.equals(start) ? keys : withoutBrokers(exchange, keys)) {
                key = each;
                exchange.table().match(each, headers, this::matched);
            }
            if (!anyMatch) {
                visitAlternate(exchange.alternate());
            }
        }
        conditional.keySet().removeAll(targets.keySet());
        Map<RouteResult.Target, List<BindingFilter>> filters = new LinkedHashMap<>();
        conditional.values().forEach(each -> filters.put(each.target(), each.filters()));
        return new ResolvedRoute(result(), filters.isEmpty() ? null : new FilteredTargets(filters), unmappable);
    }

    /** What reaches the topics by a detour does not speak for the broker. */
    static List<String> withoutBrokers(Exchange exchange, List<String> keys) {
        return exchange.name().equals(TOPICS) && keys.stream().anyMatch(TopicNames::isBrokers)
                ? keys.stream().filter(each -> !TopicNames.isBrokers(each)).toList()
                : keys;
    }

    /** True if the same keys give the same result until a change concerns one of the exchanges on the way. */
    boolean cacheable() {
        return cacheable;
    }

    /** Names of all exchanges that were asked, those that were not found included. */
    Set<String> way() {
        return visited;
    }

    /** The queues that the default exchange leads to. */
    RouteResult fromDefault() {
        keys.forEach(this::takeByName);
        return result();
    }

    private RouteResult result() {
        return targets.isEmpty() ? RouteResult.UNROUTABLE : new RouteResult(List.copyOf(targets.values()));
    }

    private void matched(Binding binding) {
        if (binding.hidden(key)) {
            return;
        }
        if (binding.mqtt() && !TopicNames.mappable(key)) {
            unmappable = true;
            return;
        }
        if (!binding.filter().isNone()) {
            // What follows from a match is settled now; a plain queue may wait for the message it gets or not.
            if (binding.spec().toQueue() && !binding.mqtt() && !hasAlternate) {
                takeConditionally(state.queues().get(binding.spec().destination()), binding);
                return;
            }
            cacheable = false;
            if (!binding.filter().takes(fields())) {
                return;
            }
        }
        anyMatch = true;
        String name = binding.spec().destination();
        if (binding.spec().toQueue()) {
            take(state.queues().get(name), binding);
        } else {
            visit(name);
        }
    }

    private void take(@Nullable QueueTarget queue, Binding binding) {
        if (queue == null) {
            return;
        }
        RouteResult.Target before = targets.putIfAbsent(
                queue.queueId(), new RouteResult.Target(queue, binding.mqtt() ? List.of(binding.spec()) : List.of()));
        if (before == null || !binding.mqtt() || before.subscriptions().contains(binding.spec())) {
            return;
        }
        List<BindingSpec> matched = new ArrayList<>(before.subscriptions());
        matched.add(binding.spec());
        targets.put(queue.queueId(), new RouteResult.Target(queue, matched));
    }

    private void takeConditionally(@Nullable QueueTarget queue, Binding binding) {
        if (queue != null) {
            conditional
                    .computeIfAbsent(
                            queue.queueId(),
                            id -> new Conditional(new RouteResult.Target(queue, List.of()), new ArrayList<>(1)))
                    .filters()
                    .add(binding.filter());
        }
    }

    private MessageFields fields() {
        MessageFields made = fields;
        if (made == null) {
            made = MessageFields.routed(message);
            fields = made;
        }
        return made;
    }

    private void takeByName(String name) {
        QueueTarget queue = state.queues().get(name);
        if (queue != null) {
            targets.putIfAbsent(queue.queueId(), new RouteResult.Target(queue, List.of()));
        }
    }

    private void visit(String name) {
        if (visited.add(name)) {
            Exchange exchange = state.exchanges().get(name);
            if (exchange != null) {
                ahead.add(exchange);
            }
        }
    }

    private void visitAlternate(@Nullable String alternate) {
        if (Exchange.DEFAULT.equals(alternate)) {
            // Queues come and go without a new route epoch.
            cacheable = false;
            keys.forEach(this::takeByName);
        } else if (alternate != null) {
            visit(alternate);
        }
    }

    /** A queue that gets the message if one of the filters lets it through. */
    private record Conditional(RouteResult.Target target, List<BindingFilter> filters) {}
}
