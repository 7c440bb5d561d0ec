package io.mainstem.routing.queue;

import io.mainstem.routing.queue.TransientChunk.Place;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Which chunks leave memory when it is short: of a queue above its share the newest ones, because the oldest are wanted
 * next; of all queues together those from which nobody takes anything. Thread: shard only.
 */
final class TransientEviction {
    private static final int LOOKS_PER_TURN = 1024;
    /** The disk may have room again. */
    private static final long AGAIN_MS = 1000;

    private final TransientSpool spool;
    private final long queueBytes;
    private final long allBytes;
    /** Above their share. */
    private final LinkedHashSet<Transients> pressed = new LinkedHashSet<>();
    /** Those that may have something in memory; the first one is looked at next. */
    private final LinkedHashSet<Transients> hand = new LinkedHashSet<>();

    private boolean grown;
    private long againMs;

    /**
     * @param queueBytes what one queue keeps in memory
     * @param allBytes what all queues keep
     */
    TransientEviction(TransientSpool spool, long queueBytes, long allBytes) {
        this.spool = spool;
        this.queueBytes = queueBytes;
        this.allBytes = allBytes;
    }

    /** The queue has more in memory than before. */
    void grown(Transients transients) {
        grown = true;
        hand.add(transients);
        if (excess(transients) > 0) {
            pressed.add(transients);
        }
    }

    /** The queue is gone. */
    void forget(Transients transients) {
        hand.remove(transients);
        pressed.remove(transients);
    }

    private long excess(Transients transients) {
        return transients.residentBytes() - transients.writingBytes() - queueBytes;
    }

    /**
     * Lets go what is too much; to be called when consumers have had their turn at what has come from disk.
     *
     * @param residentBytes of all queues
     * @return true if there is more to do at once
     */
    boolean run(long residentBytes, long nowMs) {
        if (!grown && nowMs < againMs) {
            return false;
        }
        grown = false;
        againMs = nowMs + AGAIN_MS;
        pressed.removeIf(each -> {
            for (Pass pass : Pass.values()) {
                evict(each, pass, excess(each));
            }
            return excess(each) <= 0;
        });
        long excess = residentBytes - spool.writingBytes() - allBytes;
        grown = excess > 0 && ofAll(excess);
        return grown;
    }

    /** Returns true if another turn may find more. */
    private boolean ofAll(long excess) {
        long left = excess;
        boolean progress = false;
        for (int looks = Math.min(LOOKS_PER_TURN, hand.size()); looks > 0 && left > 0; looks--) {
            Transients next = hand.iterator().next();
            hand.remove(next);
            if (next.residentBytes() == next.writingBytes()) {
                progress = true;
                continue;
            }
            hand.add(next);
            if (next.used) {
                next.used = false;
                progress = true;
                continue;
            }
            for (Pass pass : Pass.values()) {
                long evicted = evict(next, pass, left);
                left -= evicted;
                progress |= evicted > 0;
            }
        }
        return left > 0 && progress;
    }

    /** What goes first. */
    private enum Pass {
        /** What nobody has looked at since the last time. */
        UNUSED,
        /** All but the first one. */
        NOT_NEXT,
        ALL
    }

    /** Lets chunks of one queue go until {@code excess} is reached; returns how much that is. */
    private long evict(Transients transients, Pass pass, long excess) {
        long evicted = 0;
        for (TransientLane lane : transients.lanes()) {
            if (evicted >= excess) {
                break;
            }
            for (TransientChunk chunk : List.copyOf(lane.newestResident().values())) {
                if (evicted >= excess) {
                    break;
                }
                if (mayGo(lane, chunk, pass)) {
                    evicted += chunk.bytes();
                    spool.evict(chunk);
                }
            }
        }
        return evicted;
    }

    private boolean mayGo(TransientLane lane, TransientChunk chunk, Pass pass) {
        if (chunk.place() != Place.MEMORY || chunk.left() == 0 || chunk.staysInMemory) {
            return false;
        }
        if (chunk.block() == null && !spool.roomy()) {
            return false;
        }
        if (pass == Pass.UNUSED && chunk.used) {
            chunk.used = false;
            return false;
        }
        return pass == Pass.ALL || lane.newestResident().lastEntry().getValue() != chunk;
    }
}
