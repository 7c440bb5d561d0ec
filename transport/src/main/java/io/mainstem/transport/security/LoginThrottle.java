package io.mainstem.transport.security;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Counts failed logins by address. An address may fail a few times at once; from then on its logins, good ones too, are spaced.
 * A login that is under way is no failure. IPv6 addresses count by their /64. Memory is bounded: the address that was quiet for
 * longest is forgotten.
 *
 * <p>Thread: any.
 */
public final class LoginThrottle {
    /** Addresses remembered. */
    static final int ADDRESSES_MAX = 10_000;

    private static final int IPV6_NETWORK_BYTES = 8;

    private final int burst;
    private final long intervalNs;
    private final long waitMaxNs;
    private final LongSupplier nanoTime;
    /** By address, when all its failures will have been forgiven, at one per interval. */
    private final Map<ByteBuffer, Long> busyUntil = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Long> eldest) {
            return size() > ADDRESSES_MAX;
        }
    };

    /**
     * @param burst failures an address is forgiven at once
     * @param intervalMs one more is forgiven every so many ms
     * @param waitMaxMs longest that a login is held back; one that would have to wait longer is refused
     */
    public LoginThrottle(int burst, int intervalMs, int waitMaxMs, LongSupplier nanoTime) {
        this.burst = burst;
        this.intervalNs = TimeUnit.MILLISECONDS.toNanos(intervalMs);
        this.waitMaxNs = TimeUnit.MILLISECONDS.toNanos(waitMaxMs);
        this.nanoTime = nanoTime;
    }

    /** Logins that may be under way at a time from an address that has not failed. */
    int burst() {
        return burst;
    }

    /** Failures that are not forgiven yet; a begun one counts whole. */
    synchronized long failures(InetAddress address) {
        return (debtNs(address) + intervalNs - 1) / intervalNs;
    }

    /** ns to wait before the next login of the address may be checked, or -1 if it has to be refused. */
    synchronized long waitNs(InetAddress address) {
        long wait = debtNs(address) - (burst - 1) * intervalNs;
        return wait > waitMaxNs ? -1 : Math.max(0, wait);
    }

    /** A login has failed. */
    synchronized void failed(InetAddress address) {
        busyUntil.put(key(address), nanoTime.getAsLong() + debtNs(address) + intervalNs);
    }

    private long debtNs(InetAddress address) {
        Long known = busyUntil.get(key(address));
        return known == null ? 0 : Math.max(0, known - nanoTime.getAsLong());
    }

    synchronized int addresses() {
        return busyUntil.size();
    }

    static ByteBuffer key(InetAddress address) {
        byte[] bytes = address.getAddress();
        return address instanceof Inet6Address ? ByteBuffer.wrap(bytes, 0, IPV6_NETWORK_BYTES) : ByteBuffer.wrap(bytes);
    }
}
