package io.mainstem.routing.queue;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.topology.QueuePlan;
import io.mainstem.routing.topology.Topology;
import org.jspecify.annotations.Nullable;

/**
 * A queue that listens to one thing only: made, found as it is wanted, or dropped and made anew, with its binding in
 * one record group [S-2]. Thread: shard only.
 */
final class SubscriptionRequest {
    private final QueueCatalog queues;
    private final QueueSpec spec;
    private final BindingSpec binding;
    private final Topology topology;
    private final @Nullable String user;
    private final @Nullable MessageQueue found;

    SubscriptionRequest(QueueCatalog queues, ShardPeer peer, QueueSpec spec, BindingSpec binding) {
        this.queues = queues;
        this.topology = queues.topology(peer.client().virtualHost());
        this.user = peer.client().user();
        this.spec = spec;
        this.binding = binding;
        this.found = queues.planned(topology, spec.name());
    }

    /** The queue of that name before, or null. */
    @Nullable
    MessageQueue found() {
        return found;
    }

    /** Decides. @throws BrokerException LOCKED if the found one has to go and has consumers */
    QueuePlan plan() {
        QueuePlan planned = topology.declareSubscription(spec, binding, user);
        MessageQueue old = replaced(planned.info());
        if (old != null && old.hasConsumers()) {
            topology.discard(planned.plan());
            throw new BrokerException(
                    ErrorKind.LOCKED,
                    "MS-0347",
                    "subscription '" + spec.name() + "' has consumers and listens elsewhere: wanted " + heard(binding)
                            + ".",
                    "close its consumers, or use another subscription name.");
        }
        return planned;
    }

    /** The queue that goes by this plan, or null. */
    @Nullable
    MessageQueue replaced(QueueInfo planned) {
        return planned.created() ? found : null;
    }

    /** The new queue is there from now on, not visible yet. */
    @Nullable
    MessageQueue add(QueueInfo planned, @Nullable ShardPeer owner) {
        return planned.created() ? queues.add(topology, planned, owner) : null;
    }

    private static String heard(BindingSpec binding) {
        return "exchange '" + binding.source() + "' key '" + binding.key() + "' arguments " + binding.arguments();
    }
}
