package io.mainstem.amqp.v1;

/**
 * How many deliveries a link asks of the broker before the socket has taken the ones it has: few at first, more while
 * they are small, never more than weigh about {@value #BYTES} bytes. Thread: the connection's event loop.
 */
final class ReadAhead {
    private static final long BYTES = 2 << 20;
    private static final int DELIVERIES_MAX = 4096;
    private static final int DELIVERIES_FIRST = 2;
    private static final int AVERAGE_SHIFT = 3;

    private int deliveries = DELIVERIES_FIRST;
    private long averageBytes = 1024;

    int deliveries() {
        return deliveries;
    }

    /** A delivery of this size is on its way out. */
    void onSent(long bytes) {
        averageBytes += (bytes - averageBytes) >> AVERAGE_SHIFT;
    }

    /** Half of the last batch went: the next one may be larger. */
    void grow() {
        long fits = Math.max(1, BYTES / Math.max(1, averageBytes));
        deliveries = (int) Math.min(Math.min(DELIVERIES_MAX, fits), Math.max(2L * deliveries, DELIVERIES_FIRST));
    }
}
