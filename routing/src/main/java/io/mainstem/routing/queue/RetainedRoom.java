package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;

/**
 * What retained messages take and may take. Those on their way to the log count, so that no burst passes the limit.
 * Thread: any.
 */
final class RetainedRoom {
    /** Until somebody says otherwise, as the configuration's own defaults. */
    private static final int COUNT_MAX = 1_000_000;

    private static final long BYTES_MAX = 64 << 20;

    private long count;
    private long bytes;
    private long underWay;
    private long bytesUnderWay;
    private long countMax = COUNT_MAX;
    private long bytesMax = BYTES_MAX;

    synchronized void limit(long newCountMax, long newBytesMax) {
        countMax = newCountMax;
        bytesMax = newBytesMax;
    }

    synchronized long count() {
        return count;
    }

    synchronized long bytes() {
        return bytes;
    }

    /** That many messages and bytes more are retained, or less. */
    synchronized void changed(int messages, long itsBytes) {
        count += messages;
        bytes += itsBytes;
    }

    /**
     * So much more is on its way; {@link #giveBack} follows.
     *
     * @throws BrokerException if it would be more than may be retained
     */
    synchronized void take(int messages, long itsBytes) {
        boolean tooMany = messages > 0 && count + underWay + messages > countMax;
        if (tooMany || (itsBytes > 0 && bytes + bytesUnderWay + itsBytes > bytesMax)) {
            throw new BrokerException(
                    ErrorKind.RESOURCE_LIMIT,
                    "MS-0395",
                    "no more messages can be retained: " + (count + underWay) + " (limit: " + countMax + ") take "
                            + (bytes + bytesUnderWay) + " bytes (limit: " + bytesMax + ").",
                    "delete retained messages by empty ones, or raise the limits.");
        }
        underWay += messages;
        bytesUnderWay += itsBytes;
    }

    synchronized void giveBack(int messages, long itsBytes) {
        underWay -= messages;
        bytesUnderWay -= itsBytes;
    }
}
