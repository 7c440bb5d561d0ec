package io.mainstem.store.segment;

import io.mainstem.store.segment.SyncedSlots.Slot;
import java.io.IOException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the log does aside from the path of a message: space ahead, a sync for groups that asked for none, and a note in
 * {@code ckpt/synced} one second after the first sync that it does not know of. Thread: keeper.
 */
final class Housekeeper implements LogWorker.Steps {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeper.class);
    private static final long SLOT_AFTER_NANOS = 1_000_000_000L;
    private static final long SYNC_AFTER_NANOS = 100_000_000L;

    private final Preallocator preallocator;
    private final FreeSpace freeSpace;
    private final Syncer syncer;
    private final SyncedSlots slots;
    private final BatchWriterPosition writer;
    private final LongSupplier nanos;
    private final Runnable wakeSyncer;
    private long notedLsn;
    private long unnotedSince;
    private boolean unnoted;
    private long unsyncedSince;
    private boolean unsynced;
    private boolean slotsBroken;
    private volatile boolean hearsWrites;
    private volatile boolean hearsSyncs;

    /** Where the writer's last batch is. */
    interface BatchWriterPosition {
        /** The slot for a log synced up to {@code syncedLsn}. */
        Slot slot(long syncedLsn, boolean clean);
    }

    Housekeeper(
            Preallocator preallocator,
            FreeSpace freeSpace,
            Syncer syncer,
            SyncedSlots slots,
            BatchWriterPosition writer,
            LongSupplier nanos,
            Runnable wakeSyncer) {
        this.preallocator = preallocator;
        this.freeSpace = freeSpace;
        this.syncer = syncer;
        this.slots = slots;
        this.writer = writer;
        this.nanos = nanos;
        this.wakeSyncer = wakeSyncer;
        this.notedLsn = syncer.syncedLsn();
    }

    /** True if no timer of a sync runs, so that whoever writes next has to wake this thread. */
    boolean hearsWrites() {
        return hearsWrites;
    }

    /** True if no timer of a note runs, so that whoever syncs next has to wake this thread. */
    boolean hearsSyncs() {
        return hearsSyncs;
    }

    @Override
    public long step() {
        // Up before the look: what comes between it and sleep finds the flag and wakes this thread.
        hearsWrites = true;
        hearsSyncs = true;
        freeSpace.look();
        long now = nanos.getAsLong();
        long space = preallocator.step(now);
        long sync = syncSoon(now);
        hearsWrites = sync == LogWorker.UNTIL_WOKEN;
        long note = noteSynced(now);
        hearsSyncs = note == LogWorker.UNTIL_WOKEN;
        return Math.min(space, Math.min(sync, note));
    }

    private long syncSoon(long now) {
        if (syncer.writtenLsn() <= syncer.syncedLsn() || !syncer.idle() || syncer.failed()) {
            unsynced = false;
            return LogWorker.UNTIL_WOKEN;
        }
        if (!unsynced) {
            unsynced = true;
            unsyncedSince = now;
        }
        long left = unsyncedSince + SYNC_AFTER_NANOS - now;
        if (left > 0) {
            return left;
        }
        unsynced = false;
        syncer.request();
        wakeSyncer.run();
        return 0;
    }

    private long noteSynced(long now) {
        long synced = syncer.syncedLsn();
        if (synced == notedLsn || syncer.failed()) {
            unnoted = false;
            return LogWorker.UNTIL_WOKEN;
        }
        if (!unnoted) {
            unnoted = true;
            unnotedSince = now;
        }
        long left = unnotedSince + SLOT_AFTER_NANOS - now;
        if (left > 0) {
            return left;
        }
        try {
            slots.write(writer.slot(synced, false));
            slotsBroken = false;
        } catch (IOException e) {
            if (!slotsBroken) {
                slotsBroken = true;
                LOG.warn(
                        "MS-0215 ckpt/synced could not be written: {} fix: check the disk; the log itself is not"
                                + " affected, it is tried again",
                        e.toString());
            }
        }
        unnoted = false;
        notedLsn = synced;
        return 0;
    }
}
