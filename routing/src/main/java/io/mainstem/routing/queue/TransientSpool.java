package io.mainstem.routing.queue;

import io.mainstem.routing.queue.TransientChunk.Contents;
import io.mainstem.routing.queue.TransientChunk.Place;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreState;
import io.mainstem.store.spool.DamagedSpoolException;
import io.mainstem.store.spool.Spool;
import io.mainstem.store.spool.SpoolBlock;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes chunks of transient lanes to disk and back (ADR 0037). Thread: shard only; the disk's work is done on the spool's
 * thread and comes back through the mailbox.
 */
final class TransientSpool {
    private static final Logger LOG = LoggerFactory.getLogger(TransientSpool.class);
    /** Chunks that are read at a time; each is looked at before it may leave memory again. */
    private static final int READS_MAX = 16;

    private static final long PAUSE_MS = 5000;

    private final Shard shard;
    private final ShardStore store;
    private final TransientBudget budget;
    private final long bytesMax;
    private final ArrayDeque<TransientChunk> waiting = new ArrayDeque<>();
    private final List<SpoolBlock> toFree = new ArrayList<>();
    private int reading;
    private long writingBytes;
    private long pausedUntilMs;
    private long toldMs = Long.MIN_VALUE;
    /** That reads fail has been logged, and none has succeeded since. */
    private boolean unreadTold;

    /** @param bytesMax disk space; 0 = nothing goes to disk */
    TransientSpool(Shard shard, ShardStore store, TransientBudget budget, long bytesMax) {
        this.shard = shard;
        this.store = store;
        this.budget = budget;
        this.bytesMax = bytesMax;
    }

    private Spool disk() {
        return store.spool();
    }

    /** True while there is disk space for more. */
    boolean roomy() {
        return bytesMax > 0
                && disk().usedBytes() + writingBytes < bytesMax
                && store.state() == StoreState.RUNNING
                && shard.nowMs() >= pausedUntilMs;
    }

    /** Why there is none, for people. */
    String whyNot() {
        if (bytesMax == 0) {
            return "shard.spool-bytes-max is 0";
        }
        if (shard.nowMs() < pausedUntilMs) {
            return "the spool cannot be written, see MS-0381";
        }
        if (store.state() != StoreState.RUNNING) {
            return store.stateReason();
        }
        return disk().usedBytes() + writingBytes < bytesMax
                ? "the spool is being written"
                : "the spool is full, shard.spool-bytes-max is " + bytesMax;
    }

    /** Heap that leaves when what is being written is on disk. */
    long writingBytes() {
        return writingBytes;
    }

    /** Out of memory: at once if it is on disk already, else when it is written. */
    void evict(TransientChunk chunk) {
        TransientLane lane = chunk.lane();
        lane.close(chunk);
        if (chunk.block() != null) {
            forget(chunk);
            return;
        }
        long size = chunk.bytes();
        Contents contents = chunk.contents();
        chunk.place(Place.WRITING);
        lane.owner().writing(size);
        writingBytes += size;
        disk().write(
                        out -> ChunkCodec.write(contents, out),
                        (block, problem) -> shard.post(() -> written(chunk, size, block, problem)));
    }

    private void written(TransientChunk chunk, long size, @Nullable SpoolBlock block, @Nullable Exception problem) {
        Transients owner = chunk.lane().owner();
        owner.writing(-size);
        writingBytes -= size;
        if (block == null) {
            chunk.place(Place.MEMORY);
            if (!(problem instanceof IOException)) {
                chunk.staysInMemory = true;
            }
            failed(problem);
        } else if (owner.dropped() || chunk.left() == 0) {
            toFree.add(block);
        } else {
            chunk.written(block);
            forget(chunk);
        }
        budget.written(owner);
    }

    private void forget(TransientChunk chunk) {
        long freed = chunk.residentBytes();
        chunk.forgetMessages();
        chunk.lane().notResident(chunk);
        budget.resident(chunk.lane().owner(), -freed);
    }

    private void failed(@Nullable Exception problem) {
        pausedUntilMs = shard.nowMs() + PAUSE_MS;
        if (toldMs == Long.MIN_VALUE || shard.nowMs() - toldMs >= TransientBudget.TELL_MS) {
            toldMs = shard.nowMs();
            LOG.warn(
                    "MS-0381 spool-not-written cause=\"{}\" fix: look at the disk; non-durable messages stay in memory"
                            + " until it can be written again",
                    String.valueOf(problem));
        }
    }

    /** Brings it back into memory and then runs {@code then}; that may find the messages lost, and then gone. */
    void fetch(TransientChunk chunk, Runnable then) {
        if (chunk.inMemory()) {
            then.run();
            return;
        }
        chunk.whenRead(then);
        if (chunk.place() == Place.DISK) {
            chunk.place(Place.READING);
            waiting.add(chunk);
            readNext();
        }
    }

    private void readNext() {
        while (reading < READS_MAX && !waiting.isEmpty()) {
            TransientChunk next = waiting.remove();
            SpoolBlock block = next.block();
            if (block == null || next.lane().owner().dropped()) {
                next.takeWhenRead().forEach(Runnable::run);
                continue;
            }
            reading++;
            disk().read(
                            block,
                            ChunkCodec::read,
                            (contents, problem) -> shard.post(() -> {
                                reading--;
                                if (contents == null && !(problem instanceof DamagedSpoolException)) {
                                    readAgain(next, problem);
                                } else {
                                    unreadTold = false;
                                    arrived(next, contents, problem);
                                }
                                readNext();
                            }));
        }
    }

    /** Nothing is known to be wrong with it: whoever waits for it goes on to wait. */
    private void readAgain(TransientChunk chunk, @Nullable Exception problem) {
        if (!unreadTold) {
            unreadTold = true;
            LOG.warn(
                    "MS-0312 spool-unread queue={} cause=\"{}\" fix: check the disk, the limit of open files and the heap;"
                            + " it is tried again each second, until then the queue waits",
                    chunk.lane().owner().queue().name(),
                    String.valueOf(problem));
        }
        shard.retryLater(() -> {
            waiting.addFirst(chunk);
            readNext();
        });
    }

    private void arrived(TransientChunk chunk, @Nullable Contents contents, @Nullable Exception problem) {
        if (!chunk.lane().owner().dropped() && chunk.left() > 0) {
            if (contents == null) {
                lost(chunk, problem);
            } else {
                long before = chunk.bytes();
                chunk.remember(contents);
                chunk.used = true;
                chunk.lane().nowResident(chunk);
                chunk.lane().owner().count(0, chunk.bytes() - before);
                budget.resident(chunk.lane().owner(), chunk.bytes());
            }
        }
        chunk.takeWhenRead().forEach(Runnable::run);
    }

    private void lost(TransientChunk chunk, @Nullable Exception problem) {
        if (store.state() != StoreState.FAILED) {
            LOG.error(
                    "MS-0382 spooled-messages-lost queue={} messages={} cause=\"{}\" fix: check the disk; they were not"
                            + " durable, publish those that matter as durable",
                    chunk.lane().owner().queue().name(),
                    chunk.left(),
                    String.valueOf(problem));
        }
        budget.allGone(chunk);
    }

    /** All its messages are gone. */
    void free(TransientChunk chunk) {
        SpoolBlock block = chunk.block();
        if (block != null) {
            toFree.add(block);
        }
    }

    /** Hands over what was freed in this iteration. */
    void flush() {
        if (!toFree.isEmpty()) {
            disk().free(List.copyOf(toFree));
            toFree.clear();
        }
    }
}
