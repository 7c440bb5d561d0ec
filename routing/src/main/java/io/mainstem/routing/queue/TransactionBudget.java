package io.mainstem.routing.queue;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds what transactions keep in memory until they are committed: each of them, and all together. Thread: any.
 */
final class TransactionBudget {
    private final long transactionBytesMax;
    private final long bytesMax;
    private final AtomicLong bytes = new AtomicLong();

    TransactionBudget(long transactionBytesMax, long bytesMax) {
        this.transactionBytesMax = transactionBytesMax;
        this.bytesMax = bytesMax;
    }

    /**
     * Takes room for one more message.
     *
     * @param held what the transaction has taken already
     * @return false if there is none; nothing is taken then
     */
    boolean take(long held, long more) {
        if (held + more > transactionBytesMax) {
            return false;
        }
        if (bytes.addAndGet(more) > bytesMax) {
            bytes.addAndGet(-more);
            return false;
        }
        return true;
    }

    void giveBack(long taken) {
        bytes.addAndGet(-taken);
    }

    /** Bytes taken by all transactions. */
    long bytes() {
        return bytes.get();
    }

    /** For people: what there is room for. */
    String limits() {
        return "limit: " + transactionBytesMax + " bytes a transaction, " + bytesMax + " bytes all together";
    }
}
