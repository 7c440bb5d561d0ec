package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Policy;
import io.mainstem.store.Durability;
import io.mainstem.store.MetaChange;
import io.mainstem.store.ShardStore;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Policies that are set and deleted: logged, then in force for all queues of the virtual host, and answered when that is
 * so. Thread: shard only.
 */
final class PolicyRequests {
    /** What it takes to find out anew what holds for a queue, as much as a few deliveries. */
    private static final int STEPS_PER_QUEUE = 4;

    private final Shard shard;
    private final ShardStore store;
    private final QueueCatalog queues;

    PolicyRequests(Shard shard, ShardStore store, QueueCatalog queues) {
        this.shard = shard;
        this.store = store;
        this.queues = queues;
    }

    void set(ShardPeer peer, Policy wanted, Reply<@Nullable Void> reply) {
        Policies policies = queues.policies(peer.client().virtualHost());
        reply.orRefuse(() -> {
            Policy policy = policies.checked(wanted);
            submit(policies, peer, policies.set(policy), policy.name(), policy, reply);
        });
    }

    void delete(ShardPeer peer, String name, Reply<@Nullable Void> reply) {
        Policies policies = queues.policies(peer.client().virtualHost());
        reply.orRefuse(() -> {
            if (policies.all().stream().noneMatch(each -> each.name().equals(name))) {
                throw new BrokerException(
                        ErrorKind.NOT_FOUND,
                        "MS-0386",
                        "no policy '" + name + "' in vhost '" + peer.client().virtualHost() + "'.",
                        "correct the name; `mainstem policy list` shows what there is.");
            }
            submit(policies, peer, policies.delete(name), name, null, reply);
        });
    }

    private void submit(
            Policies policies,
            ShardPeer peer,
            MetaChange change,
            String name,
            @Nullable Policy policy,
            Reply<@Nullable Void> reply) {
        store.submit(new LoggedChange(MetaFrames.of(List.of(change)), Durability.SYNC) {
            @Override
            public void onApplied() {
                policies.applied(name, policy);
                ArrayDeque<MessageQueue> left = new ArrayDeque<>();
                queues.all().forEach(left::add);
                shard.work().begin(budget -> renew(left, peer.client().virtualHost(), reply, budget));
            }

            @Override
            void refused() {
                reply.noRoom("the change", store.stateReason());
            }

            @Override
            void inDoubt() {
                reply.inDoubt("the change", store.stateReason());
            }
        });
    }

    private boolean renew(
            ArrayDeque<MessageQueue> left, String virtualHost, Reply<@Nullable Void> reply, TurnBudget budget) {
        while (!left.isEmpty()) {
            if (budget.spent()) {
                return false;
            }
            MessageQueue queue = left.remove();
            if (!queue.deleted() && queue.topology().virtualHost().equals(virtualHost)) {
                budget.spend(STEPS_PER_QUEUE);
                if (queues.renewOptions(queue)) {
                    shard.requests().optionsChanged(queue);
                }
            }
        }
        reply.done();
        return true;
    }
}
