package io.mainstem.amqp.v1;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that outlives the link, session and connection it was attached for, with what was sent and not settled. It
 * has a session of the broker of its own, which moves to the event loop of the connection that resumes it.
 *
 * <p>Thread: the event loop of the link that has it; while none has, that of the last one.
 */
final class ResumableConsumer implements KeptConsumer {
    /** Most that is kept for one link in case it has to be sent again; more is not sent until some of it is settled. */
    private static final long UNSETTLED_BYTES_MAX = 2 << 20;

    private final BrokerSession broker;
    private final MovableExecutor loop;
    private final ConsumerSpec spec;
    private final Feed feed;
    private final NavigableMap<Long, Delivery> unsettled = new TreeMap<>();
    private @Nullable ConsumerHandle consumer;
    private @Nullable OutboundLink link;
    private Outcome onDiscard;
    private long bytes;
    /** Id of the next delivery that the broker makes. */
    private long next;

    /**
     * @param loop where the broker's session calls back
     * @param feed what it consumes from
     */
    ResumableConsumer(BrokerSession broker, MovableExecutor loop, ConsumerSpec spec, Feed feed) {
        this.broker = broker;
        this.loop = loop;
        this.spec = spec;
        this.feed = feed;
        this.onDiscard = spec.onLoss();
    }

    /** Attaches to its queue; completes before the first delivery. */
    CompletionStage<ResumableConsumer> attach(OutboundLink firstLink) {
        link = firstLink;
        CompletionStage<ConsumerHandle> attached = broker.consume(feed.queue(), spec, this);
        broker.flush();
        return attached.handle((handle, failure) -> {
            if (failure != null) {
                broker.close();
                throw failure instanceof RuntimeException refusal ? refusal : new IllegalStateException(failure);
            }
            consumer = handle;
            return this;
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
    public boolean canServe(AmqpConnection connection) {
        return true;
    }

    /** What becomes of a delivery that the peer knows nothing of any more. */
    Outcome onLoss() {
        return spec.onLoss();
    }

    BrokerSession broker() {
        return broker;
    }

    // ---- while a link has it ---------------------------------------------------------------------------------

    @Override
    public long next() {
        return next;
    }

    /** It is kept until it is settled. */
    @Override
    public void sent(Delivery delivery) {
        unsettled.put(delivery.deliveryId(), delivery);
        bytes += delivery.message().sectionBytes();
    }

    @Override
    public boolean isFull() {
        return bytes >= UNSETTLED_BYTES_MAX;
    }

    @Override
    public boolean tagsByLink() {
        return true;
    }

    /** What was sent and not settled, by id, in order. */
    NavigableMap<Long, Delivery> unsettled() {
        return unsettled;
    }

    @Override
    public void limit(long limit, boolean drain) {
        if (consumer != null) {
            consumer.limit(limit, drain);
        }
    }

    @Override
    public void settle(long first, long last, Outcome outcome) {
        forget(first, last);
        if (consumer != null) {
            consumer.settle(first, last, outcome);
        }
    }

    @Override
    public @Nullable ConsumerHandle retired(long first, long last) {
        forget(first, last);
        return consumer;
    }

    private void forget(long first, long last) {
        NavigableMap<Long, Delivery> range = unsettled.subMap(first, true, last, true);
        for (Delivery delivery : range.values()) {
            bytes -= delivery.message().sectionBytes();
        }
        range.clear();
    }

    @Override
    public void close() {
        close(spec.onLoss());
    }

    @Override
    public void close(Outcome outcome) {
        link = null;
        unsettled.clear();
        bytes = 0;
        if (consumer != null) {
            consumer.close(outcome);
            consumer = null;
        }
        broker.flush();
        broker.close();
    }

    @Override
    public void onDeliveries(List<Delivery> deliveries) {
        next += deliveries.size();
        OutboundLink to = link;
        if (to != null) {
            to.onDeliveries(deliveries);
        }
    }

    @Override
    public void onDrained(long limit) {
        OutboundLink to = link;
        if (to != null) {
            to.onDrained(limit);
        }
    }

    @Override
    public void onCancelled(ErrorKind why, String text) {
        OutboundLink to = link;
        consumer = null;
        unsettled.clear();
        bytes = 0;
        if (to != null) {
            to.onCancelled(why, text);
        }
        broker.close();
    }

    // ---- while no link has it --------------------------------------------------------------------------------

    @Override
    public boolean isToBeKept(boolean awaited) {
        return awaited || !unsettled.isEmpty();
    }

    @Override
    public void suspend(Outcome unresumed) {
        link = null;
        onDiscard = unresumed;
        broker.flush();
    }

    @Override
    public ResumedDeliveries resume(OutboundLink nextLink, Attach request) {
        link = nextLink;
        return ResumedDeliveries.of(this, request, nextLink.session.connection().remoteFrameBytesMax());
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public CompletionStage<@Nullable Suspension> moveTo(Executor nextLoop) {
        CompletableFuture<@Nullable Suspension> moved = new CompletableFuture<>();
        // Without credit nothing comes behind the barrier, so that nothing is under way when the loop changes.
        broker.barrier().whenComplete((done, failure) -> {
            loop.moveTo(nextLoop);
            nextLoop.execute(() -> moved.complete(this));
        });
        broker.flush();
        return moved;
    }

    /** Its queue goes on without it. */
    @Override
    public @Nullable Suspension beginAnew() {
        discard();
        return null;
    }

    @Override
    public boolean isIdle() {
        return unsettled.isEmpty();
    }

    @Override
    public void discard() {
        close(onDiscard);
    }

    @Override
    public void expire() {
        if (consumer != null) {
            consumer.close(onDiscard);
            consumer = null;
        }
        if (feed.kind() == Feed.Kind.SUBSCRIPTION) {
            broker.deleteQueue(feed.queue(), true, false);
        }
        unsettled.clear();
        bytes = 0;
        broker.flush();
        broker.close();
    }
}
