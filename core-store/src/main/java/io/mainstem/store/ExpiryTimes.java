package io.mainstem.store;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * When a message expires in the lanes it goes to: one time for all, or one for each, because queues have times to live of
 * their own. Epoch ms, 0 = never. Immutable.
 */
public final class ExpiryTimes {
    /** Never, in no lane. */
    public static final ExpiryTimes NEVER = new ExpiryTimes(0, null);

    private final long all;
    private final long @Nullable [] each;

    private ExpiryTimes(long all, long @Nullable [] each) {
        this.all = all;
        this.each = each;
    }

    /** The same for all lanes. */
    public static ExpiryTimes of(long atMs) {
        if (atMs < 0) {
            throw new IllegalArgumentException("expiry: " + atMs + " (expected: >= 0)");
        }
        return atMs == 0 ? NEVER : new ExpiryTimes(atMs, null);
    }

    /** One for each lane, in the order of the routes; copied. */
    public static ExpiryTimes of(long[] atMs) {
        boolean same = true;
        for (long at : atMs) {
            if (at < 0) {
                throw new IllegalArgumentException("expiry: " + at + " (expected: >= 0)");
            }
            same &= at == atMs[0];
        }
        if (same) {
            return of(atMs.length == 0 ? 0 : atMs[0]);
        }
        return new ExpiryTimes(0, atMs.clone());
    }

    /** For the lane of this route. */
    public long at(int route) {
        return each == null ? all : each[route];
    }

    /** True if {@link #at} is the same for all. */
    public boolean same() {
        return each == null;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ExpiryTimes times && times.all == all && Arrays.equals(times.each, each);
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(all) + Arrays.hashCode(each);
    }

    @Override
    public String toString() {
        return each == null ? Long.toString(all) : Arrays.toString(each);
    }
}
