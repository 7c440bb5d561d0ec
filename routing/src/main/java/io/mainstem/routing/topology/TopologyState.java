package io.mainstem.routing.topology;

import io.mainstem.routing.ExchangeSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * Everything a virtual host has declared. Immutable; a change shares all it does not touch. Changes fold in any order
 * without failing: what is there already or has no ends is left as it is, so that live and replay agree.
 *
 * @param byDestination bindings by what they lead to
 * @param sorted the same again in order, and who has made it
 * @param routeEpoch counts the changes that may alter a route other than the default exchange's
 */
record TopologyState(
        PersistentMap<String, Exchange> exchanges,
        PersistentMap<String, QueueTarget> queues,
        PersistentMap<BindingId, Binding> bindings,
        PersistentMap<Destination, PersistentMap<BindingId, Binding>> byDestination,
        Catalog sorted,
        long routeEpoch) {

    static final TopologyState INITIAL = initial();

    private static TopologyState initial() {
        PersistentMap<String, Exchange> exchanges = PersistentMap.empty();
        Catalog sorted = new Catalog(SortedKeys.empty(), SortedKeys.empty(), SortedKeys.empty(), Makers.NONE);
        for (Exchange exchange : Exchange.PREDECLARED) {
            exchanges = exchanges.with(exchange.name(), exchange);
            sorted = sorted.withExchange(exchange.name());
        }
        return new TopologyState(
                exchanges, PersistentMap.empty(), PersistentMap.empty(), PersistentMap.empty(), sorted, 0);
    }

    TopologyState withExchange(ExchangeSpec spec) {
        return exchanges.get(spec.name()) != null
                ? this
                : exchanges(
                        exchanges.with(spec.name(), Exchange.of(spec, routeEpoch + 1)),
                        sorted.withExchange(spec.name()));
    }

    TopologyState withoutExchange(String name) {
        return exchanges(exchanges.without(name), sorted.withoutExchange(name));
    }

    TopologyState withQueue(QueueTarget queue) {
        return queues(queues.with(queue.name(), queue), sorted.withQueue(queue.name()));
    }

    TopologyState withoutQueue(String name) {
        return queues(queues.without(name), sorted.withoutQueue(name));
    }

    TopologyState withBinding(Binding binding) {
        Exchange source = exchanges.get(binding.spec().source());
        if (source == null || bindings.get(binding.id()) != null || !exists(binding.destination())) {
            return this;
        }
        return new TopologyState(
                exchanges.with(source.name(), source.with(binding, routeEpoch + 1)),
                queues,
                bindings.with(binding.id(), binding),
                byDestination.with(
                        binding.destination(), at(binding.destination()).with(binding.id(), binding)),
                sorted.withBinding(binding.id()),
                routeEpoch + 1);
    }

    TopologyState withoutBinding(BindingId id) {
        Binding binding = bindings.get(id);
        if (binding == null) {
            return this;
        }
        Exchange source = exchanges.get(binding.spec().source());
        Destination destination = binding.destination();
        PersistentMap<BindingId, Binding> rest = at(destination).without(id);
        return new TopologyState(
                source == null ? exchanges : exchanges.with(source.name(), source.without(binding, routeEpoch + 1)),
                queues,
                bindings.without(id),
                rest.isEmpty() ? byDestination.without(destination) : byDestination.with(destination, rest),
                sorted.withoutBinding(id),
                routeEpoch + 1);
    }

    boolean exists(Destination destination) {
        return destination.queue() ? queues.get(destination.name()) != null : exchanges.get(destination.name()) != null;
    }

    List<Binding> bindingsTo(Destination destination) {
        List<Binding> list = new ArrayList<>();
        at(destination).forEach((id, binding) -> list.add(binding));
        return list;
    }

    private PersistentMap<BindingId, Binding> at(Destination destination) {
        PersistentMap<BindingId, Binding> found = byDestination.get(destination);
        return found == null ? PersistentMap.empty() : found;
    }

    private TopologyState exchanges(PersistentMap<String, Exchange> changed, Catalog names) {
        return changed == exchanges
                ? this
                : new TopologyState(changed, queues, bindings, byDestination, names, routeEpoch + 1);
    }

    private TopologyState queues(PersistentMap<String, QueueTarget> changed, Catalog names) {
        return new TopologyState(exchanges, changed, bindings, byDestination, names, routeEpoch);
    }

    /** This, with what a user has made noted as the user's. */
    TopologyState madeBy(Object thing, Makers.Share share) {
        return new TopologyState(
                exchanges,
                queues,
                bindings,
                byDestination,
                sorted.makers(sorted.makers().with(thing, share)),
                routeEpoch);
    }

    /** Names, and ids of bindings, for lists; and who has made them. */
    record Catalog(
            SortedKeys<String> queues, SortedKeys<String> exchanges, SortedKeys<BindingId> bindings, Makers makers) {
        Catalog withQueue(String name) {
            return new Catalog(queues.with(name), exchanges, bindings, makers);
        }

        Catalog withoutQueue(String name) {
            return new Catalog(queues.without(name), exchanges, bindings, makers.without(new Destination(name, true)));
        }

        Catalog withExchange(String name) {
            return new Catalog(queues, exchanges.with(name), bindings, makers);
        }

        Catalog withoutExchange(String name) {
            return new Catalog(queues, exchanges.without(name), bindings, makers.without(new Destination(name, false)));
        }

        Catalog withBinding(BindingId id) {
            return new Catalog(queues, exchanges, bindings.with(id), makers);
        }

        Catalog withoutBinding(BindingId id) {
            return new Catalog(queues, exchanges, bindings.without(id), makers.without(id));
        }

        Catalog makers(Makers changed) {
            return new Catalog(queues, exchanges, bindings, changed);
        }
    }
}
