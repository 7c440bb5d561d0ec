package io.mainstem.store;

/**
 * One lane a message goes to.
 *
 * @param queueId never reused, >= 1
 * @param priority 0 to 9; the lane within the queue
 * @param stamp kept with the entry ({@link Entry#stamp}) for who routed the message, who alone knows what it means: 1 to
 *     3, in lane 0 only; 0 = none
 */
public record Route(int queueId, int priority, int stamp) {
    /** Lanes a queue can have. */
    public static final int LANES_MAX = 10;

    /** Highest {@link #stamp}. */
    public static final int STAMP_MAX = 3;

    public Route {
        if (queueId < 1 || priority < 0 || priority >= LANES_MAX) {
            throw new IllegalArgumentException(
                    "route: " + queueId + "/" + priority + " (expected: queueId >= 1, priority 0 to 9)");
        }
        if (stamp < 0 || stamp > STAMP_MAX || (stamp > 0 && priority > 0)) {
            throw new IllegalArgumentException("route: stamp " + stamp + " in lane " + priority + " (expected: 0 to "
                    + STAMP_MAX + ", and 0 but in lane 0)");
        }
    }

    /** Without a stamp. */
    public Route(int queueId, int priority) {
        this(queueId, priority, 0);
    }

    /** The lane's id: {@code queueId << 8 | priority}. */
    public long laneId() {
        return (long) queueId << 8 | priority;
    }
}
