package io.mainstem.routing.queue;

import java.util.HashSet;
import java.util.Set;

/**
 * Keeps the memory of non-durable messages bounded: above its budget a queue holds its publishers back, and so do all
 * queues together; publishers go on when half of it is free. Thread: shard only.
 *
 * <p>What is under way when a session is held back still comes in, so there is a second bound, at twice the budget, at
 * which messages are refused.
 */
final class TransientBudget {
    private final long queueBytesMax;
    private final long bytesMax;
    private final Set<ShardPeer> heldBack = new HashSet<>();
    private long bytes;

    TransientBudget(long queueBytesMax, long bytesMax) {
        this.queueBytesMax = queueBytesMax;
        this.bytesMax = bytesMax;
    }

    /** True if the queue cannot take even what is under way. */
    boolean full(MessageQueue queue) {
        Transients transients = queue.transients();
        return transients != null && (transients.bytes() > 2 * queueBytesMax || bytes > 2 * bytesMax);
    }

    /** True while neither the queue nor all queues together hold publishers back. */
    boolean roomy(MessageQueue queue) {
        Transients transients = queue.transients();
        return bytes <= bytesMax && (transients == null || transients.bytes() <= queueBytesMax);
    }

    void add(MessageQueue queue, TransientMessage message, ShardPeer publisher) {
        Transients transients = queue.transientsMade();
        transients.add(message);
        bytes += message.bytes();
        if (transients.bytes() > queueBytesMax) {
            publisher.hold(
                    transients.heldBack(),
                    "queue '" + queue.name() + "' holds " + transients.bytes()
                            + " bytes of non-durable messages (limit: " + queueBytesMax + ")");
        }
        if (bytes > bytesMax) {
            publisher.hold(heldBack, "non-durable messages take " + bytes + " bytes (limit: " + bytesMax + ")");
        }
    }

    /** As {@link #add}, for a message the broker moves itself: nobody is held back for it. */
    void addUnattended(MessageQueue queue, TransientMessage message) {
        queue.transientsMade().add(message);
        bytes += message.bytes();
    }

    void settled(MessageQueue queue, TransientMessage message) {
        Transients transients = queue.transients();
        if (transients == null) {
            return;
        }
        transients.settled(message);
        freed(message.bytes());
        if (transients.bytes() <= queueBytesMax / 2) {
            ShardPeer.releaseAll(transients.heldBack());
        }
    }

    /** The queue goes with all it holds. */
    void dropped(MessageQueue queue) {
        Transients transients = queue.transients();
        if (transients != null) {
            freed(transients.bytes());
            ShardPeer.releaseAll(transients.heldBack());
            queue.dropTransients();
        }
    }

    private void freed(long freedBytes) {
        bytes -= freedBytes;
        if (bytes <= bytesMax / 2) {
            ShardPeer.releaseAll(heldBack);
        }
    }
}
