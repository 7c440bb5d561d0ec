package io.mainstem.store.shard;

import io.mainstem.store.LostRecordException;
import io.mainstem.store.StoreException;
import io.mainstem.store.codec.MalformedException;
import io.mainstem.store.segment.CommitLog;
import io.mainstem.store.segment.CommitLog.LogRecord;
import io.mainstem.store.view.BlockRepair;
import io.mainstem.store.view.FoundEntries;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.LostBlock;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the entries of a damaged block, or of one whose file is missing, again in the log and writes the block anew (ADR
 * 0050): the log is the truth, blocks are a view of it. Whoever waits for the block goes on to wait; nobody else does.
 *
 * <p>Thread: shard, except what the executor runs.
 */
final class ViewRebuild implements BlockRepair {
    private static final Logger LOG = LoggerFactory.getLogger(ViewRebuild.class);
    /** Files may be recycled or compacted while they are read. */
    private static final int TRIES = 3;

    private final CommitLog log;
    private final Lanes lanes;
    private final Executor reads;
    private final Consumer<Runnable> shard;
    private final QueueNames names;

    ViewRebuild(OpenStore store, Executor reads, Consumer<Runnable> shard, QueueNames names) {
        this.names = names;
        this.log = store.log();
        this.lanes = store.lanes();
        this.reads = reads;
        this.shard = shard;
    }

    @Override
    public void rebuild(LostBlock block, long @Nullable [] inMemory) {
        if (inMemory != null) {
            done(block, inMemory);
            return;
        }
        reads.execute(() -> {
            Found found = search(block);
            shard.accept(() -> {
                if (found.words == null && !found.certain) {
                    lanes.blocks().notRebuiltYet(block);
                } else {
                    done(block, found.words);
                }
            });
        });
    }

    /**
     * What a search comes to.
     *
     * @param certain false = the log could not be read this time
     */
    private record Found(long @Nullable [] words, boolean certain) {}

    private void done(LostBlock block, long @Nullable [] words) {
        if (words == null) {
            if (lanes.blocks().notRebuilt(block)) {
                LOG.error(
                        "MS-0258 view-block-not-rebuilt {} priority={} index={} reason=\"{}\" fix: check the disk; the broker"
                                + " stops when a consumer needs it, then 'mainstem store salvage' helps",
                        names.of(block.laneId()),
                        block.laneId() & 0xFF,
                        block.firstIndex(),
                        block.problem());
            }
            return;
        }
        LOG.warn(
                "MS-0253 view-block-rebuilt {} priority={} index={} reason=\"{}\" fix: check the disk; its entries were"
                        + " found again, nothing is lost",
                names.of(block.laneId()),
                block.laneId() & 0xFF,
                block.firstIndex(),
                block.problem());
        lanes.blocks().rebuilt(block, words);
    }

    private Found search(LostBlock block) {
        boolean certain = true;
        for (int tries = 0; tries < TRIES; tries++) {
            try {
                FoundEntries found = new FoundEntries(block);
                log.messages(block.range().fromLsn(), block.range().toLsn(), new Search(block.laneId(), found));
                return new Found(found.words(), true);
            } catch (IOException | StoreException | MalformedException | OutOfMemoryError e) {
                certain = e instanceof LostRecordException || e instanceof MalformedException;
                LOG.warn(
                        "MS-0255 view-block-rebuild-failed queue-id={} index={} try={} of {} cause=\"{}\" fix: check the"
                                + " disk",
                        block.laneId() >>> 8,
                        block.firstIndex(),
                        tries + 1,
                        TRIES,
                        e.toString());
            }
        }
        return new Found(null, certain);
    }

    /** Picks what concerns one lane. */
    private record Search(long laneId, FoundEntries found) implements CommitLog.MessageScan {
        @Override
        public void record(LogRecord record) {
            if (!found.tooMany()) {
                Fold.appendsOf(record, (entry, lane) -> {
                    if (lane == laneId) {
                        found.add(entry);
                    }
                });
            }
        }

        @Override
        public void gap(boolean needed) {
            found.gap(needed);
        }

        @Override
        public void compacted(boolean withMarks, CommitLog.MarksOfLanes marks) {
            found.compacted(withMarks);
            marks.forEach(laneId, found::mark);
        }
    }
}
