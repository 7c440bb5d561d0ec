package io.mainstem.jms.session;

import io.mainstem.jms.error.Errors;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;

/** What the setters of a producer, or the arguments of the call, say about a send. */
public record SendOptions(
        int deliveryMode, int priority, long timeToLiveMs, long delayMs, boolean withoutId, boolean withoutTimestamp) {
    private static final int PRIORITY_MAX = 9;

    /** @throws JMSException if it is no delivery mode */
    public static int checkedMode(int mode) throws JMSException {
        if (mode != DeliveryMode.PERSISTENT && mode != DeliveryMode.NON_PERSISTENT) {
            throw Errors.wrong("delivery mode " + mode + " (expected: 1 NON_PERSISTENT or 2 PERSISTENT)");
        }
        return mode;
    }

    /** @throws JMSException if it is no priority */
    public static int checkedPriority(int priority) throws JMSException {
        if (priority < 0 || priority > PRIORITY_MAX) {
            throw Errors.wrong("priority " + priority + " (expected: 0 to 9)");
        }
        return priority;
    }

    /** @throws JMSException if it is negative */
    public static long checkedTime(long ms) throws JMSException {
        if (ms < 0) {
            throw Errors.wrong("time of " + ms + " ms (expected: 0 or more)");
        }
        return ms;
    }
}
