package io.mainstem.launcher.config;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * True while what lives long fills the heap: more than 90 % of it was in use after the last collection. What does not need memory
 * goes on. Thread: any.
 */
final class HeapRoom implements BooleanSupplier {
    private static final double FULL = 0.9;

    private final List<MemoryPoolMXBean> longLived;

    HeapRoom() {
        this(ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .filter(pool -> pool.getName().contains("Old") || pool.getName().contains("Tenured"))
                .toList());
    }

    private HeapRoom(List<MemoryPoolMXBean> longLived) {
        this.longLived = longLived;
    }

    @Override
    public boolean getAsBoolean() {
        for (MemoryPoolMXBean pool : longLived) {
            if (isFull(pool.getCollectionUsage())) {
                return true;
            }
        }
        return false;
    }

    /** @param afterCollection null where the collector does not tell */
    static boolean isFull(@Nullable MemoryUsage afterCollection) {
        return afterCollection != null
                && afterCollection.getMax() > 0
                && afterCollection.getUsed() > FULL * afterCollection.getMax();
    }
}
