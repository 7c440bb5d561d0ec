package io.mainstem.amqp.v1;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.jspecify.annotations.Nullable;

/**
 * A consumer whose source lives until its session or connection ends (AMQP 1.0 part 3, 3.5.4). While its link is detached
 * it has no credit; its queue and its unsettled deliveries wait. A link of the same connection goes on with it: outcomes
 * that the peer then tells count, everything else that was unsettled comes again as new deliveries.
 *
 * <p>Thread: the connection's event loop.
 */
final class SessionConsumer implements KeptConsumer {
    /** What one unsettled delivery is estimated to weigh. */
    private static final long ENTRY_BYTES = 96;

    private final AmqpConnection connection;
    private final BrokerSession broker;
    private final Feed feed;
    private final Outcome onLoss;
    private @Nullable ConsumerHandle consumer;
    private @Nullable OutboundLink link;
    private Outcome onDiscard;
    private Map<Binary, Long> unsettled = Map.of();
    /** Id of the next delivery that the broker makes. */
    private long next;

    private SessionConsumer(AmqpConnection connection, BrokerSession broker, Feed feed, Outcome onLoss) {
        this.connection = connection;
        this.broker = broker;
        this.feed = feed;
        this.onLoss = onLoss;
        this.onDiscard = onLoss;
    }

    /** Attaches to its queue; completes before the first delivery. */
    static CompletionStage<SessionConsumer> attach(
            OutboundLink link, BrokerSession broker, Feed feed, ConsumerSpec spec) {
        SessionConsumer made = new SessionConsumer(link.session.connection(), broker, feed, spec.onLoss());
        made.link = link;
        return broker.consume(feed.queue(), spec, made).thenApply(handle -> {
            made.consumer = handle;
            return made;
        });
    }

    @Override
    public Feed feed() {
        return feed;
    }

    @Override
    public boolean isAlive() {
        return consumer != null;
    }

    @Override
    public boolean canServe(AmqpConnection asking) {
        return asking == connection;
    }

    // ---- while a link has it ---------------------------------------------------------------------------------

    @Override
    public long next() {
        return next;
    }

    @Override
    public void sent(Delivery delivery) {
        // The session knows what it has sent, and tells when the link goes.
    }

    @Override
    public boolean isFull() {
        return false;
    }

    @Override
    public boolean tagsByLink() {
        return false;
    }

    @Override
    public @Nullable ConsumerHandle retired(long first, long last) {
        return consumer;
    }

    @Override
    public void limit(long limit, boolean drain) {
        if (consumer != null) {
            consumer.limit(limit, drain);
        }
    }

    @Override
    public void settle(long first, long last, Outcome outcome) {
        if (consumer != null) {
            consumer.settle(first, last, outcome);
        }
    }

    @Override
    public void close() {
        close(onLoss);
    }

    @Override
    public void close(Outcome outcome) {
        link = null;
        unsettled = Map.of();
        if (consumer != null) {
            consumer.close(outcome);
            consumer = null;
            connection.scheduleFlush();
        }
    }

    @Override
    public void onDeliveries(List<Delivery> deliveries) {
        next += deliveries.size();
        if (link != null) {
            link.onDeliveries(deliveries);
        }
    }

    @Override
    public void onDrained(long limit) {
        if (link != null) {
            link.onDrained(limit);
        }
    }

    @Override
    public void onCancelled(ErrorKind why, String text) {
        consumer = null;
        unsettled = Map.of();
        if (link != null) {
            link.onCancelled(why, text);
        }
    }

    // ---- while no link has it --------------------------------------------------------------------------------

    @Override
    public boolean isToBeKept(boolean awaited) {
        return awaited && consumer != null;
    }

    @Override
    public void suspend(Outcome unresumed) {
        OutboundLink left = link;
        link = null;
        onDiscard = unresumed;
        if (left != null) {
            Map<Binary, Long> sent = new LinkedHashMap<>();
            left.session.unsettled().take(left, (id, brokerId) -> sent.put(OutgoingMessage.tag(id), brokerId));
            unsettled = sent;
        }
    }

    @Override
    public ResumedDeliveries resume(OutboundLink nextLink, Attach request) {
        link = nextLink;
        settle(UnsettledMaps.of(request));
        return ResumedDeliveries.NONE;
    }

    private void settle(Map<Binary, @Nullable DeliveryState> theirs) {
        unsettled.forEach((tag, id) -> {
            Outcome told = Outcomes.of(theirs.get(tag));
            settle(id, id, told == null ? onLoss : told);
        });
        unsettled = Map.of();
    }

    @Override
    public long bytes() {
        return ENTRY_BYTES * unsettled.size();
    }

    @Override
    public CompletionStage<@Nullable Suspension> moveTo(Executor loop) {
        CompletableFuture<@Nullable Suspension> moved = new CompletableFuture<>();
        if (loop == connection.context().executor()) {
            // What is under way must not come to the next link, for it has been given back.
            broker.barrier().whenComplete((done, failure) -> moved.complete(this));
            connection.scheduleFlush();
        } else {
            discard();
            loop.execute(() -> moved.complete(null));
        }
        return moved;
    }

    @Override
    public Suspension beginAnew() {
        settle(Map.of());
        return this;
    }

    @Override
    public void discard() {
        close(onDiscard);
    }

    @Override
    public boolean isIdle() {
        return true;
    }

    @Override
    public void expire() {
        discard();
    }
}
