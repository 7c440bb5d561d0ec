package io.mainstem.store;

/**
 * The lanes in which delayed messages wait: one for each hour since the epoch, made when first used [L-8].
 * To the store they are lanes as all others are; their queue ids lie above all that are given to queues.
 *
 * <p>Thread: any.
 */
public final class ScheduleLane {
    /** Queues have smaller ids, the lanes of hours have these and greater ones. */
    public static final int QUEUE_ID_MIN = 1 << 30;

    /** Milliseconds of an hour. */
    public static final long HOUR_MS = 3_600_000;

    private static final long HOUR_MAX = Integer.MAX_VALUE - QUEUE_ID_MIN;

    /** Later times count as this one: in the year 124,000. */
    public static final long DELIVER_AT_MS_MAX = (HOUR_MAX + 1) * HOUR_MS - 1;

    private ScheduleLane() {}

    /** The lane of the hour in which the time lies. */
    public static Route of(long deliverAtMs) {
        return ofHour(deliverAtMs / HOUR_MS);
    }

    /** The lane of an hour since the epoch. */
    public static Route ofHour(long hour) {
        if (hour < 0 || hour > HOUR_MAX) {
            throw new IllegalArgumentException("hour: " + hour + " (expected: 0 to " + HOUR_MAX + ")");
        }
        return new Route((int) (QUEUE_ID_MIN + hour), 0);
    }

    /** True if the lane is one of an hour, false if it is one of a queue. */
    public static boolean is(long laneId) {
        return laneId >>> 8 >= QUEUE_ID_MIN;
    }

    /** The hour since the epoch of which this is the lane. */
    public static long hour(long laneId) {
        return (laneId >>> 8) - QUEUE_ID_MIN;
    }
}
