package io.mainstem.store.shard;

import io.mainstem.store.Durability;
import io.mainstem.store.Entry;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.LostRecordException;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.Settlement;
import io.mainstem.store.StoreState;
import io.mainstem.store.view.LaneSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/** Reads all waiting messages of a store that nobody uses yet, and settles as lost what cannot be read. Thread: one. */
final class UnreadableEntries {
    private static final int AT_A_TIME = 1000;
    private static final int TRIES = 3;

    private final LocalShardStore store;
    private final List<Settlement> lost = new ArrayList<>();
    private @Nullable StoreState failure;

    UnreadableEntries(LocalShardStore store) {
        this.store = store;
    }

    /** @param sound told how many of a lane can be read */
    void find(ObjLongConsumer<Entry> unreadable, LongConsumer sound) throws IOException {
        for (long laneId : store.parts().lanes().ids()) {
            LaneSnapshot lane = store.parts().lanes().snapshot(laneId, 0, Long.MAX_VALUE);
            List<Entry> entries = new ArrayList<>();
            if (lane != null) {
                lane.forEachUnsettled(store.parts().view(), entries::add, unread -> {});
            }
            long good = 0;
            for (Entry entry : entries) {
                if (readable(entry)) {
                    good++;
                } else {
                    lost.add(new Settlement(laneId, entry, Settlement.Kind.LOST));
                    unreadable.accept(entry, laneId);
                }
            }
            sound.accept(good);
        }
    }

    /** @throws IOException if nobody knows: a disk that does not answer may answer later, and then it is not lost */
    private boolean readable(Entry entry) throws IOException {
        Throwable cause = null;
        for (int tries = 0; tries < TRIES; tries++) {
            try {
                store.read(entry).toCompletableFuture().join();
                return true;
            } catch (CompletionException e) {
                cause = e.getCause();
                if (cause instanceof LostRecordException) {
                    return false;
                }
            }
        }
        throw new IOException(
                "the record at " + entry.lsn() + " could not be read, which does not prove it lost", cause);
    }

    /** Done when the store is closed. */
    void settle() {
        for (int from = 0; from < lost.size(); from += AT_A_TIME) {
            List<Settlement> some = lost.subList(from, Math.min(lost.size(), from + AT_A_TIME));
            store.submit(new Lost(Frames.settle(some)));
        }
    }

    void requireSettled() throws IOException {
        if (failure != null) {
            throw new IOException("what is lost could not be settled, the new store is " + failure);
        }
    }

    private final class Lost extends RecordGroup {
        private Lost(Frame frame) {
            super(List.of(frame), Durability.SYNC);
        }

        @Override
        public void onApplied() {
            // The checkpoint at the end has it.
        }

        @Override
        public void onFailed(StoreState why) {
            failure = why;
        }
    }
}
