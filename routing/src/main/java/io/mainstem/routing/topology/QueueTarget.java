package io.mainstem.routing.topology;

import io.mainstem.routing.QueueSpec;

/**
 * A queue as routing sees it. Immutable.
 *
 * @param queueId never reused, >= 1
 * @param maxPriority highest priority that has its own lane, 0 to 9: {@code x-max-priority}, else 9
 */
public record QueueTarget(int queueId, QueueSpec spec, int maxPriority) {
    private static final int PRIORITY_MAX = 9;

    /** The target of a declaration. */
    static QueueTarget of(int queueId, QueueSpec spec) {
        Object max = spec.arguments().get("x-max-priority");
        int maxPriority = max instanceof Number number
                ? (int) Math.max(0, Math.min(PRIORITY_MAX, number.longValue()))
                : PRIORITY_MAX;
        return new QueueTarget(queueId, spec, maxPriority);
    }

    /** The queue's name. */
    public String name() {
        return spec.name();
    }

    /** True if the queue survives a restart. */
    public boolean durable() {
        return spec.durable();
    }
}
