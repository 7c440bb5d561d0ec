package io.mainstem.routing.topology;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Changes under decision, each visible to the next. Consequences are decided here, once, and become changes of their
 * own: replay re-decides nothing. Thread: shard.
 */
final class Draft {
    private final List<TopologyChange> changes = new ArrayList<>();
    private final Deque<Exchange> doomed = new ArrayDeque<>();
    private TopologyState state;

    Draft(TopologyState state) {
        this.state = state;
    }

    List<TopologyChange> changes() {
        return changes;
    }

    TopologyState state() {
        return state;
    }

    void add(TopologyChange change) {
        state = change.applyTo(state);
        changes.add(change);
    }

    /** Removes the queue after its bindings, and the autoDelete exchanges that lose their last one. */
    void removeQueue(QueueTarget queue) {
        remove(state.bindingsTo(new Destination(queue.name(), true)));
        add(new TopologyChange.RemoveQueue(queue.name(), queue.durable()));
        removeDoomed();
    }

    /** Removes the exchange, all bindings from and to it, and the autoDelete exchanges that lose their last one. */
    void removeExchange(Exchange exchange) {
        doomed.add(exchange);
        removeDoomed();
    }

    /** Removes one binding, and its source if that is autoDelete and this was the last. */
    void removeBinding(Binding binding) {
        removeBindings(List.of(binding));
    }

    /** Removes some bindings; an exchange that is autoDelete and loses its last one goes, too. */
    void removeBindings(List<Binding> bindings) {
        remove(bindings);
        removeDoomed();
    }

    private void removeDoomed() {
        for (Exchange exchange = doomed.poll(); exchange != null; exchange = doomed.poll()) {
            String name = exchange.name();
            add(new TopologyChange.RemoveExchange(name, exchange.spec().durable()));
            if (exchange.bindings() > 0) {
                remove(bindingsFrom(exchange));
            }
            remove(state.bindingsTo(new Destination(name, false)));
        }
    }

    private void remove(List<Binding> bindings) {
        for (Binding binding : bindings) {
            add(new TopologyChange.RemoveBinding(binding.id(), binding.durable()));
            Exchange source = state.exchanges().get(binding.spec().source());
            if (source != null && source.spec().autoDelete() && source.bindings() == 0) {
                doomed.add(source);
            }
        }
    }

    /** Those that are there still: the exchange is as it was when it was doomed. */
    private List<Binding> bindingsFrom(Exchange exchange) {
        Map<BindingId, Binding> from = new LinkedHashMap<>();
        exchange.table().forEach(binding -> {
            if (state.bindings().get(binding.id()) != null) {
                from.put(binding.id(), binding);
            }
        });
        return List.copyOf(from.values());
    }
}
