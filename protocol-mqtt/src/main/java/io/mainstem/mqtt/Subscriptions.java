package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Packet;
import io.mainstem.mqtt.wire.PacketType;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.topology.TopicNames;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * SUBSCRIBE and UNSUBSCRIBE: one queue for all filters of a session, a binding each [S-3]. Answers come when everything
 * is on disk. Thread: the connection's event loop.
 */
final class Subscriptions implements DeliverySource.Sending {
    private final MqttConnection connection;
    private final MqttProtocol protocol;
    private final Client client;
    private final BrokerSession broker;
    private final SessionStore store;
    private final boolean durable;
    private final Outbound outbound;
    private final SubscriptionSet set = new SubscriptionSet();
    private final QueueSubscriptions turns;
    /** Filters the client has, those included whose binding is under way. */
    private final Set<String> asked = new HashSet<>();

    private @Nullable CompletionStage<@Nullable Void> queueReady;

    Subscriptions(
            MqttConnection connection,
            MqttProtocol protocol,
            Client client,
            BrokerSession broker,
            SessionStore store,
            boolean durable,
            Outbound outbound) {
        this.connection = connection;
        this.protocol = protocol;
        this.client = client;
        this.broker = broker;
        this.store = store;
        this.durable = durable;
        this.outbound = outbound;
        this.turns = new QueueSubscriptions(broker, store, durable, outbound);
    }

    /** Goes on with what a session has been subscribed to; filters that are not permitted any more are dropped. */
    CompletionStage<@Nullable Void> resume() {
        CompletionStage<@Nullable Void> joined = turns.resume();
        if (broker.queue(store.queue()) == null) {
            return joined;
        }
        for (BindingSpec binding : broker.bindingsOf(store.queue())) {
            if (Subscription.isOne(binding)) {
                Subscription subscription = Subscription.of(binding);
                set.put(subscription);
                asked.add(subscription.filter());
            }
        }
        return joined.thenCombine(queue().exceptionallyCompose(this::withoutForbidden), (one, other) -> null);
    }

    /** One filter too many and nothing may be taken from the queue: those that are go, the others stay. */
    private CompletionStage<@Nullable Void> withoutForbidden(Throwable failure) {
        if (!isForbidden(failure)) {
            return CompletableFuture.failedFuture(failure);
        }
        // To unbind takes the right that is gone.
        BrokerSession trusted = protocol.broker()
                .connectTrusted(
                        new ClientInfo("/", client.id(), client.user(), connection.peer(), "mqtt-sessions"),
                        connection.executor());
        CompletableFuture<?>[] checks = broker.bindingsOf(store.queue()).stream()
                .filter(Subscription::isOne)
                .map(binding -> broker.bind(binding)
                        .exceptionallyCompose(refused -> drop(trusted, binding, refused))
                        .toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        broker.flush();
        return CompletableFuture.allOf(checks)
                .whenComplete((done, failed) -> trusted.close())
                .thenCompose(done -> asked.isEmpty() ? CompletableFuture.completedFuture(null) : consuming());
    }

    private CompletionStage<@Nullable Void> consuming() {
        CompletionStage<@Nullable Void> ready = queue();
        broker.flush();
        return ready;
    }

    private CompletionStage<@Nullable Void> drop(BrokerSession trusted, BindingSpec binding, Throwable refused) {
        if (!isForbidden(refused)) {
            return CompletableFuture.failedFuture(refused);
        }
        String filter = Subscription.of(binding).filter();
        connection.logRefusal("MS-0616 client '" + Topics.shown(client.id()) + "' may not read filter '"
                + Topics.shown(filter) + "' any more; the subscription is dropped");
        set.remove(filter);
        asked.remove(filter);
        CompletionStage<@Nullable Void> unbound = trusted.unbind(binding);
        trusted.flush();
        return unbound;
    }

    private static boolean isForbidden(Throwable failure) {
        return cause(failure) instanceof BrokerException refusal && refusal.kind() == ErrorKind.ACCESS_REFUSED;
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** The session's queue with its consumer; made once. */
    private CompletionStage<@Nullable Void> queue() {
        CompletionStage<@Nullable Void> ready = queueReady;
        if (ready == null) {
            DeliverySource source = outbound.source(this);
            ConsumerSpec spec = new ConsumerSpec("session", false, false, false, 0, Outcome.RELEASED);
            ready = store.declareQueue(durable).thenCompose(made -> {
                CompletionStage<@Nullable Void> consuming =
                        broker.consume(store.queue(), spec, source).thenAccept(source::attached);
                broker.flush();
                return consuming;
            });
            queueReady = ready;
            // What failed once may work at the next SUBSCRIBE.
            var unused = ready.exceptionally(failure -> {
                queueReady = null;
                outbound.remove(source);
                return null;
            });
        }
        return ready;
    }

    private CompletionStage<?> made() {
        return broker.queue(store.queue()) == null
                ? store.declareQueue(durable)
                : CompletableFuture.completedFuture(null);
    }

    // ---- how deliveries are sent ------------------------------------------------------------------------------

    @Override
    public String topic(Delivery delivery) {
        Envelope envelope = delivery.message().envelope();
        if (Retained.isOne(envelope)) {
            return TopicNames.swap(envelope.routingKey());
        }
        String first = TopicNames.swap(envelope.routingKey());
        if (envelope.keys().size() > 1 && match(first, envelope).qos() < 0) {
            for (String key : envelope.keys()) {
                String topic = TopicNames.swap(key);
                if (match(topic, envelope).qos() >= 0) {
                    return topic;
                }
            }
        }
        return first;
    }

    @Override
    public SubscriptionSet.Match match(String topic, Envelope envelope) {
        if (Retained.isOne(envelope)) {
            return SubscriptionSet.Match.retained(set.get(Retained.filter(envelope)));
        }
        return set.match(topic, envelope.publisherId().equals(client.id()));
    }

    @Override
    public boolean keepsPacketIds() {
        return true;
    }

    // ---- SUBSCRIBE --------------------------------------------------------------------------------------------

    void onSubscribe(Packet.Subscribe subscribe) {
        int id = subscribe.properties().subscriptionIds().isEmpty()
                ? 0
                : subscribe.properties().subscriptionIds().get(0);
        List<CompletionStage<Reason>> results =
                new ArrayList<>(subscribe.filters().size());
        for (Packet.Filter filter : subscribe.filters()) {
            results.add(subscribe(filter, id));
        }
        answer(PacketType.SUBACK, subscribe.packetId(), results);
    }

    private CompletionStage<Reason> subscribe(Packet.Filter filter, int subscriptionId) {
        if (Topics.isShared(filter.text()) && filter.noLocal()) {
            throw MqttViolation.protocol("no local on a shared subscription");
        }
        Reason refusal = refusal(filter);
        if (refusal != null) {
            connection.logRefusal("MS-0610 filter '" + Topics.shown(filter.text()) + "': " + refusal);
            return CompletableFuture.completedFuture(refusal);
        }
        QueueSubscription turn = QueueSubscription.of(filter, subscriptionId);
        if (turn != null) {
            return turns.subscribe(turn).exceptionally(this::refused);
        }
        Subscription subscription = Subscription.of(filter, subscriptionId);
        boolean isNew = asked.add(subscription.filter());
        // Bound before it is consumed: who may read a session's queue is said by its bindings.
        CompletionStage<Reason> bound = made().thenCompose(made -> {
            CompletionStage<@Nullable Void> binding = broker.bind(subscription.binding(store.queue(), client.id()))
                    .thenCompose(there -> consuming());
            broker.flush();
            return binding.thenApply(done -> {
                set.put(subscription);
                if (filter.retainHandling() == 0 || (filter.retainHandling() == 1 && isNew)) {
                    Retained.deliver(
                            broker,
                            store.queue(),
                            subscription,
                            protocol.clock().millis());
                    connection.scheduleFlush();
                }
                return granted(subscription.qos());
            });
        });
        return bound.exceptionally(failure -> {
            if (set.get(filter.text()) == null) {
                asked.remove(filter.text());
            }
            return refused(failure);
        });
    }

    private @Nullable Reason refusal(Packet.Filter filter) {
        boolean malformedShare = Topics.isShared(filter.text()) && !QueueSubscription.isShared(filter.text());
        if (malformedShare || !Topics.isFilter(filter.text())) {
            return Reason.TOPIC_FILTER_INVALID;
        }
        boolean another = !asked.contains(filter.text()) && !turns.has(filter.text());
        return another && asked.size() + turns.size() >= protocol.limits().subscriptionsMax()
                ? Reason.QUOTA_EXCEEDED
                : null;
    }

    private static Reason granted(int qos) {
        return switch (qos) {
            case 0 -> Reason.SUCCESS;
            case 1 -> Reason.GRANTED_QOS_1;
            default -> Reason.GRANTED_QOS_2;
        };
    }

    private Reason refused(Throwable failure) {
        Throwable cause = cause(failure);
        connection.logRefusal("MS-0610 subscription: " + cause.getMessage());
        if (cause instanceof BrokerException refusal) {
            return switch (refusal.kind()) {
                case INVALID_ARGUMENT -> Reason.TOPIC_FILTER_INVALID;
                case RESOURCE_LIMIT -> Reason.QUOTA_EXCEEDED;
                case ACCESS_REFUSED -> Reason.NOT_AUTHORIZED;
                default -> Reason.UNSPECIFIED_ERROR;
            };
        }
        return Reason.UNSPECIFIED_ERROR;
    }

    // ---- UNSUBSCRIBE ------------------------------------------------------------------------------------------

    void onUnsubscribe(Packet.Unsubscribe unsubscribe) {
        List<CompletionStage<Reason>> results =
                new ArrayList<>(unsubscribe.filters().size());
        for (String filter : unsubscribe.filters()) {
            results.add(unsubscribe(filter));
        }
        answer(PacketType.UNSUBACK, unsubscribe.packetId(), results);
    }

    private CompletionStage<Reason> unsubscribe(String filter) {
        if (!Topics.isFilter(filter)) {
            return CompletableFuture.completedFuture(Reason.TOPIC_FILTER_INVALID);
        }
        if (turns.has(filter)) {
            return turns.unsubscribe(filter).exceptionally(this::refused);
        }
        if (!asked.remove(filter)) {
            return CompletableFuture.completedFuture(Reason.NO_SUBSCRIPTION_EXISTED);
        }
        return queue().thenCompose(ready -> {
                    Subscription gone = new Subscription(filter, 0, false, false, 0);
                    CompletionStage<Reason> unbound = broker.unbind(gone.binding(store.queue(), client.id()))
                            .thenApply(done -> {
                                set.remove(filter);
                                return Reason.SUCCESS;
                            });
                    broker.flush();
                    return unbound;
                })
                .exceptionally(this::refused);
    }

    // ---- answers ----------------------------------------------------------------------------------------------

    private void answer(PacketType type, int packetId, List<CompletionStage<Reason>> results) {
        CompletableFuture<?>[] all =
                results.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture<?>[]::new);
        var unused = CompletableFuture.allOf(all).thenAccept(done -> {
            List<Integer> codes = new ArrayList<>(results.size());
            for (CompletionStage<Reason> result : results) {
                codes.add(code(result.toCompletableFuture().join()));
            }
            connection.filtersAck(type, packetId, codes);
        });
    }

    /** 3.x knows one way of saying no. */
    private int code(Reason reason) {
        return reason.isError() && !client.version().hasProperties() ? Reason.UNSPECIFIED_ERROR.code() : reason.code();
    }
}
