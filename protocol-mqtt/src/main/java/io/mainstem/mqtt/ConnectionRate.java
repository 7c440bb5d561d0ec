package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Reason;

/** Clients that may connect in a second, for one listener. Says once per episode that there were more. Thread: any. */
final class ConnectionRate {
    private final int perSecond;
    private final RateLimit limit;
    private boolean exceeded;

    /** @param perSecond at least 1 */
    ConnectionRate(int perSecond, long nowNanos) {
        this.perSecond = perSecond;
        this.limit = new RateLimit(perSecond, nowNanos);
    }

    /** @throws ConnectRefused if another client would be one too many */
    synchronized void enter(long nowNanos) {
        if (limit.take(nowNanos)) {
            exceeded = false;
            return;
        }
        boolean first = !exceeded;
        exceeded = true;
        throw new ConnectRefused(
                Reason.CONNECTION_RATE_EXCEEDED,
                "MS-0619 more clients connect than may: " + perSecond + " a second (mqtt.connection-rate-max)",
                first);
    }
}
