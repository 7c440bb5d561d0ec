package io.mainstem.jms.delivery;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.link.DeliveryListener;
import io.mainstem.jms.link.LinkDelivery;
import io.mainstem.jms.link.Outcome;
import io.mainstem.jms.link.ReceiverLink;
import io.mainstem.jms.link.TransactionId;
import io.mainstem.jms.metrics.ClientCounters;
import io.mainstem.jms.options.DeliveryOptions;
import jakarta.jms.JMSException;
import jakarta.jms.MessageListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What has come to a consumer and waits for the application, and how much more may come. Thread: under the lock of its
 * session's {@link Deliveries}, unless a method says otherwise.
 */
public final class Inbox implements DeliveryListener {
    /** So many are asked for before the first has come and their size is known. */
    private static final int FIRST_CREDIT_MAX = 16;

    private final Deliveries deliveries;
    private final MainstemDestination source;
    private final DeliveryOptions options;
    private final boolean endsWithConsumer;
    private final ClientCounters counters;
    private final Deque<InboxDelivery> waiting = new ArrayDeque<>();
    private @Nullable ReceiverLink link;
    private @Nullable MessageListener listener;
    private @Nullable JMSException failure;
    private long waitingBytes;
    private int averageBytes = -1;
    private int credit;
    private int pulls;
    private boolean closed;
    private int handedOut;
    private boolean closeLinkWhenSettled;
    private long lastNumber = -1;
    private long goneUpTo = -1;
    private int unsettled;
    private Runnable afterLink = () -> {};

    /**
     * The messages of one consumer.
     *
     * @param counters told of what is acknowledged
     * @param endsWithConsumer false for a durable subscription, which is left behind
     */
    public Inbox(
            Deliveries deliveries,
            MainstemDestination source,
            DeliveryOptions options,
            ClientCounters counters,
            boolean endsWithConsumer) {
        this.deliveries = deliveries;
        this.source = source;
        this.options = options;
        this.counters = counters;
        this.endsWithConsumer = endsWithConsumer;
    }

    public MainstemDestination source() {
        return source;
    }

    /** The receiver behind it, once attached. */
    public void attached(ReceiverLink receiver) {
        link = receiver;
    }

    ReceiverLink link() {
        ReceiverLink attached = link;
        if (attached == null) {
            throw new IllegalStateException("not attached");
        }
        return attached;
    }

    public @Nullable MessageListener listener() {
        return listener;
    }

    void listener(@Nullable MessageListener next) {
        listener = next;
    }

    public @Nullable JMSException failure() {
        return failure;
    }

    boolean closed() {
        return closed;
    }

    /** Thread: the transport's. */
    @Override
    public void delivered(LinkDelivery delivery) {
        deliveries.arrived(this, delivery);
    }

    /** Thread: the transport's. */
    @Override
    public void detached(JMSException reason) {
        deliveries.failed(this, reason);
    }

    /** Thread: the transport's. */
    @Override
    public void interrupted() {
        deliveries.interrupted(this);
    }

    /** Thread: the transport's. */
    @Override
    public void reattached() {
        deliveries.reattached(this);
    }

    void failed(JMSException reason) {
        failure = reason;
    }

    void add(LinkDelivery delivery, long number) {
        int bytes = delivery.message().bytes();
        credit = Math.max(0, credit - 1);
        averageBytes = averageBytes < 0 ? bytes : averageBytes + (bytes - averageBytes) / 8;
        waitingBytes += bytes;
        lastNumber = number;
        waiting.add(new InboxDelivery(this, delivery, number, bytes));
    }

    @Nullable
    InboxDelivery peek() {
        return waiting.peek();
    }

    @Nullable
    InboxDelivery poll() {
        InboxDelivery first = waiting.poll();
        if (first != null) {
            waitingBytes -= first.bytes();
        }
        return first;
    }

    /** Puts back what was taken and has not been shown to anybody, unless the connection it came over is gone. */
    void unpoll(InboxDelivery arrived) {
        if (!isGone(arrived)) {
            waiting.addFirst(arrived);
            waitingBytes += arrived.bytes();
        }
    }

    /** See {@link InboxDelivery#isGone}. Thread: any. */
    boolean isGone(InboxDelivery arrived) {
        boolean[] gone = new boolean[1];
        deliveries.guarded(() -> gone[0] = arrived.number() <= goneUpTo);
        return gone[0];
    }

    /** Takes all that waits. */
    List<InboxDelivery> takeAll() {
        List<InboxDelivery> all = new ArrayList<>(waiting);
        waiting.clear();
        waitingBytes = 0;
        return all;
    }

    /** Whoever calls {@code receive} on a consumer without prefetch asks for one message. */
    void pull(int change) {
        pulls += change;
    }

    /**
     * Asks for more, when half of what may wait is gone: by count, and by bytes with the size of the last messages. A
     * message larger than all the bytes comes alone.
     */
    void refill() {
        ReceiverLink attached = link;
        if (attached == null || closed || failure != null) {
            return;
        }
        int window = window();
        int outstanding = credit + waiting.size();
        if (outstanding <= window / 2 && outstanding < window && waitingBytes < options.prefetchBytes()) {
            int more = window - outstanding;
            credit += more;
            attached.addCredit(more);
        }
    }

    private int window() {
        if (options.prefetchCount() == 0) {
            return listener == null ? pulls : 1;
        }
        int byBytes = averageBytes < 0 ? FIRST_CREDIT_MAX : options.prefetchBytes() / Math.max(1, averageBytes);
        return Math.max(1, Math.min(options.prefetchCount(), byBytes));
    }

    /** After a drain, and after a new connection. */
    void creditGone() {
        credit = 0;
    }

    boolean hasCredit() {
        return credit > 0;
    }

    /** The application has it from now until {@link #back}. */
    void out() {
        handedOut++;
    }

    void back() {
        handedOut--;
    }

    /** True while a listener or a receive call works on a message. */
    boolean busy() {
        return handedOut > 0;
    }

    /** A message is with the application and its outcome is open. Thread: any. */
    public void unsettled(int change) {
        deliveries.guarded(() -> {
            unsettled += change;
            if (unsettled == 0 && closeLinkWhenSettled) {
                closeLinkWhenSettled = false;
                var unused = closeLink();
            }
        });
    }

    /** To be run when the link has been closed. */
    public void afterLink(Runnable after) {
        deliveries.guarded(() -> afterLink = after);
    }

    /** Closes the link as soon as no message of it is with the application: until then their outcomes need it. */
    CompletionStage<@Nullable Void> closeLinkWhenSettled() {
        if (failure != null) {
            afterLink.run();
            return CompletableFuture.completedFuture(null);
        }
        if (unsettled == 0) {
            return closeLink();
        }
        closeLinkWhenSettled = true;
        return CompletableFuture.completedFuture(null);
    }

    private CompletionStage<@Nullable Void> closeLink() {
        Runnable after = afterLink;
        return link().close(endsWithConsumer).whenComplete((closedNow, failed) -> after.run());
    }

    /** Thread: any. */
    void settle(InboxDelivery arrived, Outcome outcome, @Nullable TransactionId transaction) {
        if (outcome == Outcome.ACCEPTED) {
            counters.acknowledgement();
        }
        link().settle(arrived.delivery(), outcome, transaction);
    }

    void close() {
        closed = true;
    }

    /** Forgets what came over a connection that is gone. */
    void clear() {
        waiting.clear();
        waitingBytes = 0;
        credit = 0;
        goneUpTo = lastNumber;
    }
}
