package io.mainstem.routing.queue;

import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.HeadRecord;
import io.mainstem.routing.Outcome;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The event loop's end of a consumer: collects credit and settlements for the next flush, and passes deliveries on.
 * Thread: the session's event loop.
 */
final class ConsumerLink implements ConsumerHandle {
    private final ShardSession session;
    private final DeliverySink sink;
    private final Outcome onLoss;
    private @Nullable Consumer consumer;
    private @Nullable Settle lastSettle;
    private boolean closed;

    ConsumerLink(ShardSession session, DeliverySink sink, Outcome onLoss) {
        this.session = session;
        this.sink = sink;
        this.onLoss = onLoss;
    }

    /** Set on the shard, before the event loop sees the handle. */
    void attached(Consumer attachedConsumer) {
        this.consumer = attachedConsumer;
    }

    @Override
    public void limit(long limit, boolean drain) {
        limit(limit, drain, false);
    }

    @Override
    public void limit(long limit, boolean drain, boolean more) {
        if (!closed) {
            Consumer target = target();
            session.collect(() -> session.shard().limit(target, limit, drain, more));
        }
    }

    @Override
    public void settle(long first, long last, Outcome outcome) {
        if (closed) {
            return;
        }
        Settle previous = lastSettle;
        if (previous != null && previous.flush == session.flushes() && previous.extend(first, last, outcome)) {
            return;
        }
        Settle settle = new Settle(session.shard(), target(), session.flushes(), first, last, outcome);
        lastSettle = settle;
        session.collect(settle);
    }

    @Override
    public CompletionStage<@Nullable Void> accept(long deliveryId, List<HeadRecord> records) {
        Consumer target = target();
        return session.ask(reply -> session.shard().accept(target, deliveryId, records, reply));
    }

    @Override
    public void close() {
        close(onLoss);
    }

    @Override
    public void close(Outcome unsettled) {
        if (!closed) {
            closed = true;
            session.ended(this);
            Consumer target = target();
            session.collect(() -> session.shard().detach(target, unsettled));
        }
    }

    /** The consumer, or null if it has ended; only for sessions of the same shard. */
    @Nullable
    Consumer openTarget(ShardSession of) {
        if (of.shard() != session.shard()) {
            throw new IllegalArgumentException("consumer: of another shard (expected: of the transaction's)");
        }
        return closed ? null : target();
    }

    void deliver(List<Delivery> deliveries) {
        if (!closed) {
            sink.onDeliveries(deliveries);
        }
    }

    void drained(long limit) {
        if (!closed) {
            sink.onDrained(limit);
        }
    }

    void cancelled(ErrorKind why, String text) {
        if (!closed) {
            closed = true;
            session.ended(this);
            sink.onCancelled(why, text);
        }
    }

    /** The session ended: nothing is passed on any more. */
    void sessionClosed() {
        closed = true;
    }

    private Consumer target() {
        Consumer target = consumer;
        if (target == null) {
            throw new IllegalStateException("consumer: not attached yet (expected: after consume() has completed)");
        }
        return target;
    }

    /** One range with one outcome; neighbours that arrive one by one become one range. */
    private static final class Settle implements Runnable {
        final long flush;
        private final Shard shard;
        private final Consumer consumer;
        private final Outcome outcome;
        private final long first;
        private long last;

        Settle(Shard shard, Consumer consumer, long flush, long first, long last, Outcome outcome) {
            this.shard = shard;
            this.consumer = consumer;
            this.flush = flush;
            this.first = first;
            this.last = last;
            this.outcome = outcome;
        }

        boolean extend(long from, long to, Outcome as) {
            if (from != last + 1 || !as.equals(outcome)) {
                return false;
            }
            last = to;
            return true;
        }

        @Override
        public void run() {
            shard.settle(consumer, first, last, outcome);
        }
    }
}
