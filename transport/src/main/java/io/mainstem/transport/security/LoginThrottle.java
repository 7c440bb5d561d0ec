package io.mainstem.transport.security;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Slows down who guesses. An address may fail a few times at once; from then on its logins, good ones too, are spaced.
 * Each login takes a turn before it is checked and gives it back if it succeeds. IPv6 addresses count by their /64. Memory
 * is bounded: the address that was quiet for longest is forgotten.
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
    /** By address, when all turns taken so far will have been worked off, at one per interval. */
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

    /** Takes a turn. Returns ns to wait before the login may be checked, or -1 if it has to be refused: no turn taken. */
    synchronized long take(@Nullable InetAddress address) {
        if (address == null) {
            return 0;
        }
        ByteBuffer key = key(address);
        long now = nanoTime.getAsLong();
        Long known = busyUntil.get(key);
        long from = known == null || known - now < 0 ? now : known;
        long wait = from - now - (burst - 1) * intervalNs;
        if (wait > waitMaxNs) {
            return -1;
        }
        busyUntil.put(key, from + intervalNs);
        return Math.max(0, wait);
    }

    /** The login that took a turn has succeeded. */
    synchronized void giveBack(@Nullable InetAddress address) {
        if (address != null) {
            busyUntil.computeIfPresent(key(address), (same, until) -> until - intervalNs);
        }
    }

    synchronized int addresses() {
        return busyUntil.size();
    }

    private static ByteBuffer key(InetAddress address) {
        byte[] bytes = address.getAddress();
        return address instanceof Inet6Address ? ByteBuffer.wrap(bytes, 0, IPV6_NETWORK_BYTES) : ByteBuffer.wrap(bytes);
    }
}
