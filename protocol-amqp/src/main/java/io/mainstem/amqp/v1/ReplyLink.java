package io.mainstem.amqp.v1;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySource;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The receiving half of a management link pair: responses in the order they were made, as credit allows. There are never
 * more of them than the sending half has requests unanswered, because a request counts as answered only when its response
 * is taken from here. Thread: the connection's event loop.
 */
final class ReplyLink implements DeliverySource {
    private final OutboundLink link;
    private final Executor eventLoop;
    private final Runnable onClosed;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private long given;
    private long limit;
    private boolean drain;
    private boolean scheduled;
    private boolean closed;

    private record Waiting(Message response, Runnable taken) {}

    ReplyLink(OutboundLink link, Executor eventLoop, Runnable onClosed) {
        this.link = link;
        this.eventLoop = eventLoop;
        this.onClosed = onClosed;
    }

    /** @param taken run when the response has gone, or never can */
    void send(Message response, Runnable taken) {
        waiting.add(new Waiting(response, taken));
        schedule();
    }

    @Override
    public void limit(long newLimit, boolean newDrain) {
        limit = newLimit;
        drain = newDrain;
        schedule();
    }

    /** Later, because the link that calls is in the middle of its own change. */
    private void schedule() {
        if (!scheduled) {
            scheduled = true;
            eventLoop.execute(this::deliver);
        }
    }

    private void deliver() {
        scheduled = false;
        if (closed) {
            discard();
            return;
        }
        List<Delivery> deliveries = new ArrayList<>();
        List<Runnable> taken = new ArrayList<>();
        while (given < limit && !waiting.isEmpty()) {
            Waiting next = waiting.remove();
            deliveries.add(new Delivery(given++, next.response(), 0, false, -1));
            taken.add(next.taken());
        }
        if (!deliveries.isEmpty()) {
            link.onDeliveries(deliveries);
            taken.forEach(Runnable::run);
        }
        if (drain) {
            drain = false;
            link.onDrained(limit);
        }
    }

    private void discard() {
        List<Waiting> lost = List.copyOf(waiting);
        waiting.clear();
        lost.forEach(each -> each.taken().run());
    }

    @Override
    public void settle(long first, long last, Outcome outcome) {
        // A response has gone when it was sent.
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            onClosed.run();
            schedule();
        }
    }

    @Override
    public void close(Outcome unsettled) {
        close();
    }
}
