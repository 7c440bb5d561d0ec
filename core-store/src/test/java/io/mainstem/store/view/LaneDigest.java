package io.mainstem.store.view;

import io.mainstem.store.Entry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/** A short text per lane that is equal if and only if (but for chance) the state that records make is equal. */
public final class LaneDigest {
    private final ViewFiles view;

    private LaneDigest(ViewFiles view) {
        this.view = view;
    }

    /** All lanes with unsettled entries, and what the log's segments are held by. Blocks. */
    public static Map<String, String> of(Lanes lanes, ViewFiles view) throws IOException {
        LaneDigest digest = new LaneDigest(view);
        Map<String, String> texts = new TreeMap<>();
        for (LaneView lane : lanes.all()) {
            texts.put("lane " + (lane.laneId() >>> 8) + "/" + (lane.laneId() & 0xFF), digest.text(lane));
        }
        texts.put("segments", Arrays.toString(lanes.totals().toTriples()));
        return texts;
    }

    private String text(LaneView lane) throws IOException {
        LaneState state = lane.freeze();
        CRC32C crc = new CRC32C();
        BlockDirectory blocks = state.entries().blocks();
        for (long place = blocks.first(); place >= 0; place = blocks.next(place)) {
            long position = blocks.position(place);
            long first = blocks.firstIndex(place);
            long[] words = view.unwrittenOf(lane.laneId()).get(position);
            update(crc, lane, first, words == null ? view.read(position, lane.laneId(), first) : words, Block.ENTRIES);
        }
        LaneState.Entries entries = state.entries();
        update(crc, lane, entries.tailFirst(), entries.tail(), entries.tailSize());
        return "floor " + lane.cursor().floor() + " end " + lane.nextIndex() + " unsettled "
                + lane.cursor().unsettled() + " refs "
                + Arrays.toString(lane.refs().toTriples()) + " entries " + Long.toHexString(crc.getValue());
    }

    private static void update(CRC32C crc, LaneView lane, long first, long[] words, int count) {
        for (int slot = 0; slot < count; slot++) {
            long index = first + slot;
            if (!lane.cursor().settled(index)) {
                Entry entry = EntryWords.get(words, slot, index);
                byte[] text = (entry + "*" + lane.cursor().failedCount(index)).getBytes(StandardCharsets.UTF_8);
                crc.update(text, 0, text.length);
            }
        }
    }
}
