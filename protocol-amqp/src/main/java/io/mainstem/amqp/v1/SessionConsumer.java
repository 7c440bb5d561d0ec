package io.mainstem.amqp.v1;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.DeliverySource;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The consumer of a subscription that lives until its session or connection ends (AMQP 1.0 part 3, 3.5.4). While its link
 * is detached it has no credit and nothing unsettled; its queue collects. A link of the same connection goes on with it.
 *
 * <p>Thread: the connection's event loop.
 */
final class SessionConsumer implements DeliverySource, DeliverySink {
    private final AmqpConnection connection;
    private final BrokerSession broker;
    private final Feed feed;
    private @Nullable ConsumerHandle consumer;
    private @Nullable OutboundLink link;
    /** Id of the next delivery that the broker makes. */
    private long next;

    private SessionConsumer(OutboundLink firstLink, BrokerSession broker, Feed feed) {
        this.connection = firstLink.session.connection();
        this.broker = broker;
        this.feed = feed;
        this.link = firstLink;
    }

    /** Attaches to its queue; completes before the first delivery. */
    static CompletionStage<SessionConsumer> attach(
            OutboundLink link, BrokerSession broker, Feed feed, ConsumerSpec spec) {
        SessionConsumer made = new SessionConsumer(link, broker, feed);
        return broker.consume(feed.queue(), spec, made).thenApply(handle -> {
            made.consumer = handle;
            return made;
        });
    }

    /** What it consumes from. */
    Feed feed() {
        return feed;
    }

    /** The only one whose links can go on with it. */
    AmqpConnection connection() {
        return connection;
    }

    /** The broker's, by which a transaction retires deliveries; null if it has ended. */
    @Nullable
    ConsumerHandle handle() {
        return consumer;
    }

    /** Ids below this one were given by the broker. */
    long next() {
        return next;
    }

    // ---- between two links -----------------------------------------------------------------------------------

    /**
     * The link is gone, and has given back what it had not sent; what it had sent is not waited for.
     *
     * @param unsettled what becomes of that
     * @return false if there is nothing to go on with
     */
    boolean leave(Outcome unsettled) {
        link = null;
        if (consumer == null) {
            return false;
        }
        consumer.settle(0, next - 1, unsettled);
        connection.scheduleFlush();
        return true;
    }

    /** Completes when nothing that was under way to the last link can come any more. */
    CompletionStage<SessionConsumer> settled() {
        CompletionStage<@Nullable Void> barrier = broker.barrier();
        connection.scheduleFlush();
        return barrier.handle((done, failure) -> this);
    }

    /** Another link goes on with it. */
    void resume(OutboundLink nextLink) {
        link = nextLink;
    }

    // ---- as its link sees it ---------------------------------------------------------------------------------

    @Override
    public void limit(long limit, boolean drain) {
        limit(limit, drain, false);
    }

    @Override
    public void limit(long limit, boolean drain, boolean more) {
        if (consumer != null) {
            consumer.limit(limit, drain, more);
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
        ConsumerHandle ended = end();
        if (ended != null) {
            ended.close();
            connection.scheduleFlush();
        }
    }

    @Override
    public void close(Outcome outcome) {
        ConsumerHandle ended = end();
        if (ended != null) {
            ended.close(outcome);
            connection.scheduleFlush();
        }
    }

    private @Nullable ConsumerHandle end() {
        ConsumerHandle ended = consumer;
        link = null;
        consumer = null;
        return ended;
    }

    // ---- as the broker sees it -------------------------------------------------------------------------------

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
        OutboundLink told = link;
        end();
        if (told != null) {
            told.onCancelled(why, text);
        }
    }
}
