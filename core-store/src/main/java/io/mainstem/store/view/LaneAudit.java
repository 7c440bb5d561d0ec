package io.mainstem.store.view;

import io.mainstem.store.Entry;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads all of a lane's entries and compares what they hold of the log with what the lane says they hold.
 *
 * <p>Thread: that of the lane; blocks.
 */
final class LaneAudit {
    private final ViewFiles view;
    private final long unitsPerSegment;
    private final Consumer<String> problems;
    private long entries;

    LaneAudit(ViewFiles view, long unitsPerSegment, Consumer<String> problems) {
        this.view = view;
        this.unitsPerSegment = unitsPerSegment;
        this.problems = problems;
    }

    /** Unsettled entries read so far. */
    long entries() {
        return entries;
    }

    void run(LaneState lane) {
        SegmentRefs held = new SegmentRefs();
        BlockDirectory blocks = lane.entries().blocks();
        for (long place = blocks.first(); place >= 0; place = blocks.next(place)) {
            long first = blocks.firstIndex(place);
            try {
                long @Nullable [] unwritten = view.pending(blocks.position(place));
                long[] words = unwritten == null ? view.read(blocks.position(place), lane.laneId(), first) : unwritten;
                count(lane, first, words, Block.ENTRIES, held);
            } catch (IOException | IllegalStateException e) {
                problems.accept(name(lane) + ": " + e.getMessage());
                return;
            }
        }
        count(
                lane,
                lane.entries().tailFirst(),
                lane.entries().tail(),
                lane.entries().tailSize(),
                held);
        if (!Arrays.equals(held.toTriples(), lane.refs().toTriples())) {
            problems.accept(name(lane) + ": its entries hold " + Arrays.toString(held.toTriples())
                    + " of the log (segment, references, bytes), the lane says "
                    + Arrays.toString(lane.refs().toTriples()));
        }
    }

    private void count(LaneState lane, long first, long[] words, int count, SegmentRefs held) {
        for (int slot = 0; slot < count; slot++) {
            if (lane.acks().waiting().contains(first + slot)) {
                Entry entry = EntryWords.get(words, slot, first + slot);
                entry.forEachUnit((unit, bytes) -> held.add(unit / unitsPerSegment, 1, bytes));
                entries++;
            }
        }
    }

    private static String name(LaneState lane) {
        return "lane " + (lane.laneId() >>> 8) + "/" + (lane.laneId() & 0xFF);
    }
}
