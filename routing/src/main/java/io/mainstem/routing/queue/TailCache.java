package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * Messages that were applied lately and not dispatched to all their queues yet, so that a consumer that keeps up never
 * causes a read. A ring in LSN order within a byte budget; when it is full the oldest go, and are read from the log.
 *
 * <p>Thread: shard only.
 */
final class TailCache {
    /** Heap a message takes beside its payload: envelope, lists, strings; measured roughly. */
    static final int MESSAGE_OVERHEAD_BYTES = 320;

    private static final int SLOTS_MIN = 1024;

    private final long bytesMax;
    private long[] lsns = new long[SLOTS_MIN];
    private @Nullable Message[] messages = new Message[SLOTS_MIN];
    private int[] shares = new int[SLOTS_MIN];
    private long head;
    private long tail;
    private long bytes;
    private int live;

    TailCache(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /**
     * @param lsn higher than all before
     * @param fanout after so many {@link #dispatched} calls the message is let go
     */
    void add(long lsn, Message message, int fanout) {
        long size = size(message);
        if (size > bytesMax) {
            return;
        }
        while (bytes + size > bytesMax) {
            dropOldest();
        }
        if (tail - head == lsns.length) {
            repack();
        }
        int slot = slot(tail);
        lsns[slot] = lsn;
        messages[slot] = message;
        shares[slot] = fanout;
        bytes += size;
        live++;
        tail++;
    }

    /** The message whose record stands at {@code lsn}, or null if it must be read. */
    @Nullable
    Message get(long lsn) {
        long at = find(lsn);
        return at < 0 ? null : messages[slot(at)];
    }

    /** One of the message's queues has dispatched it. */
    void dispatched(long lsn) {
        long at = find(lsn);
        if (at < 0) {
            return;
        }
        int slot = slot(at);
        if (--shares[slot] <= 0) {
            release(slot);
            while (head < tail && messages[slot(head)] == null) {
                head++;
            }
        }
    }

    /** Heap held, estimated. */
    long bytes() {
        return bytes;
    }

    /** Slots of the ring. */
    int slots() {
        return lsns.length;
    }

    private long find(long lsn) {
        long low = head;
        long high = tail - 1;
        while (low <= high) {
            long middle = (low + high) >>> 1;
            long found = lsns[slot(middle)];
            if (found == lsn) {
                return middle;
            }
            if (found < lsn) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    private void dropOldest() {
        release(slot(head));
        head++;
    }

    private void release(int slot) {
        Message message = messages[slot];
        if (message != null) {
            bytes -= size(message);
            messages[slot] = null;
            live--;
        }
    }

    /** Closes the gaps that dispatched messages left, in a ring twice as large if there are few. */
    private void repack() {
        int capacity = live > lsns.length / 2 ? lsns.length * 2 : lsns.length;
        long[] newLsns = new long[capacity];
        int[] newShares = new int[capacity];
        @Nullable Message[] newMessages = new Message[capacity];
        int to = 0;
        for (long at = head; at < tail; at++) {
            int slot = slot(at);
            if (messages[slot] != null) {
                newLsns[to] = lsns[slot];
                newShares[to] = shares[slot];
                newMessages[to] = messages[slot];
                to++;
            }
        }
        lsns = newLsns;
        shares = newShares;
        messages = newMessages;
        head = 0;
        tail = to;
    }

    private int slot(long at) {
        return (int) (at & (lsns.length - 1));
    }

    private static long size(Message message) {
        return message.sectionBytes() + MESSAGE_OVERHEAD_BYTES;
    }
}
