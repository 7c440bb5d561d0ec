package io.mainstem.routing.queue;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.QueueStatus;
import io.mainstem.routing.topology.Plan;
import io.mainstem.routing.topology.QueuePlan;
import io.mainstem.routing.topology.Topology;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.ShardStore;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What sessions ask about topology and consumers. A change is decided at once, logged, and visible and answered when it
 * is on disk; changes become visible in the order they were decided. Thread: shard only.
 */
final class QueueRequests {
    private static final Logger LOG = LoggerFactory.getLogger(QueueRequests.class);

    private final Shard shard;
    private final ShardStore store;
    private final QueueCatalog queues;
    private final UnusedQueues unused = new UnusedQueues();

    QueueRequests(Shard shard, ShardStore store, QueueCatalog queues) {
        this.shard = shard;
        this.store = store;
        this.queues = queues;
    }

    // ---- queues ----------------------------------------------------------------------------------------------

    void declareQueue(ShardPeer peer, QueueSpec spec, Reply<QueueInfo> reply) {
        Topology topology = topology(peer);
        reply.orRefuse(() -> {
            ArgumentNames.check(spec);
            QueueOptions.of(spec);
            checkOwner(peer, queues.planned(topology, spec.name()), spec.name());
            QueuePlan planned = topology.declareQueue(spec, peer.client().user());
            List<Frame> frames = frames(topology, planned.plan(), List.of());
            MessageQueue queue = planned.info().created()
                    ? queues.add(topology, planned.info(), spec.exclusive() ? peer : null)
                    : null;
            Runnable visible = () -> {
                reply.done(planned.info());
                visible(peer, queue);
            };
            commit(
                    topology,
                    planned.plan(),
                    frames,
                    null,
                    new TopologyCommit.Ending(reply, visible, () -> drop(queue)));
        });
    }

    void declareSubscription(ShardPeer peer, QueueSpec spec, BindingSpec binding, Reply<QueueInfo> reply) {
        Topology topology = topology(peer);
        reply.orRefuse(() -> {
            ArgumentNames.check(spec);
            QueueOptions.of(spec);
            SubscriptionRequest request = new SubscriptionRequest(queues, peer, spec, binding);
            checkOwner(peer, request.found(), spec.name());
            QueuePlan planned = request.plan();
            MessageQueue old = request.replaced(planned.info());
            List<Frame> frames = frames(topology, planned.plan(), old == null ? List.of() : purge(old));
            MessageQueue made = request.add(planned.info(), spec.exclusive() ? peer : null);
            Runnable visible = () -> {
                if (old != null) {
                    queues.remove(old);
                }
                visible(peer, made);
                reply.done(planned.info());
            };
            commit(topology, planned.plan(), frames, old, new TopologyCommit.Ending(reply, visible, () -> drop(made)));
        });
    }

    /** It never came to be. */
    private void drop(@Nullable MessageQueue made) {
        if (made != null) {
            queues.remove(made);
        }
    }

    /** A queue has become visible; maybe its session is gone by then. */
    private void visible(ShardPeer peer, @Nullable MessageQueue made) {
        if (made != null) {
            unused.unusedSince(made, shard.nowMs());
            if (made.owner() != null && peer.closed()) {
                delete(made);
            }
        }
    }

    void deleteQueue(ShardPeer peer, String name, boolean ifUnused, boolean ifEmpty, Reply<Long> reply) {
        Topology topology = topology(peer);
        reply.orRefuse(() -> {
            MessageQueue queue = queues.planned(topology, name);
            checkOwner(peer, queue, name);
            if (queue != null) {
                checkUnneeded(queue, ifUnused, ifEmpty);
            }
            Plan some = topology.thinQueue(name);
            if (some != null) {
                thin(peer, topology, some, reply, () -> deleteQueue(peer, name, ifUnused, ifEmpty, reply));
                return;
            }
            Plan plan = topology.deleteQueue(name);
            if (queue != null) {
                long messages = queue.unsettled(store);
                Runnable visible = () -> {
                    queues.remove(queue);
                    reply.done(messages);
                };
                commit(
                        topology,
                        plan,
                        frames(topology, plan, purge(queue)),
                        queue,
                        new TopologyCommit.Ending(reply, visible, () -> {}));
            }
        });
    }

    /** Nobody asked: the queue goes with its session or its last consumer. */
    void delete(MessageQueue queue) {
        if (!queue.deleted() && queues.planned(queue.topology(), queue.name()) == queue) {
            Runnable again = () -> shard.retryLater(() -> deleteIfStillUnused(queue));
            Runnable next = () -> deleteIfStillUnused(queue);
            try {
                Plan some = queue.topology().thinQueue(queue.name());
                if (some != null) {
                    thin(queue.topology(), some, null, new WorkQueue(shard.work()), next, again);
                    return;
                }
                Plan plan = queue.topology().deleteQueue(queue.name());
                commit(
                        queue.topology(),
                        plan,
                        frames(queue.topology(), plan, purge(queue)),
                        queue,
                        new TopologyCommit.Ending(null, () -> queues.remove(queue), again));
            } catch (BrokerException tooLarge) {
                LOG.error(
                        "MS-0339 queue stays though unused queue={} cause=\"{}\" fix: remove some of its bindings, then"
                                + " delete it",
                        queue.name(),
                        tooLarge.getMessage());
            }
        }
    }

    /** What has more bindings than go in one group loses them first, some at a time; what it asked for comes again then. */
    private void thin(ShardPeer peer, Topology topology, Plan some, Reply<?> reply, Runnable again) {
        thin(topology, some, reply, peer.work(), again, () -> {});
    }

    private void thin(
            Topology topology, Plan some, @Nullable Reply<?> reply, WorkQueue work, Runnable again, Runnable refused) {
        Runnable next = () -> work.begin(budget -> {
            if (budget.spent()) {
                return false;
            }
            budget.spend(Topology.BINDINGS_AT_A_TIME);
            again.run();
            return true;
        });
        commit(
                topology,
                some,
                frames(topology, some, List.of()),
                null,
                new TopologyCommit.Ending(reply, next, refused));
    }

    /** The log had no room for its deletion, and nobody asks for it a second time. */
    private void deleteIfStillUnused(MessageQueue queue) {
        ShardPeer owner = queue.owner();
        if (owner == null ? !queue.hasConsumers() : owner.closed()) {
            delete(queue);
        }
    }

    void purgeQueue(ShardPeer peer, String name, Reply<Long> reply) {
        reply.orRefuse(() -> {
            MessageQueue queue = existing(peer, name);
            checkOwner(peer, queue, name);
            new Purge(shard, store, queue, reply).start();
        });
    }

    void status(ShardPeer peer, List<String> names, Reply<List<QueueStatus>> reply) {
        Topology topology = topology(peer);
        List<QueueStatus> all = new ArrayList<>(names.size());
        Iterator<String> left = names.iterator();
        peer.work().begin(budget -> {
            while (left.hasNext() && !budget.spent()) {
                budget.spend(1);
                MessageQueue queue = queues.visible(topology, left.next());
                if (queue != null) {
                    all.add(queue.status(store));
                }
            }
            if (left.hasNext()) {
                return false;
            }
            reply.done(all);
            return true;
        });
    }

    private static List<Frame> purge(MessageQueue queue) {
        return queue.info().spec().durable() ? List.of(Frames.purge(queue.id(), true)) : List.of();
    }

    private void checkUnneeded(MessageQueue queue, boolean ifUnused, boolean ifEmpty) {
        if (ifUnused && queue.hasConsumers()) {
            throw new BrokerException(
                    ErrorKind.PRECONDITION_FAILED,
                    "MS-0332",
                    "queue '" + queue.name() + "' has consumers, wanted none.",
                    "detach them, or delete it without if-unused.");
        }
        if (ifUnused && kept(queue)) {
            throw new BrokerException(
                    ErrorKind.PRECONDITION_FAILED,
                    "MS-0325",
                    "queue '" + queue.name() + "' is kept for subscribers that are away, wanted none.",
                    "end their subscriptions, or delete it without if-unused.");
        }
        if (ifEmpty && queue.unsettled(store) > 0) {
            throw new BrokerException(
                    ErrorKind.PRECONDITION_FAILED,
                    "MS-0333",
                    "queue '" + queue.name() + "' has " + queue.unsettled(store) + " messages, wanted none.",
                    "consume or purge them, or delete it without if-empty.");
        }
    }

    // ---- exchanges and bindings ------------------------------------------------------------------------------

    void declareExchange(ShardPeer peer, ExchangeSpec spec, Reply<@Nullable Void> reply) {
        change(
                peer,
                reply,
                topology -> topology.declareExchange(spec, peer.client().user()));
    }

    void deleteExchange(ShardPeer peer, String name, boolean ifUnused, Reply<@Nullable Void> reply) {
        reply.orRefuse(() -> {
            Topology topology = topology(peer);
            topology.checkDelete(name, ifUnused);
            Plan some = topology.thinExchange(name);
            if (some == null) {
                change(peer, reply, planned -> planned.deleteExchange(name, ifUnused));
            } else {
                thin(peer, topology, some, reply, () -> deleteExchange(peer, name, ifUnused, reply));
            }
        });
    }

    /** Replies with the number of the last change of a retained message that may have been routed without it. */
    void bind(ShardPeer peer, BindingSpec binding, Reply<Long> reply) {
        RetainedMessages retained = queues.retained(peer.client().virtualHost());
        change(peer, reply, () -> reply.done(retained.lastBegun()), topology -> {
            checkOwner(peer, topology, binding);
            return topology.bind(binding, peer.client().user());
        });
    }

    void unbind(ShardPeer peer, BindingSpec binding, Reply<@Nullable Void> reply) {
        change(peer, reply, topology -> {
            checkOwner(peer, topology, binding);
            return topology.unbind(binding);
        });
    }

    private void change(ShardPeer peer, Reply<@Nullable Void> reply, Planner planner) {
        change(peer, reply, reply::done, planner);
    }

    private void change(ShardPeer peer, Reply<?> reply, Runnable whenVisible, Planner planner) {
        Topology topology = topology(peer);
        reply.orRefuse(() -> {
            Plan plan = planner.plan(topology);
            commit(
                    topology,
                    plan,
                    frames(topology, plan, List.of()),
                    null,
                    new TopologyCommit.Ending(reply, whenVisible, () -> {}));
        });
    }

    /** The plan's records; a plan that does not fit one is taken back and refused. */
    private static List<Frame> frames(Topology topology, Plan plan, List<Frame> purge) {
        List<Frame> frames = new ArrayList<>(2);
        try {
            frames.addAll(MetaFrames.of(plan.meta()));
        } catch (IllegalArgumentException tooLarge) {
            topology.discard(plan);
            throw new BrokerException(
                    ErrorKind.INVALID_ARGUMENT,
                    "MS-0339",
                    "the change does not fit the log: " + tooLarge.getMessage() + ".",
                    "use shorter arguments, or remove bindings first.");
        }
        frames.addAll(purge);
        return frames;
    }

    /** @param purged the queue that a record among the frames takes everything out of, or null */
    private void commit(
            Topology topology,
            Plan plan,
            List<Frame> frames,
            @Nullable MessageQueue purged,
            TopologyCommit.Ending ending) {
        if (frames.isEmpty()) {
            topology.apply(plan, ending.visible());
        } else {
            store.submit(new TopologyCommit(store, topology, plan, frames, purged, ending));
        }
    }

    // ---- consumers -------------------------------------------------------------------------------------------

    void attach(ShardPeer peer, String name, ConsumerSpec spec, ConsumerLink link, Reply<ConsumerHandle> reply) {
        reply.orRefuse(() -> {
            if (shard.failed()) {
                throw new BrokerException(
                        ErrorKind.UNAVAILABLE, "MS-0337", "the log has failed.", "connect again after a restart.");
            }
            MessageQueue queue = existing(peer, name);
            if (queues.planned(queue.topology(), name) != queue) {
                throw noQueue(peer, name); // about to go: what is published to it goes with it
            }
            checkOwner(peer, queue, name);
            QueueConsumers others = queue.consumers();
            if (others != null && (spec.exclusive() || others.anyExclusive())) {
                throw new BrokerException(
                        ErrorKind.LOCKED,
                        "MS-0334",
                        "queue '" + name + "' has " + others.all().size() + " consumers, and "
                                + (spec.exclusive() ? "an exclusive one was asked for." : "one of them is exclusive."),
                        "wait until they are detached.");
            }
            Consumer consumer = new Consumer(queue, spec, peer, link);
            consumer.scan(queue.scanFor(spec));
            queue.attach(consumer);
            peer.consumers().add(consumer);
            link.attached(consumer);
            reply.done(link);
        });
    }

    /** An auto-delete queue goes with its last consumer, one that expires goes some time after it. */
    void consumerLeft(MessageQueue queue) {
        if (queue.hasConsumers()) {
            return;
        }
        if (queue.info().spec().autoDelete()) {
            deleteUnlessKept(queue);
        } else {
            unused.unusedSince(queue, shard.nowMs());
        }
    }

    private void deleteUnlessKept(MessageQueue queue) {
        if (!kept(queue)) {
            delete(queue);
        }
    }

    /** Somebody who is away goes on with it. */
    private boolean kept(MessageQueue queue) {
        String keptBy = queue.options().keptBy();
        return keptBy != null && shard.records().anyBelow(queue.topology().virtualHost(), keptBy);
    }

    /** A policy has changed what holds for the queue. */
    void optionsChanged(MessageQueue queue) {
        if (!queue.hasConsumers()) {
            unused.unusedSince(queue, shard.nowMs());
        }
        shard.limits().changed(queue);
        if (queue.options().messageTtlMs() >= 0) {
            shard.sweeps().recovered(queue); // it may be less than what waiting messages came with
        }
        shard.dispatcher().markDirty(queue);
    }

    /** Deletes queues that nobody has used for too long; false if there are more. */
    boolean expireUnused(TurnBudget budget) {
        return unused.fire(shard.nowMs(), budget, this::delete);
    }

    /** Queues that only what a crash has ended has kept go; the others are unused from now on. */
    void recovered() {
        List<MessageQueue> orphans = new ArrayList<>();
        for (MessageQueue queue : queues.all()) {
            unused.unusedSince(queue, shard.nowMs());
            boolean kept = queue.options().keptBy() == null || kept(queue);
            if (queue.info().spec().exclusive() || (queue.info().spec().autoDelete() && !kept)) {
                orphans.add(queue);
            }
        }
        orphans.forEach(this::delete);
    }

    private Topology topology(ShardPeer peer) {
        return queues.topology(peer.client().virtualHost());
    }

    private MessageQueue existing(ShardPeer peer, String name) {
        MessageQueue queue = queues.visible(topology(peer), name);
        if (queue == null) {
            throw noQueue(peer, name);
        }
        return queue;
    }

    /** What is bound to an exclusive queue is its owner's to say. */
    private void checkOwner(ShardPeer peer, Topology topology, BindingSpec binding) {
        if (binding.toQueue()) {
            checkOwner(peer, queues.planned(topology, binding.destination()), binding.destination());
        }
    }

    private static BrokerException noQueue(ShardPeer peer, String name) {
        return new BrokerException(
                ErrorKind.NOT_FOUND,
                "MS-0303",
                "no queue '" + name + "' in vhost '" + peer.client().virtualHost() + "'.",
                "declare it first, or correct the name");
    }

    private static void checkOwner(ShardPeer peer, @Nullable MessageQueue queue, String name) {
        if (queue != null && queue.owner() != null && queue.owner() != peer) {
            throw new BrokerException(
                    ErrorKind.LOCKED,
                    "MS-0335",
                    "cannot obtain exclusive access to locked queue '" + name + "' in vhost '"
                            + peer.client().virtualHost()
                            + "': it belongs to another connection, or the exclusive property value does not match"
                            + " that of the original declaration.",
                    "use it on the connection that declared it.");
        }
    }

    /** Decides one change. */
    private interface Planner {
        Plan plan(Topology topology);
    }
}
