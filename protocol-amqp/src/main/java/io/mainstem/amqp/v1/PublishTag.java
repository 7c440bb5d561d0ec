package io.mainstem.amqp.v1;

/** What the broker gives back with the answer to a publish: the delivery-id and how to answer it, in one long. Pure. */
final class PublishTag {
    private static final long SETTLED = 1L << 32;
    private static final long ACCEPT_UNROUTABLE = 1L << 33;
    private static final long SECOND = 1L << 34;

    private PublishTag() {}

    /**
     * @param settled the sender wants no answer
     * @param second the sender settles, after our answer (rcv-settle-mode second)
     */
    static long of(int deliveryId, boolean settled, boolean second) {
        return Integer.toUnsignedLong(deliveryId) | (settled ? SETTLED : 0) | (second ? SECOND : 0);
    }

    static long acceptUnroutable(long tag) {
        return tag | ACCEPT_UNROUTABLE;
    }

    static int deliveryId(long tag) {
        return (int) tag;
    }

    static boolean isSettled(long tag) {
        return (tag & SETTLED) != 0;
    }

    /** True if our answer settles the delivery. */
    static boolean settles(long tag) {
        return (tag & SECOND) == 0;
    }

    static boolean acceptsUnroutable(long tag) {
        return (tag & ACCEPT_UNROUTABLE) != 0;
    }
}
