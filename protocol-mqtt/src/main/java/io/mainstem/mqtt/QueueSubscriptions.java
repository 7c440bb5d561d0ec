package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Reason;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.HeadRecord;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.topology.TopicNames;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The shared and queue subscriptions of one session. Thread: the connection's event loop. */
final class QueueSubscriptions {
    /** Times a group's queue may go while somebody joins. */
    private static final int JOINS_MAX = 5;

    private final BrokerSession broker;
    private final SessionStore store;
    private final boolean durable;
    private final SessionQueuePolicy policy;
    private final Outbound outbound;
    private final LostFilters lost;
    private final Map<String, Member> members = new HashMap<>();
    /** Filters whose queue is being made. */
    private final Set<String> joining = new HashSet<>();
    /** The session has them, and this connection gets nothing of them. */
    private final Map<String, QueueSubscription> idle = new HashMap<>(0);

    private record Member(QueueSubscription subscription, DeliverySource source) {}

    QueueSubscriptions(BrokerSession broker, ConnectedSession.Durables durables, Outbound outbound, LostFilters lost) {
        this.lost = lost;
        this.broker = broker;
        this.store = durables.store();
        this.durable = durables.durable();
        this.policy = durables.policy();
        this.outbound = outbound;
    }

    boolean has(String filter) {
        return members.containsKey(filter) || idle.containsKey(filter);
    }

    /** Those included that are under way. */
    int size() {
        return members.size() + joining.size() + idle.size();
    }

    /** Joins again what the session was a member of; a group whose queue somebody has deleted begins anew. */
    CompletionStage<@Nullable Void> resume() {
        CompletionStage<@Nullable Void> resumed = store.memberships().thenCompose(all -> {
            CompletableFuture<?>[] joined =
                    all.stream().map(each -> rejoin(each).toCompletableFuture()).toArray(CompletableFuture<?>[]::new);
            broker.flush();
            return CompletableFuture.allOf(joined);
        });
        broker.flush();
        return resumed;
    }

    private CompletionStage<@Nullable Void> rejoin(QueueSubscription subscription) {
        return join(subscription)
                .exceptionallyCompose(failure -> lost.leave(subscription, failure)
                        .<@Nullable Void>thenApply(over -> {
                            if (!over) {
                                idle.put(subscription.filter(), subscription);
                            }
                            return null;
                        }));
    }

    CompletionStage<@Nullable Void> subscribe(QueueSubscription subscription) {
        leave(members.remove(subscription.filter()));
        idle.remove(subscription.filter());
        joining.add(subscription.filter());
        CompletionStage<@Nullable Void> joined = join(subscription)
                .whenComplete((there, failure) -> joining.remove(subscription.filter()))
                .thenCompose(attached -> flushed(
                        durable
                                ? broker.keep(store.member(subscription))
                                : CompletableFuture.<@Nullable Void>completedFuture(null)));
        broker.flush();
        return joined;
    }

    private CompletionStage<@Nullable Void> join(QueueSubscription subscription) {
        boolean there = !subscription.shared() || broker.queue(subscription.queue()) != null;
        CompletionStage<@Nullable Void> declared =
                there ? CompletableFuture.completedFuture(null) : declare(subscription);
        return declared.thenCompose(done -> flushed(attach(subscription)))
                .exceptionallyCompose(failure -> joinAnew(subscription, failure, JOINS_MAX));
    }

    /** A group's queue may go with its last other member at this moment. */
    private CompletionStage<@Nullable Void> joinAnew(QueueSubscription subscription, Throwable failure, int joins) {
        if (joins == 0 || !subscription.shared() || !LostFilters.isGone(failure)) {
            return CompletableFuture.failedFuture(failure);
        }
        return flushed(declare(subscription))
                .thenCompose(done -> flushed(attach(subscription)))
                .exceptionallyCompose(again -> joinAnew(subscription, again, joins - 1));
    }

    /** With its binding in one step, so that a client who may not listen there leaves no queue behind. */
    private CompletionStage<@Nullable Void> declare(QueueSubscription subscription) {
        return broker.declareSubscription(subscription.groupQueue(policy), subscription.groupBinding())
                .thenApply(made -> null);
    }

    private CompletionStage<@Nullable Void> attach(QueueSubscription subscription) {
        DeliverySource source = outbound.sharedSource(new Turn(subscription, () -> gone(subscription)));
        members.put(subscription.filter(), new Member(subscription, source));
        ConsumerSpec spec = new ConsumerSpec(subscription.filter(), false, false, false, 0, Outcome.RELEASED);
        return broker.consume(subscription.queue(), spec, source)
                .<@Nullable Void>thenApply(handle -> {
                    source.attached(handle);
                    source.grantCredit();
                    broker.flush();
                    return null;
                })
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        leave(members.remove(subscription.filter()));
                    }
                });
    }

    /** The last member of a group takes its queue along. */
    CompletionStage<Reason> unsubscribe(String filter) {
        Member member = members.remove(filter);
        QueueSubscription subscription = member == null ? idle.remove(filter) : member.subscription();
        if (subscription == null) {
            return CompletableFuture.completedFuture(Reason.NO_SUBSCRIPTION_EXISTED);
        }
        leave(member);
        if (!durable) {
            return CompletableFuture.completedFuture(Reason.SUCCESS);
        }
        CompletionStage<Reason> left = store.leave(subscription).thenApply(done -> Reason.SUCCESS);
        broker.flush();
        return left;
    }

    private void leave(@Nullable Member member) {
        if (member != null) {
            outbound.retire(member.source());
        }
    }

    /**
     * The queue is gone while the session is a member: a group's, that went with another member in the same moment or was
     * deleted, begins anew.
     */
    private void gone(QueueSubscription subscription) {
        Member member = members.remove(subscription.filter());
        if (member == null || !subscription.shared()) {
            return;
        }
        var unused = rejoin(subscription);
        broker.flush();
    }

    private <T extends @Nullable Object> CompletionStage<T> flushed(CompletionStage<T> stage) {
        broker.flush();
        return stage;
    }

    /** How deliveries of one such subscription are sent. */
    private record Turn(QueueSubscription subscription, Runnable lost) implements DeliverySource.Sending {
        @Override
        public String topic(Delivery delivery) {
            Envelope envelope = delivery.message().envelope();
            return subscription.shared() ? TopicNames.swap(envelope.routingKey()) : subscription.filter();
        }

        @Override
        public SubscriptionSet.Match match(String topic, Delivery delivery) {
            int id = subscription.subscriptionId();
            return new SubscriptionSet.Match(
                    subscription.qos(), subscription.retainAsPublished(), id > 0 ? List.of(id) : List.of());
        }

        @Override
        public void gone() {
            lost.run();
        }

        @Override
        public boolean superseded(Delivery delivery) {
            return false;
        }

        @Override
        public boolean keepsPacketIds() {
            return false;
        }
    }

    /** What is kept of a membership. */
    static List<HeadRecord> records(String clientKey, QueueSubscription subscription, boolean member) {
        HeadRecord own = record(SessionStore.MEMBER + clientKey + "/" + subscription.key(), subscription, member);
        return subscription.shared()
                ? List.of(own, record(SessionStore.GROUP + subscription.key() + "/" + clientKey, subscription, member))
                : List.of(own);
    }

    private static HeadRecord record(String key, QueueSubscription subscription, boolean member) {
        return member ? new HeadRecord(key, subscription.encode()) : HeadRecord.delete(key);
    }
}
