package io.mainstem.store.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Entry;
import io.mainstem.store.Frames;
import io.mainstem.store.RecordBody;
import io.mainstem.store.RecordType;
import io.mainstem.store.Route;
import io.mainstem.store.Settlement;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.SimDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lanes through which more has passed than fits 31 bits, or memory, while something stays. */
@DisplayName("ADR 0064: a lane is as large as what it keeps")
final class LongLanesTest {
    private static final Route ROUTE = new Route(1, 0);
    private static final long LANE = ROUTE.laneId();
    private static final StoreConfig CONFIG = new StoreConfig(
            Path.of("/store"), 64 << 10, 64 << 10, 512, 2, 1 << 20, 1 << 20, 1000, 0, 1, 1000, StoreUpkeep.defaults());

    private final SimDisk disk = new SimDisk();
    private final Deque<Runnable> reads = new ArrayDeque<>();
    private final TreeMap<Long, Entry> waiting = new TreeMap<>();
    private final TreeMap<Long, Integer> failed = new TreeMap<>();
    private final TreeSet<Long> taken = new TreeSet<>();
    private ViewFiles view;
    private Lanes lanes;
    private long nextIndex;
    private long made;
    private long lsn;

    @Test
    @DisplayName("one message that stays costs one block, whatever passes it")
    void oneStays() throws IOException {
        open();
        append(1);
        passed(10_000);
        int bytes = LaneBytes.of(lanes, LANE).length;

        passed(300_000);

        assertThat(LaneBytes.of(lanes, LANE).length).isBetween(bytes - 10, bytes + 10);
        assertThat(lane().freeze().entries().blocks().count()).isEqualTo(1);
        assertThat(view.liveBlocks()).containsExactly(Map.entry(1L, 1));
        mustEqual();
    }

    @ParameterizedTest(name = "one of {0} stays")
    @ValueSource(ints = {2, 127, 1000})
    @DisplayName("what stays here and there costs its share")
    void someStay(int oneOf) throws IOException {
        open();
        for (int i = 0; i < 200_000 / oneOf; i++) {
            append(oneOf);
            settle(nextIndex - oneOf + 1, nextIndex);
        }

        mustBeBounded();
        mustEqual();
        restart();
        mustEqual();
    }

    @ParameterizedTest(name = "seed={0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    @DisplayName("any steps, with 2^31, 2^32 and 2^47 others passing in between, leave what a map would have")
    void anySteps(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        open();
        append(1);
        for (int step = 0; step < 400; step++) {
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> append(1 + random.nextInt(random.nextInt(4) == 0 ? 400 : 30));
                case 3, 4, 5, 6 -> settleSome(random);
                case 7 -> take(random);
                case 8 -> giveBack(random);
                case 9 -> fail(random);
                case 10 -> {
                    if (random.nextInt(4) == 0) {
                        restart();
                    }
                }
                default -> {
                    if (random.nextInt(6) == 0) {
                        leap(1L << new int[] {31, 32, 47}[random.nextInt(3)]);
                    }
                }
            }
            mustBeBounded();
        }
        mustEqual();
        restart();
        mustEqual();
        settle(waiting.firstKey(), nextIndex);
        assertThat(view.liveBlocks()).isEmpty();
        assertThat(lanes.totals().size()).isZero();
        assertThat(LaneBytes.of(lanes, LANE).length).isLessThan(60);
    }

    // ---- steps -----------------------------------------------------------------------------------------------

    private void append(int count) {
        for (int i = 0; i < count; i++) {
            Entry entry = new Entry(nextIndex, 64 + made++ * 512, 100, 0, 1, 0, 0);
            lanes.append(ROUTE, entry, ++lsn);
            waiting.put(nextIndex++, entry);
        }
    }

    /** So many come and are settled at once, 50 at a time. */
    private void passed(int count) {
        for (int i = 0; i < count; i += 50) {
            append(50);
            settle(nextIndex - 50, nextIndex);
        }
    }

    /** Settles what waits of [from, to). */
    private void settle(long from, long to) {
        List<Settlement> all = new ArrayList<>();
        waiting.subMap(from, to).values().forEach(entry -> all.add(new Settlement(LANE, entry, Settlement.Kind.ACK)));
        if (!all.isEmpty()) {
            byte[] body = Frames.settle(all).body().get(0);
            RecordBody.Settle settle = (RecordBody.Settle) RecordBody.decode(RecordType.SETTLE, body, 0);
            lsn++;
            settle.lanes().forEach(ranges -> {
                for (long first : ranges.first()) {
                    resident(first);
                }
                lanes.settle(ranges, lsn);
            });
        }
        waiting.subMap(from, to).clear();
        failed.subMap(from, to).clear();
        taken.subSet(from, to).clear();
    }

    private void settleSome(SplittableRandom random) {
        if (!waiting.isEmpty()) {
            long from = any(random);
            settle(from, from + 1 + random.nextInt(random.nextInt(5) == 0 ? 300 : 3));
        }
    }

    /** An entry that waits, often the second one or one of the last: the first stays for long. */
    private long any(SplittableRandom random) {
        long index = random.nextInt(3) == 0
                ? waiting.firstKey() + (random.nextInt(40) == 0 ? 0 : 1)
                : nextIndex - 1 - random.nextInt(500);
        Long found = waiting.ceilingKey(Math.max(0, index));
        return found == null ? waiting.lastKey() : found;
    }

    private void take(SplittableRandom random) {
        long next =
                random.nextBoolean() ? lane().cursor().next() : lane().cursor().nextFrom(nextIndex - 40);
        if (next >= 0) {
            lane().cursor().take(next);
            assertThat(taken.add(next)).isTrue();
        }
    }

    private void giveBack(SplittableRandom random) {
        if (!taken.isEmpty()) {
            long index = random.nextBoolean() ? taken.first() : taken.last();
            lane().cursor().giveBack(index);
            taken.remove(index);
            assertThat(lane().cursor().redelivered(index)).isTrue();
        }
    }

    private void fail(SplittableRandom random) {
        if (!waiting.isEmpty()) {
            long index = any(random);
            lanes.countFailures(new RecordBody.ReleasedEntries(LANE, new long[] {index}), ++lsn);
            failed.merge(index, 1, Integer::sum);
        }
    }

    /** So many more have come and are settled; what was before stands in blocks. */
    private void leap(long entries) throws IOException {
        while (lane().freeze().entries().tailSize() < Block.ENTRIES) {
            append(1);
        }
        LaneState state = lane().freeze();
        LaneState.Entries before = state.entries();
        BlockDirectory blocks = before.blocks();
        if (state.acks().waiting().count(before.tailFirst(), nextIndex) > 0) {
            long position = lanes.store(LANE, before.tailFirst(), state.appliedLsn(), before.tail());
            blocks.add(BlockDirectory.Row.of(before.tailFirst(), position, before.tail()));
        }
        state.acks().waiting().settle(nextIndex, nextIndex + entries);
        nextIndex += entries;
        LaneState.Entries after = new LaneState.Entries(blocks, nextIndex, new long[0], before.gatheredEnd());
        restart(LaneBytes.of(
                new LaneImage(new LaneState(LANE, state.appliedLsn(), state.acks(), after, state.refs()))));
    }

    private void restart() throws IOException {
        restart(LaneBytes.of(lanes, LANE));
    }

    private void restart(byte[] state) throws IOException {
        assertThat(view.sync()).isNotNull();
        open();
        lanes.restore(LANE, state);
        taken.clear();
    }

    private void open() throws IOException {
        view = ViewFiles.open(CONFIG, disk);
        lanes = new Lanes(CONFIG, view, reads::add, () -> {});
    }

    // ---- comparison ------------------------------------------------------------------------------------------

    private LaneView lane() {
        return (LaneView) Objects.requireNonNull(lanes.lane(LANE));
    }

    private Entry resident(long index) {
        Entry entry = lane().entry(index);
        if (entry == null) {
            lane().fetch(index, () -> {});
            reads.forEach(Runnable::run);
            reads.clear();
            lanes.finishReads();
            entry = lane().entry(index);
        }
        return entry;
    }

    private void mustBeBounded() {
        LaneState state = lane().freeze();
        BlockDirectory blocks = state.entries().blocks();
        assertThat(blocks.count()).isLessThanOrEqualTo(waiting.size());
        assertThat(blocks.pages()).isLessThanOrEqualTo((int) blocks.count());
        assertThat(lane().cursor().unsettled()).isEqualTo(waiting.size());
        IndexSet behind = state.acks().waiting().behind();
        assertThat(behind == null ? 0 : behind.count())
                .isEqualTo(waiting.headMap(state.acks().waiting().openFrom()).size());
        int segments = 12 * state.refs().size();
        int bytes = LaneBytes.of(lanes, LANE).length - segments;
        assertThat(bytes).isLessThan(100 + 16 * Block.ENTRIES + 90 * Math.min(waiting.size(), 100) + waiting.size());
        assertThat(view.liveBlocks().values().stream()
                        .mapToInt(Integer::intValue)
                        .sum())
                .isEqualTo((int) blocks.count());
    }

    private void mustEqual() {
        LaneCursor cursor = lane().ackState();
        assertThat(lane().nextIndex()).isEqualTo(nextIndex);
        long floor = waiting.isEmpty() ? nextIndex : waiting.firstKey();
        assertThat(cursor.floor()).isEqualTo(floor);
        long ready = floor - 1;
        for (long index : waiting.keySet()) {
            assertThat(cursor.settled(index)).isFalse();
            assertThat(cursor.settled(index - 1)).isEqualTo(!waiting.containsKey(index - 1));
            assertThat(resident(index)).isEqualTo(waiting.get(index));
            assertThat(cursor.failedCount(index)).isEqualTo(failed.getOrDefault(index, 0));
            if (!taken.contains(index)) {
                assertThat(cursor.nextFrom(ready + 1)).isEqualTo(index);
                ready = index;
            }
        }
        assertThat(cursor.nextFrom(ready + 1)).isEqualTo(-1);
        assertThat(cursor.ready()).isEqualTo(waiting.size() - taken.size());
        SegmentRefs held = new SegmentRefs();
        waiting.values().forEach(entry -> entry.forEachUnit((unit, bytes) -> held.add(unit, 1, bytes)));
        assertThat(Arrays.toString(lanes.totals().toTriples())).isEqualTo(Arrays.toString(held.toTriples()));
    }
}
