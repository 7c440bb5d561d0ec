package io.mainstem.routing.topology;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import io.mainstem.store.MetaChange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges, queues and bindings of one virtual host: first decided, then logged, then visible.
 *
 * <p>The declaring methods validate against everything planned so far and give a {@link Plan}; nothing is visible yet.
 * The caller logs {@link Plan#meta} and hands the plan to {@link #apply} once that is durable. Plans become visible in
 * the order they were made, whatever the order of {@code apply}; that holds for empty ones, too, so that "it exists
 * already" is never said before it is so.
 *
 * <p>Thread: shard, except {@link #snapshot}. The declaring methods throw {@link BrokerException} and then have changed
 * nothing.
 */
public final class Topology {
    /** So many fit in a group, however long the name of the virtual host is. */
    public static final int BINDINGS_AT_A_TIME = 2048;

    private final String virtualHost;
    private final MetaKeys keys;
    private final QueueIds ids;
    private final TopologyLimits limits;
    private final RouteCache cache = new RouteCache();
    private final UnmappableKeys unmappable = new UnmappableKeys();
    private final Deque<Plan> pending = new ArrayDeque<>();
    private TopologyState planned = TopologyState.INITIAL;
    private volatile RoutingSnapshot snapshot = new RoutingSnapshot(TopologyState.INITIAL, cache, unmappable);

    Topology(String virtualHost, QueueIds ids, TopologyLimits limits) {
        this.virtualHost = virtualHost;
        this.keys = new MetaKeys(virtualHost);
        this.ids = ids;
        this.limits = limits;
    }

    /** Name of the virtual host. */
    public String virtualHost() {
        return virtualHost;
    }

    /** What is visible now. Thread: any. */
    public RoutingSnapshot snapshot() {
        return snapshot;
    }

    /** Messages that passed MQTT subscriptions by. Thread: any. */
    public long unmappable() {
        return unmappable.count();
    }

    /** The queue that will have the name once all plans are applied, or null. */
    public @Nullable QueueTarget planned(String queue) {
        return planned.queues().get(queue);
    }

    /** As below, by nobody in particular. */
    public QueuePlan declareQueue(QueueSpec spec) {
        return declareQueue(spec, null);
    }

    /**
     * Plans a queue; an equal one that exists or is planned gives an empty plan.
     *
     * @param user who makes it, for the users' shares; null = anonymous
     * @throws BrokerException PRECONDITION_FAILED, INVALID_ARGUMENT, ACCESS_REFUSED
     */
    public QueuePlan declareQueue(QueueSpec spec, @Nullable String user) {
        QueueTarget found = planned.queues().get(spec.name());
        if (found != null) {
            Equivalence.check(virtualHost, spec, found.spec());
            return new QueuePlan(plan(new Draft(planned)), new QueueInfo(found.spec(), found.queueId(), false));
        }
        Declarations.check(spec);
        limits.checkQueues(planned.queues().size(), virtualHost, spec.name());
        Draft draft = new Draft(planned);
        madeBy(draft, Makers.Kind.QUEUE, new Destination(spec.name(), true), spec.name(), user);
        int queueId = ids.next();
        draft.add(new TopologyChange.AddQueue(QueueTarget.of(queueId, spec)));
        return new QueuePlan(plan(draft), new QueueInfo(spec, queueId, true));
    }

    /** As below, by nobody in particular. */
    public QueuePlan declareSubscription(QueueSpec spec, BindingSpec wanted) {
        return declareSubscription(spec, wanted, null);
    }

    /**
     * Plans a queue whose only binding is this one. One that exists so already gives an empty plan; another one of that
     * name goes, with its bindings, in the same plan [S-2]. One without a kind on record gets the one it is used as [S-1].
     *
     * @param user as above
     * @throws BrokerException NOT_FOUND if the exchange does not exist, or goes with the binding that is replaced;
     *     PRECONDITION_FAILED if the subscription is of the other kind; INVALID_ARGUMENT, ACCESS_REFUSED
     */
    public QueuePlan declareSubscription(QueueSpec spec, BindingSpec wanted, @Nullable String user) {
        Declarations.check(spec);
        Declarations.check(wanted, source(wanted).spec().type());
        Draft draft = new Draft(planned);
        QueueTarget found = planned.queues().get(spec.name());
        if (found != null) {
            if (Subscribing.isSame(spec, found.spec()) && isOnlyBinding(wanted)) {
                if (!found.spec().equals(spec)) {
                    draft.add(new TopologyChange.AddQueue(QueueTarget.of(found.queueId(), spec)));
                }
                return new QueuePlan(plan(draft), new QueueInfo(spec, found.queueId(), false));
            }
            draft.removeQueue(found);
        }
        limits.checkQueues(draft.state().queues().size(), virtualHost, spec.name());
        limits.checkBindings(draft.state().bindings().size(), virtualHost, spec.name());
        Exchange source = draft.state().exchanges().get(wanted.source());
        if (source == null) {
            throw RoutingSnapshot.noExchange(wanted.source(), virtualHost);
        }
        madeBy(draft, Makers.Kind.QUEUE, new Destination(spec.name(), true), spec.name(), user);
        madeBy(draft, Makers.Kind.BINDING, BindingId.of(wanted), spec.name(), user);
        int queueId = ids.next();
        draft.add(new TopologyChange.AddQueue(QueueTarget.of(queueId, spec)));
        boolean durable = spec.durable() && source.spec().durable();
        draft.add(new TopologyChange.AddBinding(Binding.of(wanted, durable)));
        return new QueuePlan(plan(draft), new QueueInfo(spec, queueId, true));
    }

    private boolean isOnlyBinding(BindingSpec wanted) {
        List<Binding> bindings = planned.bindingsTo(new Destination(wanted.destination(), true));
        return bindings.size() == 1 && bindings.get(0).id().equals(BindingId.of(wanted));
    }

    /**
     * Plans the end of a queue and of its bindings.
     *
     * @throws BrokerException NOT_FOUND
     */
    public Plan deleteQueue(String name) {
        QueueTarget queue = planned.queues().get(name);
        if (queue == null) {
            throw noQueue(name);
        }
        Draft draft = new Draft(planned);
        draft.removeQueue(queue);
        return plan(draft);
    }

    /**
     * Plans the end of some bindings to a queue that has more of them than go in one group; null if it has not. What it leaves is as
     * sound as what was there, after a crash, too.
     */
    public @Nullable Plan thinQueue(String name) {
        return planned.queues().get(name) == null ? null : thin(planned.bindingsTo(new Destination(name, true)));
    }

    /** As {@link #thinQueue}, of the bindings from and to an exchange. */
    public @Nullable Plan thinExchange(String name) {
        Exchange exchange = planned.exchanges().get(name);
        if (exchange == null) {
            return null;
        }
        Map<BindingId, Binding> all = new LinkedHashMap<>();
        exchange.table().forEach(binding -> all.put(binding.id(), binding));
        planned.bindingsTo(new Destination(name, false)).forEach(binding -> all.put(binding.id(), binding));
        return thin(List.copyOf(all.values()));
    }

    private @Nullable Plan thin(List<Binding> bindings) {
        if (bindings.size() <= BINDINGS_AT_A_TIME) {
            return null;
        }
        Draft draft = new Draft(planned);
        draft.removeBindings(bindings.subList(0, BINDINGS_AT_A_TIME));
        return plan(draft);
    }

    /** As below, by nobody in particular. */
    public Plan declareExchange(ExchangeSpec spec) {
        return declareExchange(spec, null);
    }

    /**
     * Plans an exchange; an equal one that exists or is planned gives an empty plan.
     *
     * @param user as above
     * @throws BrokerException PRECONDITION_FAILED, INVALID_ARGUMENT, ACCESS_REFUSED
     */
    public Plan declareExchange(ExchangeSpec spec, @Nullable String user) {
        Declarations.check(spec);
        Exchange found = planned.exchanges().get(spec.name());
        Draft draft = new Draft(planned);
        if (found != null) {
            Equivalence.check(virtualHost, spec, found.spec());
        } else {
            limits.checkExchanges(planned.exchanges().size(), virtualHost, spec.name());
            madeBy(draft, Makers.Kind.EXCHANGE, new Destination(spec.name(), false), spec.name(), user);
            draft.add(new TopologyChange.AddExchange(spec));
        }
        return plan(draft);
    }

    /**
     * Plans the end of an exchange and of all bindings from and to it.
     *
     * @param ifUnused refuse if a binding has it as its source
     * @throws BrokerException NOT_FOUND, PRECONDITION_FAILED, ACCESS_REFUSED
     */
    public Plan deleteExchange(String name, boolean ifUnused) {
        Exchange exchange = deletable(name, ifUnused);
        Draft draft = new Draft(planned);
        draft.removeExchange(exchange);
        return plan(draft);
    }

    /**
     * Says whether {@link #deleteExchange} would take it.
     *
     * @throws BrokerException as there
     */
    public void checkDelete(String name, boolean ifUnused) {
        deletable(name, ifUnused);
    }

    private Exchange deletable(String name, boolean ifUnused) {
        Declarations.checkDelete(name);
        Exchange exchange = exchange(name);
        if (ifUnused && exchange.bindings() > 0) {
            throw new BrokerException(
                    ErrorKind.PRECONDITION_FAILED,
                    "MS-0307",
                    "exchange '" + name + "' in virtual host '" + virtualHost + "' has " + exchange.bindings()
                            + " bindings, wanted none.",
                    "unbind them, or delete it without if-unused");
        }
        return exchange;
    }

    /** As below, by nobody in particular. */
    public Plan bind(BindingSpec spec) {
        return bind(spec, null);
    }

    /**
     * Plans a binding; one that exists or is planned gives an empty plan. An MQTT subscription with other options takes
     * the place of the one that exists [S-9].
     *
     * @param user as above
     * @throws BrokerException NOT_FOUND, INVALID_ARGUMENT, ACCESS_REFUSED
     */
    public Plan bind(BindingSpec spec, @Nullable String user) {
        Exchange source = source(spec);
        boolean durable = destinationDurable(spec) && source.spec().durable();
        Declarations.check(spec, source.spec().type());
        Draft draft = new Draft(planned);
        Binding binding = Binding.of(spec, durable);
        Binding before = planned.bindings().get(binding.id());
        if (before == null || !Equivalence.sameArguments(spec, before.spec())) {
            if (before != null) {
                draft.add(new TopologyChange.RemoveBinding(before.id(), before.durable()));
            }
            limits.checkBindings(draft.state().bindings().size(), virtualHost, spec.destination());
            madeBy(draft, Makers.Kind.BINDING, binding.id(), spec.destination(), user);
            draft.add(new TopologyChange.AddBinding(binding));
        }
        return plan(draft);
    }

    /**
     * Plans the end of a binding; none that matches gives an empty plan [mapping 5.2].
     *
     * @throws BrokerException NOT_FOUND if the source or the destination does not exist; ACCESS_REFUSED
     */
    public Plan unbind(BindingSpec spec) {
        source(spec);
        destinationDurable(spec);
        Draft draft = new Draft(planned);
        Binding binding = planned.bindings().get(BindingId.of(spec));
        if (binding != null) {
            draft.removeBinding(binding);
        }
        return plan(draft);
    }

    /**
     * Says that a plan's {@link Plan#meta} has been applied by the log (or that it has none). The plan becomes visible
     * in {@link #snapshot} as soon as all earlier ones are, maybe within this call.
     *
     * @param visible run then, in plan order
     */
    public void apply(Plan plan, Runnable visible) {
        plan.durable(visible);
        for (MetaChange change : plan.meta()) {
            if (change.key().equals(MetaKeys.QUEUE_IDS)) {
                ids.logged(change);
            }
        }
        List<Runnable> done = new ArrayList<>();
        TopologyState state = snapshot.state();
        for (Plan head = pending.peek(); head != null && head.done() != null; head = pending.peek()) {
            pending.remove();
            state = fold(state, head);
            Runnable next = head.done();
            if (next != null) {
                done.add(next);
            }
        }
        snapshot = new RoutingSnapshot(state, cache, unmappable);
        done.forEach(Runnable::run);
    }

    /** Takes back a plan whose {@link Plan#meta} was certainly not logged. */
    public void discard(Plan plan) {
        if (!pending.remove(plan)) {
            return;
        }
        planned = snapshot.state();
        for (Plan other : pending) {
            planned = fold(planned, other);
        }
    }

    /** Takes over what the log knows of this virtual host. */
    void restore(SortedMap<String, byte[]> image) {
        TopologyState state = TopologyState.INITIAL;
        for (byte[] value : below(image, keys.exchanges())) {
            state = state.withExchange(SpecCodec.decodeExchange(value));
        }
        for (byte[] value : below(image, keys.queues())) {
            state = state.withQueue(SpecCodec.decodeQueue(value));
        }
        for (byte[] value : below(image, keys.bindings())) {
            state = state.withBinding(Binding.restored(SpecCodec.decodeBinding(value)));
        }
        planned = state;
        snapshot = new RoutingSnapshot(state, cache, unmappable);
    }

    private static Iterable<byte[]> below(SortedMap<String, byte[]> image, String prefix) {
        return image.subMap(prefix, prefix.substring(0, prefix.length() - 1) + '0')
                .values();
    }

    /** Checks the user's share, and notes what is about to be made as part of it. */
    private void madeBy(Draft draft, Makers.Kind kind, Object thing, String name, @Nullable String user) {
        Makers.Share share = limits.share(kind, user);
        if (share != null) {
            limits.checkShare(share, draft.state().sorted().makers().count(share), virtualHost, name);
            draft.add(new TopologyChange.MadeBy(thing, share));
        }
    }

    private Plan plan(Draft draft) {
        List<MetaChange> meta = new ArrayList<>();
        boolean givesId = draft.changes().stream().anyMatch(TopologyChange.AddQueue.class::isInstance);
        MetaChange reservation = givesId ? ids.reservation() : null;
        if (reservation != null) {
            meta.add(reservation);
        }
        for (TopologyChange change : draft.changes()) {
            if (change.durable()) {
                meta.add(change.toMeta(keys));
            }
        }
        planned = draft.state();
        Plan plan = new Plan(draft.changes(), meta);
        pending.add(plan);
        return plan;
    }

    private static TopologyState fold(TopologyState from, Plan plan) {
        TopologyState state = from;
        for (TopologyChange change : plan.changes()) {
            state = change.applyTo(state);
        }
        return state;
    }

    private Exchange source(BindingSpec spec) {
        if (spec.source().equals(Exchange.DEFAULT)) {
            throw Declarations.reserved("exchange", spec.source());
        }
        return exchange(spec.source());
    }

    private boolean destinationDurable(BindingSpec spec) {
        if (!spec.toQueue()) {
            if (spec.destination().equals(Exchange.DEFAULT)) {
                throw Declarations.reserved("exchange", spec.destination());
            }
            return exchange(spec.destination()).spec().durable();
        }
        QueueTarget queue = planned.queues().get(spec.destination());
        if (queue == null) {
            throw noQueue(spec.destination());
        }
        return queue.durable();
    }

    private Exchange exchange(String name) {
        Exchange found = planned.exchanges().get(name);
        if (found == null) {
            throw RoutingSnapshot.noExchange(name, virtualHost);
        }
        return found;
    }

    private BrokerException noQueue(String name) {
        return new BrokerException(
                ErrorKind.NOT_FOUND,
                "MS-0303",
                "no queue '" + name + "' in vhost '" + virtualHost + "'.",
                "declare it first, or correct the name");
    }
}
