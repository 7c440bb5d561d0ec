package io.mainstem.amqp.v1;

import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Terminus;
import org.apache.qpid.proton.amqp.messaging.TerminusDurability;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;

/**
 * How long a terminus is kept when its link is not attached (AMQP 1.0 part 3, 3.5.1 to 3.5.6).
 *
 * @param durable it survives the broker, as far as it survives the link
 * @param expiry the event that starts the time
 * @param timeoutMs how long after that
 */
record TerminusLife(boolean durable, TerminusExpiryPolicy expiry, long timeoutMs) {
    static TerminusLife of(Terminus terminus) {
        TerminusDurability durability = terminus.getDurable();
        UnsignedInteger seconds = terminus.getTimeout();
        TerminusExpiryPolicy policy = terminus.getExpiryPolicy();
        return new TerminusLife(
                durability != null && durability != TerminusDurability.NONE,
                policy == null ? TerminusExpiryPolicy.SESSION_END : policy,
                seconds == null ? 0 : seconds.longValue() * 1_000);
    }

    /** Of one whose node goes with its connection at the latest (ADR 0077): what is asked for beyond that is not granted. */
    static TerminusLife ofDynamic(Terminus terminus) {
        TerminusExpiryPolicy asked = of(terminus).expiry();
        boolean endless = asked == TerminusExpiryPolicy.NEVER;
        return new TerminusLife(false, endless ? TerminusExpiryPolicy.CONNECTION_CLOSE : asked, 0);
    }

    /** Time without its connection, ms; negative = for ever. */
    long keptMs() {
        return isEndless() ? -1 : timeoutMs;
    }

    /** True if only closing its link ends it. */
    boolean isEndless() {
        return expiry == TerminusExpiryPolicy.NEVER;
    }

    /** True if it is still there when a lost connection comes back. */
    boolean survivesConnection() {
        return isEndless() || timeoutMs > 0;
    }

    /** True if its time does not count before its session or connection ends. */
    boolean outlivesDetach() {
        return expiry == TerminusExpiryPolicy.SESSION_END || expiry == TerminusExpiryPolicy.CONNECTION_CLOSE;
    }
}
