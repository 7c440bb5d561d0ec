package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Packet;
import io.mainstem.mqtt.wire.PacketType;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.topology.TopicNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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
    private final SessionQueue queue;
    private final LostFilters lost;
    private final RetainedPages retained;
    private final TopicMapping mapping;
    private final SubscriptionSet set = new SubscriptionSet();
    private final QueueSubscriptions turns;
    /** Filters the client has, those included whose binding is under way. */
    private final Set<String> asked = new HashSet<>();

    Subscriptions(
            MqttConnection connection,
            MqttProtocol protocol,
            Client client,
            BrokerSession broker,
            ConnectedSession.Durables durables,
            Outbound outbound) {
        this.connection = connection;
        this.protocol = protocol;
        this.client = client;
        this.broker = broker;
        this.mapping = protocol.options().topicMapping();
        this.queue = new SessionQueue(broker, durables, outbound);
        this.lost = new LostFilters(connection, protocol, client, broker);
        this.retained = new RetainedPages(connection, broker, queue.name(), protocol.clock());
        this.turns = new QueueSubscriptions(broker, durables, outbound, lost);
    }

    /** Goes on with what a session has been subscribed to; filters that are not permitted any more are dropped. */
    CompletionStage<@Nullable Void> resume() {
        CompletionStage<@Nullable Void> joined = turns.resume();
        if (!queue.exists()) {
            return joined;
        }
        for (BindingSpec binding : broker.bindingsOf(queue.name())) {
            if (Subscription.isOne(binding)) {
                Subscription subscription = Subscription.of(binding);
                set.put(subscription);
                asked.add(subscription.filter());
            }
        }
        return joined.thenCombine(
                queue.consumed(this).exceptionallyCompose(this::withoutForbidden), (one, other) -> null);
    }

    private CompletionStage<@Nullable Void> withoutForbidden(Throwable failure) {
        if (!LostFilters.isForbidden(failure)) {
            return CompletableFuture.failedFuture(failure);
        }
        return lost.drop(queue.name(), filter -> {
                    set.remove(filter);
                    asked.remove(filter);
                })
                .thenCompose(done -> asked.isEmpty() ? CompletableFuture.completedFuture(null) : consuming());
    }

    private CompletionStage<@Nullable Void> consuming() {
        CompletionStage<@Nullable Void> ready = queue.consumed(this);
        broker.flush();
        return ready;
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

    /** The QoS is what was granted when the message was put into the queue, if that is known [S-7]. */
    @Override
    public SubscriptionSet.Match match(String topic, Delivery delivery) {
        SubscriptionSet.Match now = match(topic, delivery.message().envelope());
        return delivery.grantedQos() < 0 ? now : now.granting(delivery.grantedQos());
    }

    private SubscriptionSet.Match match(String topic, Envelope envelope) {
        if (Retained.isOne(envelope)) {
            return SubscriptionSet.Match.retained(set.get(Retained.filter(envelope)));
        }
        return set.match(topic, envelope.publisherId().equals(client.id()));
    }

    @Override
    public boolean superseded(Delivery delivery) {
        Envelope envelope = delivery.message().envelope();
        return Retained.isOne(envelope) && Retained.isSuperseded(broker, envelope);
    }

    @Override
    public void gone() {
        // Whoever has deleted it has ended the subscriptions with it.
    }

    @Override
    public boolean keepsPacketIds() {
        return true;
    }

    /** Goes on with retained messages if the client keeps up. */
    void pump(boolean clientKeepsUp) {
        retained.pump(clientKeepsUp);
    }

    // ---- SUBSCRIBE --------------------------------------------------------------------------------------------

    /** A filter of a packet that is worked on: the same once more changes nothing, and has the same result. */
    private record Asked(Packet.Filter filter, CompletionStage<FilterResult> result) {}

    void onSubscribe(Packet.Subscribe subscribe) {
        int id = subscribe.properties().subscriptionIds().isEmpty()
                ? 0
                : subscribe.properties().subscriptionIds().get(0);
        List<CompletionStage<FilterResult>> results =
                new ArrayList<>(subscribe.filters().size());
        List<Packet.Filter> filters = subscribe.filters().stream()
                .map(each -> each.as(mapping.filter(each.text())))
                .toList();
        filters.forEach(this::check);
        Map<String, Asked> lastOf = new HashMap<>();
        for (Packet.Filter filter : filters) {
            Asked last = lastOf.get(filter.text());
            if (last == null || !last.filter().equals(filter)) {
                last = new Asked(filter, subscribe(filter, id));
                lastOf.put(filter.text(), last);
            }
            results.add(last.result());
        }
        answer(PacketType.SUBACK, subscribe.packetId(), results);
    }

    /** What makes the whole packet malformed or forbidden, found before one of its filters is worked on. */
    private void check(Packet.Filter filter) {
        checkShare(filter.text());
        if (Topics.isShared(filter.text()) && filter.noLocal()) {
            throw MqttViolation.protocol("no local on a shared subscription");
        }
    }

    private void checkShare(String filter) {
        // 3.1.1 knows no shared subscriptions: there it is refused as a filter.
        if (Topics.isShared(filter) && client.version().hasProperties() && !Topics.isWellFormedShare(filter)) {
            throw MqttViolation.malformed("shared subscription '" + Topics.shown(filter)
                    + "' (expected: $share/, a name without wildcards, / and a filter)");
        }
    }

    private CompletionStage<FilterResult> subscribe(Packet.Filter filter, int subscriptionId) {
        FilterResult refusal = refusal(filter);
        if (refusal != null) {
            connection.logRefusal(String.valueOf(refusal.text()));
            return CompletableFuture.completedFuture(refusal);
        }
        QueueSubscription turn = QueueSubscription.of(filter, subscriptionId);
        if (turn != null) {
            return turns.subscribe(turn)
                    .thenApply(done -> FilterResult.granted(turn.qos()))
                    .exceptionally(this::refused);
        }
        Subscription subscription = Subscription.of(filter, subscriptionId);
        boolean isNew = asked.add(subscription.filter());
        // Bound before it is consumed: who may read a session's queue is said by its bindings.
        CompletionStage<FilterResult> bound = queue.made().thenCompose(made -> {
            BindingSpec spec = subscription.binding(queue.name(), client.id());
            boolean first = !queue.hasConsumer();
            CompletionStage<Long> binding = broker.bind(spec)
                    .thenCompose(missed -> consuming()
                            // What was of QoS 0 in between was dropped, for nobody consumed.
                            .thenCompose(there ->
                                    first ? flushed(broker.bind(spec)) : CompletableFuture.completedFuture(missed)));
            broker.flush();
            return binding.thenApply(missed -> {
                set.put(subscription);
                if (filter.retainHandling() == 0 || (filter.retainHandling() == 1 && isNew)) {
                    retained.begin(subscription, missed);
                    protocol.sysTopics().deliver(broker, queue.name(), subscription);
                }
                return FilterResult.granted(subscription.qos());
            });
        });
        return bound.exceptionally(failure -> {
            if (set.get(filter.text()) == null) {
                asked.remove(filter.text());
            }
            return refused(failure);
        });
    }

    private CompletionStage<Long> flushed(CompletionStage<Long> asked) {
        broker.flush();
        return asked;
    }

    private @Nullable FilterResult refusal(Packet.Filter filter) {
        FilterResult invalid = FilterResult.ofInvalid(filter.text());
        if (invalid != null) {
            return invalid;
        }
        boolean another = !asked.contains(filter.text()) && !turns.has(filter.text());
        int max = protocol.limits().subscriptionsMax();
        return another && asked.size() + turns.size() >= max ? FilterResult.tooMany(filter.text(), max) : null;
    }

    private FilterResult refused(Throwable failure) {
        FilterResult refused = FilterResult.refused(failure);
        connection.logRefusal(String.valueOf(refused.text()));
        return refused;
    }

    // ---- UNSUBSCRIBE ------------------------------------------------------------------------------------------

    void onUnsubscribe(Packet.Unsubscribe unsubscribe) {
        List<CompletionStage<FilterResult>> results =
                new ArrayList<>(unsubscribe.filters().size());
        List<String> filters =
                unsubscribe.filters().stream().map(mapping::filter).toList();
        filters.forEach(this::checkShare);
        filters.forEach(filter -> results.add(unsubscribe(filter)));
        answer(PacketType.UNSUBACK, unsubscribe.packetId(), results);
    }

    private CompletionStage<FilterResult> unsubscribe(String filter) {
        FilterResult invalid = FilterResult.ofInvalid(filter);
        if (invalid != null) {
            return CompletableFuture.completedFuture(invalid);
        }
        if (turns.has(filter)) {
            return turns.unsubscribe(filter).thenApply(FilterResult::of).exceptionally(this::refused);
        }
        retained.end(filter);
        if (!asked.remove(filter)) {
            return CompletableFuture.completedFuture(FilterResult.of(Reason.NO_SUBSCRIPTION_EXISTED));
        }
        return queue.consumed(this)
                .thenCompose(ready -> {
                    Subscription gone = new Subscription(filter, 0, false, false, 0);
                    CompletionStage<FilterResult> unbound = broker.unbind(gone.binding(queue.name(), client.id()))
                            .thenApply(done -> {
                                set.remove(filter);
                                return FilterResult.of(Reason.SUCCESS);
                            });
                    broker.flush();
                    return unbound;
                })
                .exceptionally(this::refused);
    }

    // ---- answers ----------------------------------------------------------------------------------------------

    private void answer(PacketType type, int packetId, List<CompletionStage<FilterResult>> results) {
        CompletableFuture<?>[] all = results.stream()
                .distinct()
                .map(CompletionStage::toCompletableFuture)
                .toArray(CompletableFuture<?>[]::new);
        connection.filtersTaken(results.size());
        var unused = CompletableFuture.allOf(all).thenAccept(done -> {
            connection.filtersAnswered(results.size());
            List<Integer> codes = new ArrayList<>(results.size());
            String text = null;
            for (CompletionStage<FilterResult> each : results) {
                FilterResult result = each.toCompletableFuture().join();
                codes.add(code(result.reason()));
                text = text == null ? result.text() : text;
            }
            connection.filtersAck(type, packetId, codes, text);
        });
    }

    /** 3.x knows one way of saying no. */
    private int code(Reason reason) {
        return reason.isError() && !client.version().hasProperties() ? Reason.UNSPECIFIED_ERROR.code() : reason.code();
    }
}
