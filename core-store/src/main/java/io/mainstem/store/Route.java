package io.mainstem.store;

/**
 * One lane a message goes to.
 *
 * @param queueId never reused, >= 1
 * @param priority 0 to 9; the lane within the queue
 */
public record Route(int queueId, int priority) {
    /** Lanes a queue can have. */
    public static final int LANES_MAX = 10;

    public Route {
        if (queueId < 1 || priority < 0 || priority >= LANES_MAX) {
            throw new IllegalArgumentException(
                    "route: " + queueId + "/" + priority + " (expected: queueId >= 1, priority 0 to 9)");
        }
    }

    /** The lane's id: {@code queueId << 8 | priority}. */
    public long laneId() {
        return (long) queueId << 8 | priority;
    }
}
