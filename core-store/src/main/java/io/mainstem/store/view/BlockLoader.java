package io.mainstem.store.view;

import io.mainstem.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings blocks back from disk: reads on other threads, hands over on the shard thread.
 *
 * <p>Thread: shard only, except what the executor runs.
 */
final class BlockLoader {
    private static final Logger LOG = LoggerFactory.getLogger(BlockLoader.class);
    /** Blocks read with one fetch, the one asked for included. */
    static final int BLOCKS_AHEAD = 4;
    /** A disk that does not answer so often may never: then the block's entries are looked for in the log. */
    private static final int TRIES_MAX = 3;

    private final ViewFiles view;
    private final BlockCache cache;
    private final Executor reads;
    private final Runnable wake;
    private final Map<Long, List<Runnable>> waiting = new HashMap<>();
    private @Nullable BlockRepair repair;
    private final Queue<Loaded> loaded = new ConcurrentLinkedQueue<>();
    /** That could not be read although nothing is known to be wrong with them. */
    private final List<Unread> later = new ArrayList<>();
    /** They were logged, and since then some have been there at every look. */
    private boolean told;

    BlockLoader(ViewFiles view, BlockCache cache, Executor reads, Runnable wake) {
        this.view = view;
        this.cache = cache;
        this.reads = reads;
        this.wake = wake;
    }

    /** From now on a block that cannot be read and is needed is not the end. */
    void repairWith(BlockRepair how) {
        repair = how;
    }

    /** Runs something in the next {@link #finish}. */
    void run(Runnable whenResident) {
        finished(new Loaded(null, List.of(), List.of(), 0, null, whenResident));
    }

    /** A block of a lane. */
    record Wanted(long firstIndex, long position) {}

    /**
     * Reads blocks of a lane.
     *
     * @param blocks at least one; the others are read with it if they are not here
     * @param whenResident for the first of them
     */
    void load(LaneView lane, List<Wanted> blocks, Runnable whenResident) {
        long asked = blocks.get(0).position;
        if (isResident(asked)) {
            run(whenResident);
            return;
        }
        List<Runnable> others = waiting.get(asked);
        if (others != null) {
            others.add(whenResident);
            return;
        }
        List<Wanted> wanted = new ArrayList<>();
        for (Wanted block : blocks) {
            if (isResident(block.position) || waiting.containsKey(block.position)) {
                break;
            }
            List<Runnable> callbacks = new ArrayList<>(1);
            if (wanted.isEmpty()) {
                callbacks.add(whenResident);
            }
            waiting.put(block.position, callbacks);
            wanted.add(block);
        }
        read(lane, wanted, 0);
    }

    private void read(LaneView lane, List<Wanted> wanted, int tries) {
        try {
            reads.execute(() -> finished(readNow(lane, wanted, tries)));
        } catch (OutOfMemoryError noThread) {
            finished(new Loaded(lane, wanted, List.of(), tries, new IOException(noThread), null));
        }
    }

    private boolean isResident(long position) {
        return cache.contains(position) || view.pending(position) != null;
    }

    private Loaded readNow(LaneView lane, List<Wanted> wanted, int tries) {
        List<long[]> blocks = new ArrayList<>(wanted.size());
        try {
            for (Wanted block : wanted) {
                blocks.add(view.read(block.position, lane.laneId(), block.firstIndex));
            }
            return new Loaded(lane, wanted, blocks, tries, null, null);
        } catch (IOException | RuntimeException e) {
            return new Loaded(lane, wanted, blocks, tries, e, null);
        } catch (Error e) {
            // Out of memory, say: not told, the queue would wait for this block for ever.
            return new Loaded(lane, wanted, blocks, tries, new IOException(e.toString(), e), null);
        }
    }

    private void finished(Loaded done) {
        loaded.add(done);
        wake.run();
    }

    /**
     * Hands over what was read.
     *
     * @return number of callbacks run
     * @throws StoreException if a block that is still needed cannot be read
     */
    int finish() {
        int done = 0;
        for (Loaded next = loaded.poll(); next != null; next = loaded.poll()) {
            if (next.only != null) {
                next.only.run();
                done++;
                continue;
            }
            for (int i = 0; i < next.wanted.size(); i++) {
                done += finish(next, i);
            }
        }
        return done;
    }

    private int finish(Loaded load, int i) {
        long position = load.wanted.get(i).position;
        List<Runnable> callbacks = waiting.remove(position);
        boolean needed = load.lane != null && load.lane.holds(load.wanted.get(i).firstIndex, position);
        if (i < load.blocks.size()) {
            if (needed) {
                cache.put(position, load.blocks.get(i));
            }
        } else if (needed && callbacks != null && !callbacks.isEmpty()) {
            waiting.put(position, callbacks);
            unread(load, i);
            return 0;
        }
        if (callbacks == null) {
            return 0;
        }
        callbacks.forEach(Runnable::run);
        return callbacks.size();
    }

    /** Somebody waits for the i-th block of a read that ended at it or before it. */
    private void unread(Loaded load, int i) {
        LaneView lane = load.lane;
        BlockRepair how = repair;
        if (lane == null) {
            throw unreadable(load.failure);
        }
        Wanted block = load.wanted.get(i);
        if (i > load.blocks.size()) {
            // Nothing is known of this one: one before it could not be read.
            read(lane, List.of(block), 0);
            return;
        }
        if (!(load.failure instanceof DamagedBlockException) && load.tries < TRIES_MAX) {
            later(new Unread(lane, block, load.tries + 1), String.valueOf(load.failure));
            return;
        }
        if (how == null) {
            throw unreadable(load.failure);
        }
        String problem = load.failure == null ? "" : String.valueOf(load.failure.getMessage());
        how.rebuild(lane.lost(block.firstIndex, block.position, problem), null);
    }

    /** It could not be found again this time, which proves nothing: it is read once more, and looked for once more. */
    void notRebuiltYet(LaneView lane, long blockFirst, long position, String problem) {
        later(new Unread(lane, new Wanted(blockFirst, position), TRIES_MAX), problem);
    }

    private void later(Unread unread, String why) {
        later.add(unread);
        if (!told) {
            told = true;
            LOG.warn(
                    "MS-0255 view-block-unread queue-id={} lane={} index={} cause=\"{}\" fix: check the disk; it is tried"
                            + " again each second, until then its queue waits",
                    unread.lane.laneId() >>> 8,
                    unread.lane.laneId() & 0xFF,
                    unread.block.firstIndex,
                    why);
        }
    }

    /** Reads again what could not be read; to be called about once a second. */
    void retry() {
        told &= !later.isEmpty();
        List<Unread> some = List.copyOf(later);
        later.clear();
        for (Unread unread : some) {
            read(unread.lane, List.of(unread.block), unread.tries);
        }
    }

    /**
     * Reads a block that background work could not read; it is mended if it is damaged. Nobody needs it for now.
     *
     * @param then run when that has ended, one way or the other
     */
    void mend(LaneView lane, LaneSnapshot.Unread block, Runnable then) {
        long[] words = cache.get(block.position());
        BlockRepair how = repair;
        if (words != null && how != null && view.pending(block.position()) == null) {
            // Read or written before it was damaged.
            how.rebuild(lane.lost(block.firstIndex(), block.position(), block.problem()), words);
            run(then);
            return;
        }
        load(lane, List.of(new Wanted(block.firstIndex(), block.position())), new Mend(then));
    }

    private record Mend(Runnable then) implements Runnable {
        @Override
        public void run() {
            then.run();
        }
    }

    /** True if somebody waits for the block who cannot go on without. */
    boolean needed(long position) {
        List<Runnable> callbacks = waiting.get(position);
        return callbacks != null && callbacks.stream().anyMatch(each -> !(each instanceof Mend));
    }

    /** The block stands elsewhere now, or is not needed any more: whoever has waited for it goes on. */
    void repaired(long position) {
        List<Runnable> callbacks = waiting.remove(position);
        if (callbacks != null) {
            callbacks.forEach(Runnable::run);
        }
    }

    /** Reads one block on the calling thread: for the rare record that needs entries to be folded. */
    void loadNow(LaneView lane, long blockFirst, long position) {
        try {
            cache.put(position, view.read(position, lane.laneId(), blockFirst));
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    static StoreException unreadable(@Nullable Exception cause) {
        return new StoreException(
                "MS-0243",
                "a block of a consume queue cannot be read: " + (cause == null ? "" : cause.getMessage()) + ".",
                "check the disk; 'mainstem store salvage' makes a store in which those of its messages are delivered"
                        + " again that the log still has.",
                cause == null ? new IOException("unknown") : cause);
    }

    private record Loaded(
            @Nullable LaneView lane,
            List<Wanted> wanted,
            List<long[]> blocks,
            int tries,
            @Nullable Exception failure,
            @Nullable Runnable only) {}

    /** @param tries so many reads of it have failed without a reason that lies in the block */
    private record Unread(LaneView lane, Wanted block, int tries) {}
}
