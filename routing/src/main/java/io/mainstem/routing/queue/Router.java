package io.mainstem.routing.queue;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.RefusingQueue;
import io.mainstem.routing.TopologyView;
import io.mainstem.routing.access.Readers;
import io.mainstem.routing.message.Death;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.queue.LengthLimit.Overflow;
import io.mainstem.routing.topology.Grant;
import io.mainstem.routing.topology.QueueTarget;
import io.mainstem.routing.topology.RouteResult;
import io.mainstem.routing.topology.Topology;
import io.mainstem.store.ExpiryTimes;
import io.mainstem.store.Route;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** From a message to lanes, by what one virtual host's topology is at the moment. Thread: any. */
final class Router {
    private final Topology topology;
    private final Map<Integer, QueueOptions> options;
    private final Set<Integer> refusing;
    private final Readers readers;

    /**
     * @param options by queue id, of all queues that have arguments or a policy; concurrent
     * @param refusing ids of queues that are full and refuse publishes; concurrent
     * @param readers for whom what is routed to a subscription may be queued
     */
    Router(Topology topology, Map<Integer, QueueOptions> options, Set<Integer> refusing, Readers readers) {
        this.topology = topology;
        this.options = options;
        this.refusing = refusing;
        this.readers = readers;
    }

    /** @throws BrokerException if the exchange does not exist, or is internal, or one of the queues is full and refuses */
    Destinations destinations(Message message) {
        Envelope envelope = message.envelope();
        RouteResult routes = topology.snapshot().route(envelope.exchange(), envelope.keys(), message);
        routes = withoutWithheld(routes, envelope);
        if (!refusing.isEmpty()) {
            checkRoom(routes);
        }
        return destinations(routes, envelope);
    }

    /** All queues or none: accepted means that every one has it. */
    private void checkRoom(RouteResult routes) {
        for (RouteResult.Target target : routes.targets()) {
            if (refusing.contains(target.queue().queueId())) {
                throw LengthLimits.full(target.queue().spec().name());
            }
        }
    }

    /**
     * Makes the dead letter of a message that was refused, if a full queue has refused it that asks for that.
     *
     * @param full what has refused it, if a queue has
     * @param publish sends it
     */
    void deadLetter(Message refused, @Nullable RefusingQueue full, BiConsumer<Message, Destinations> publish) {
        QueueTarget queue = full == null ? null : topology.snapshot().queue(full.name());
        QueueOptions its = queue == null ? QueueOptions.NONE : options(queue);
        LengthLimit limit = its.lengthLimit();
        String exchange = its.deadLetterExchange();
        if (queue == null || limit == null || exchange == null || limit.overflow() != Overflow.REJECT_PUBLISH_DLX) {
            return;
        }
        Envelope old = refused.envelope();
        String key = its.deadLetterKey() == null ? old.routingKey() : its.deadLetterKey();
        List<Death> history = DeathHistory.with(old, queue.spec().name(), LengthLimits.REASON, 0, old.arrivalMs());
        Message dead = new Message(old.deadLettered(exchange, key, history), refused.sections());
        // Not back to where it was just refused.
        publish.accept(dead, destinationsFromBroker(dead).keep(lane -> lane.queueId() != queue.queueId()));
    }

    /** As above, for what the broker sends itself: an exchange that is gone leads nowhere [T-3]. */
    Destinations destinationsFromBroker(Message message) {
        Envelope envelope = message.envelope();
        RouteResult routes = topology.snapshot().routeFromBroker(envelope.exchange(), envelope.keys(), message);
        return destinations(withoutWithheld(routes, envelope), envelope).unlimited();
    }

    private RouteResult withoutWithheld(RouteResult routes, Envelope envelope) {
        for (RouteResult.Target target : routes.targets()) {
            if (isWithheld(target.queue().spec(), envelope)) {
                return new RouteResult(routes.targets().stream()
                        .filter(each -> !isWithheld(each.queue().spec(), envelope))
                        .toList());
            }
        }
        return routes;
    }

    /** True if the queue is somebody's who may not read the message, or not any more. Thread: any. */
    boolean isWithheld(QueueSpec queue, Envelope envelope) {
        return readers.withheld(queue, envelope, () -> bindingsOf(queue.name()));
    }

    /** One queue, past all exchanges. */
    Destinations destinationsOf(String queue, Envelope envelope) {
        QueueTarget target = topology.snapshot().queue(queue);
        return target == null
                ? Destinations.NOWHERE
                : single(new RouteResult.Target(target, List.of(), Grant.ALL), envelope)
                        .unlimited();
    }

    boolean exchangeExists(String exchange) {
        return topology.snapshot().exchangeExists(exchange);
    }

    @Nullable
    QueueInfo queue(String name) {
        QueueTarget target = topology.snapshot().queue(name);
        return target == null ? null : new QueueInfo(target.spec(), target.queueId(), false);
    }

    List<BindingSpec> bindingsOf(String queue) {
        return topology.snapshot().bindingsOf(queue);
    }

    TopologyView view() {
        return topology.snapshot().view();
    }

    private Destinations destinations(RouteResult routes, Envelope envelope) {
        List<RouteResult.Target> targets = routes.targets();
        if (targets.isEmpty()) {
            return Destinations.NOWHERE;
        }
        return targets.size() == 1 ? single(targets.get(0), envelope) : several(targets, envelope);
    }

    private Destinations single(RouteResult.Target target, Envelope envelope) {
        QueueTarget queue = target.queue();
        QueueOptions its = options(queue);
        List<Route> route = List.of(route(target, its, envelope));
        if (keepsDurably(target, envelope)) {
            return new Destinations(
                    route, List.of(), List.of(), ExpiryTimes.of(its.expireAtMs(envelope)), limited(its));
        }
        return its.bestEffort() && !reliable(target, envelope)
                ? new Destinations(List.of(), List.of(), route, ExpiryTimes.NEVER, limited(its))
                : new Destinations(List.of(), route, List.of(), ExpiryTimes.NEVER, limited(its));
    }

    /**
     * The lane, and what the MQTT subscriptions that matched now grant [S-7]: they may be others when the message is sent.
     * Queues of sessions have the one lane that takes a stamp.
     */
    private static Route route(RouteResult.Target target, QueueOptions its, Envelope envelope) {
        int lane = its.lane(envelope);
        int stamp = lane > 0 || target.subscriptions().isEmpty()
                ? 0
                : target.grant().qosMax() + 1;
        return new Route(target.queue().queueId(), lane, stamp);
    }

    /** What is said by the stamp of a route or an entry; -1 = nothing. */
    static int grantedQos(int stamp) {
        return stamp - 1;
    }

    /** MQTT: the lesser of published and granted QoS is 1 or 2 [S-8]. */
    private static boolean reliable(RouteResult.Target target, Envelope envelope) {
        return envelope.durable() && target.grant().qosMax() > 0;
    }

    private static boolean keepsDurably(RouteResult.Target target, Envelope envelope) {
        return target.queue().durable() && reliable(target, envelope);
    }

    private Destinations several(List<RouteResult.Target> targets, Envelope envelope) {
        List<Route> stored = new ArrayList<>(targets.size());
        List<Route> inMemory = new ArrayList<>(0);
        List<Route> bestEffort = new ArrayList<>(0);
        long[] expiry = new long[targets.size()];
        boolean limited = false;
        for (RouteResult.Target target : targets) {
            QueueTarget queue = target.queue();
            QueueOptions its = options(queue);
            Route route = route(target, its, envelope);
            limited |= limited(its);
            if (keepsDurably(target, envelope)) {
                expiry[stored.size()] = its.expireAtMs(envelope);
                stored.add(route);
            } else if (its.bestEffort() && !reliable(target, envelope)) {
                bestEffort.add(route);
            } else {
                inMemory.add(route);
            }
        }
        ExpiryTimes times = ExpiryTimes.of(Arrays.copyOf(expiry, stored.size()));
        return new Destinations(stored, inMemory, bestEffort, times, limited);
    }

    private static boolean limited(QueueOptions its) {
        LengthLimit limit = its.lengthLimit();
        return limit != null && limit.overflow().refuses();
    }

    private QueueOptions options(QueueTarget queue) {
        return options.getOrDefault(queue.queueId(), QueueOptions.NONE);
    }
}
