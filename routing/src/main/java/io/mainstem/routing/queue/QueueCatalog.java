package io.mainstem.routing.queue;

import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Policy;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.Readers;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.topology.QueueTarget;
import io.mainstem.routing.topology.Topology;
import io.mainstem.routing.topology.TopologyLimits;
import io.mainstem.routing.topology.VirtualHosts;
import io.mainstem.store.Lane;
import io.mainstem.store.ShardStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All queues of the shard, by id and by name. Thread: shard only, except where a method says otherwise.
 *
 * <p>A queue is in here from the moment its declaration is decided; clients see it when that is on disk.
 */
final class QueueCatalog {
    private final ShardStore store;
    private final TransientBudget budget;
    private final LogReads reads;
    private final LastValueBudget lastValueBudget;
    private final Supplier<AccessPolicy> access;
    private final Map<Integer, MessageQueue> byId = new HashMap<>();
    private final Map<Integer, QueueOptions> options = new ConcurrentHashMap<>();
    private final Set<Integer> refusing = ConcurrentHashMap.newKeySet();
    private final Map<String, Router> routers = new ConcurrentHashMap<>();
    private final Map<String, RetainedMessages> retained = new ConcurrentHashMap<>();
    private final Map<String, TemporaryRegister> temporary = new ConcurrentHashMap<>();
    private final Map<String, Policies> policies = new ConcurrentHashMap<>();
    private final VirtualHosts hosts;

    QueueCatalog(
            ShardStore store,
            TransientBudget budget,
            LogReads reads,
            LastValueBudget lastValueBudget,
            Supplier<AccessPolicy> access,
            TopologyLimits limits) {
        this.store = store;
        this.budget = budget;
        this.reads = reads;
        this.lastValueBudget = lastValueBudget;
        this.access = access;
        this.hosts = VirtualHosts.restore(store.meta(), limits);
    }

    /**
     * Makes the queues that the log knows, with what is in them. Thread: any, before the shard starts.
     *
     * @param filled told of each queue that holds something
     */
    void recover(java.util.function.Consumer<MessageQueue> filled) {
        for (Topology topology : hosts.all()) {
            policies.put(topology.virtualHost(), Policies.restore(topology.virtualHost(), store.meta()));
            retained.put(topology.virtualHost(), RetainedMessages.restore(topology.virtualHost(), store));
            topology.snapshot()
                    .forEachQueue(target -> add(topology, new QueueInfo(target.spec(), target.queueId(), false), null));
        }
        for (Lane lane : store.lanes()) {
            MessageQueue queue = byId.get((int) (lane.laneId() >>> 8));
            if (queue != null) {
                queue.storedReady((int) (lane.laneId() & 0xff));
                filled.accept(queue);
            }
        }
    }

    /** The virtual host's way from a message to lanes, or null if there is none of that name. Thread: any. */
    @Nullable
    Router router(String virtualHost) {
        Topology topology = hosts.topology(virtualHost);
        return topology == null
                ? null
                : routers.computeIfAbsent(
                        virtualHost, name -> new Router(topology, options, refusing, new Readers(access, virtualHost)));
    }

    /** The virtual host's retained messages. Thread: any. */
    RetainedMessages retained(String virtualHost) {
        return retained.computeIfAbsent(virtualHost, name -> new RetainedMessages(name, store));
    }

    /** The virtual host's temporary nodes. Thread: any. */
    TemporaryRegister temporaryNodes(String virtualHost) {
        return temporary.computeIfAbsent(virtualHost, name -> new TemporaryRegister());
    }

    /** @throws IllegalStateException if the session's virtual host is gone, which nothing can cause yet */
    Topology topology(String virtualHost) {
        Topology topology = hosts.topology(virtualHost);
        if (topology == null) {
            throw new IllegalStateException("virtual host '" + virtualHost + "' of an open session does not exist");
        }
        return topology;
    }

    /** Ids of queues that refuse publishes. Thread: any. */
    Set<Integer> refusing() {
        return refusing;
    }

    /** For ids of lanes that belong to no queue. */
    VirtualHosts hosts() {
        return hosts;
    }

    Iterable<MessageQueue> all() {
        return byId.values();
    }

    @Nullable
    MessageQueue byId(int queueId) {
        return byId.get(queueId);
    }

    /** The queue that has the name, or null. */
    @Nullable
    MessageQueue visible(Topology topology, String name) {
        QueueTarget target = topology.snapshot().queue(name);
        return target == null ? null : byId.get(target.queueId());
    }

    /** The queue that will have the name once all that is decided is on disk, or null. */
    @Nullable
    MessageQueue planned(Topology topology, String name) {
        QueueTarget target = topology.planned(name);
        return target == null ? null : byId.get(target.queueId());
    }

    /** Where a message that the queue's virtual host moves by itself goes. */
    Destinations destinationsFromBroker(MessageQueue queue, Message message) {
        Router router = router(queue.topology().virtualHost());
        return router == null ? Destinations.NOWHERE : router.destinationsFromBroker(message);
    }

    /** True if who owns the queue may not read the message any more. */
    boolean isWithheld(MessageQueue queue, Message message) {
        if (queue.info().spec().owner() == null) {
            return false;
        }
        Router router = router(queue.topology().virtualHost());
        return router != null && router.isWithheld(queue.info().spec(), message.envelope());
    }

    /** @param owner the session it belongs to, or null */
    MessageQueue add(Topology topology, QueueInfo info, @Nullable ShardPeer owner) {
        MessageQueue queue = new MessageQueue(topology, info, QueueOptions.of(info.spec()), owner);
        byId.put(info.queueId(), queue);
        renewOptions(queue);
        LastValueKey key = queue.options().lastValueKey();
        if (key != null) {
            queue.lastValues(new LastValues(key, lastValueBudget));
        }
        if (owner != null) {
            owner.exclusiveQueues().add(queue);
        }
        return queue;
    }

    /** Finds out anew what holds for the queue; true if that is something else than before. */
    boolean renewOptions(MessageQueue queue) {
        Policy policy = policies(queue.topology().virtualHost()).governing(queue.name());
        QueueOptions its = QueueOptions.of(Policies.effective(queue.info().spec(), policy));
        queue.policy(policy);
        if (its.equals(QueueOptions.NONE)) {
            options.remove(queue.id());
        } else {
            options.put(queue.id(), its);
        }
        boolean changed = !its.equals(queue.options());
        queue.options(its);
        return changed;
    }

    /** The virtual host's policies. Thread: any. */
    Policies policies(String virtualHost) {
        return policies.computeIfAbsent(virtualHost, name -> Policies.restore(name, new TreeMap<>()));
    }

    /** The queue is gone: consumers are told, memory is freed. */
    void remove(MessageQueue queue) {
        if (queue.deleted()) {
            return;
        }
        queue.markDeleted();
        byId.remove(queue.id());
        options.remove(queue.id());
        refusing.remove(queue.id());
        ShardPeer owner = queue.owner();
        if (owner != null) {
            owner.exclusiveQueues().remove(queue);
        }
        QueueConsumers consumers = queue.consumers();
        if (consumers != null) {
            for (Consumer consumer : consumers.all()) {
                consumer.cancelled(ErrorKind.DELETED, "queue '" + queue.name() + "' has been deleted");
                consumer.close();
                reads.discard(consumer);
                consumer.peer().consumers().remove(consumer);
            }
        }
        LastValues values = queue.lastValues();
        if (values != null) {
            values.index.free();
        }
        budget.dropped(queue);
        reads.discard(queue);
        if (queue.scans() != null) {
            queue.scans().all().forEach(reads::discard);
        }
    }
}
