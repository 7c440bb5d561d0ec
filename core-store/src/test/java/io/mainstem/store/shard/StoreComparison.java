package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.StoredMessage;
import io.mainstem.store.view.SegmentRefs;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Says whether a store holds what the model holds, and what a store's state is. */
final class StoreComparison {
    private final SimStore sim;

    StoreComparison(SimStore sim) {
        this.sim = sim;
    }

    /**
     * Lanes, acks, failures, metadata, counters; one message in {@code sparse} is read back, all of them once compaction
     * may have lost one.
     */
    void mustEqual(StoreModel model, SplittableRandom random, int sparse) {
        int each = sim.compacted() ? 1 : sparse;
        Map<Long, Long> unsettled = new HashMap<>();
        sim.store()
                .lanes()
                .forEach(lane -> unsettled.put(lane.laneId(), lane.cursor().unsettled()));
        assertThat(unsettled).isEqualTo(model.unsettled());
        SegmentRefs counted = new SegmentRefs();
        model.lanes.forEach((laneId, slots) -> {
            Lane lane = sim.store().lane(laneId);
            assertThat(lane).as("lane " + laneId).isNotNull();
            assertThat(lane.nextIndex()).as("end of lane " + laneId).isEqualTo(model.first(laneId) + slots.size());
            for (int i = 0; i < slots.size(); i++) {
                long index = model.first(laneId) + i;
                compare(lane, index, slots.get(i));
                if (!slots.get(i).settled) {
                    count(counted, sim.entry(lane, index));
                    if (random.nextInt(each) == 0) {
                        readBack(sim.entry(lane, index), slots.get(i));
                    }
                }
            }
        });
        assertThat(texts()).isEqualTo(model.meta);
        assertThat(sim.store().parts().lanes().totals().toTriples()).isEqualTo(counted.toTriples());
        assertThat(sim.store().parts().lanes().recount().toTriples()).isEqualTo(counted.toTriples());
    }

    private static void compare(Lane lane, long index, StoreModel.Slot slot) {
        if (lane.cursor().settled(index) != slot.settled || lane.cursor().failedCount(index) != slot.failed) {
            throw new AssertionError("entry " + lane.laneId() + "/" + index + ": settled "
                    + lane.cursor().settled(index) + ", failed " + lane.cursor().failedCount(index) + "; expected "
                    + slot.settled + ", " + slot.failed);
        }
    }

    private static void count(SegmentRefs counted, Entry entry) {
        long unitsPerSegment = SimStore.config().segmentBytes() / Entry.UNIT_BYTES;
        entry.forEachUnit((unit, bytes) -> counted.add(unit / unitsPerSegment, 1, bytes));
    }

    private void readBack(Entry entry, StoreModel.Slot slot) {
        StoredMessage message = sim.store().read(entry).toCompletableFuture().join();
        assertThat(ByteBuffer.wrap(message.head()).getLong()).isEqualTo(slot.message);
        assertThat(message.payload().stream().mapToInt(piece -> piece.length).sum())
                .isEqualTo(payloadBytes(slot.message));
        byte[] overrides = message.overrides();
        assertThat(overrides == null ? "" : new String(overrides, StandardCharsets.UTF_8))
                .isEqualTo(slot.overrides);
    }

    /** Size of a message's payload, which follows from its number: mostly small, some large, some empty. */
    static int payloadBytes(long message) {
        SplittableRandom random = new SplittableRandom(message);
        return switch (random.nextInt(40)) {
            case 0 -> 0;
            case 1 -> random.nextInt(90_000);
            default -> random.nextInt(300);
        };
    }

    private Map<String, String> texts() {
        Map<String, String> texts = new TreeMap<>();
        sim.store().meta().forEach((key, value) -> texts.put(key, new String(value, StandardCharsets.UTF_8)));
        return texts;
    }

    /** All state that records make, one line a lane, to compare two stores by. */
    List<String> digest() {
        List<String> lines = new ArrayList<>();
        TreeMap<Long, Lane> lanes = new TreeMap<>();
        sim.store().lanes().forEach(lane -> lanes.put(lane.laneId(), lane));
        lanes.forEach((laneId, lane) -> {
            StringBuilder line = new StringBuilder(
                    "lane " + laneId + " floor " + lane.cursor().floor() + " end " + lane.nextIndex());
            for (long index = lane.cursor().floor(); index < lane.nextIndex(); index++) {
                line.append(lane.cursor().settled(index) ? " -" : " " + sim.entry(lane, index));
                line.append('*').append(lane.cursor().failedCount(index));
            }
            lines.add(line.toString());
        });
        lines.add("meta " + texts());
        long[] totals = sim.store().parts().lanes().totals().toTriples();
        for (int i = 0; i < totals.length; i += 3) {
            lines.add("segment " + totals[i] + " refs " + totals[i + 1] + " bytes " + totals[i + 2]);
        }
        return lines;
    }
}
