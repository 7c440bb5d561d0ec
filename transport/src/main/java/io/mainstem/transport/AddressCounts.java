package io.mainstem.transport;

import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;

/** How many connections each address has; addresses without any take no memory. Thread: any. */
final class AddressCounts {
    private final int max;
    private final ConcurrentHashMap<InetAddress, Integer> open = new ConcurrentHashMap<>();

    AddressCounts(int max) {
        this.max = max;
    }

    /** Counts one more; false, and not counted, if the address has as many as it may. */
    boolean enter(InetAddress address) {
        boolean[] entered = new boolean[1];
        open.compute(address, (same, count) -> {
            int before = count == null ? 0 : count;
            entered[0] = before < max;
            return entered[0] ? Integer.valueOf(before + 1) : count;
        });
        return entered[0];
    }

    void leave(InetAddress address) {
        open.computeIfPresent(address, (same, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }
}
