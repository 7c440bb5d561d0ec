package io.mainstem.store;

import io.mainstem.store.codec.BytesReader;
import io.mainstem.store.codec.BytesWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Bodies of SETTLE and RELEASE; the layouts are drawn at {@link Frames}. */
final class SettleCodec {
    private static final Comparator<Settlement> ORDER = Comparator.comparingLong(Settlement::laneId)
            .thenComparing(Settlement::kind)
            .thenComparingLong(settlement -> settlement.entry().index());

    private SettleCodec() {}

    static byte[] encodeSettle(List<Settlement> settlements) {
        BytesWriter out = new BytesWriter(24 + 8 * settlements.size());
        out.u8(RecordBody.VERSION);
        if (settlements.size() == 1) {
            out.varint(1);
            writeGroup(out, settlements);
            return out.toBytes();
        }
        List<Settlement> sorted = new ArrayList<>(settlements);
        sorted.sort(ORDER);
        List<Integer> ends = groupEnds(sorted);
        out.varint(ends.size());
        int from = 0;
        for (int end : ends) {
            writeGroup(out, sorted.subList(from, end));
            from = end;
        }
        return out.toBytes();
    }

    private static List<Integer> groupEnds(List<Settlement> sorted) {
        List<Integer> ends = new ArrayList<>();
        for (int i = 1; i < sorted.size(); i++) {
            Settlement before = sorted.get(i - 1);
            Settlement next = sorted.get(i);
            if (before.laneId() != next.laneId() || before.kind() != next.kind()) {
                ends.add(i);
            }
        }
        ends.add(sorted.size());
        return ends;
    }

    private static void writeGroup(BytesWriter out, List<Settlement> group) {
        out.varint(group.get(0).laneId()).u8(group.get(0).kind().code());
        int ranges = 1;
        for (int i = 1; i < group.size(); i++) {
            long step = group.get(i).entry().index() - group.get(i - 1).entry().index();
            if (step == 0) {
                throw new IllegalArgumentException(
                        "settlements: entry " + group.get(i).entry().index() + " twice (expected: once)");
            }
            ranges += step == 1 ? 0 : 1;
        }
        out.varint(ranges);
        long lastEnd = 0;
        for (int from = 0; from < group.size(); ) {
            Entry first = group.get(from).entry();
            int to = from + 1;
            while (to < group.size() && group.get(to).entry().index() == first.index() + (to - from)) {
                to++;
            }
            out.varint(first.index() - lastEnd).varint(to - from).u32(first.lsnCheck());
            lastEnd = first.index() + (to - from);
            from = to;
        }
        writeUnits(out, group);
    }

    private static void writeUnits(BytesWriter out, List<Settlement> group) {
        UnitTally tally = new UnitTally();
        for (Settlement settlement : group) {
            tally.add(settlement.entry());
        }
        tally.writeTo(out);
    }

    static RecordBody.Settle settle(BytesReader in) {
        int groups = in.count(11);
        List<RecordBody.SettledRanges> lanes = new ArrayList<>(groups);
        for (int i = 0; i < groups; i++) {
            lanes.add(readGroup(in));
        }
        in.expectEnd();
        return new RecordBody.Settle(lanes);
    }

    private static RecordBody.SettledRanges readGroup(BytesReader in) {
        long laneId = readLaneId(in);
        Settlement.Kind kind = Settlement.Kind.of(in.u8());
        if (kind == null) {
            throw in.malformed("unknown kind of settlement");
        }
        int ranges = in.count(6);
        if (ranges == 0) {
            throw in.malformed("no ranges");
        }
        long[] first = new long[ranges];
        int[] count = new int[ranges];
        int[] lsnCheck = new int[ranges];
        long lastEnd = 0;
        for (int i = 0; i < ranges; i++) {
            first[i] = lastEnd + in.varint(Long.MAX_VALUE - Integer.MAX_VALUE - lastEnd);
            count[i] = (int) in.varint(Integer.MAX_VALUE);
            if (count[i] == 0) {
                throw in.malformed("empty range");
            }
            lsnCheck[i] = in.u32();
            lastEnd = first[i] + count[i];
        }
        return new RecordBody.SettledRanges(laneId, kind, first, count, lsnCheck, UnitTally.read(in));
    }

    static byte[] encodeRelease(Map<Long, long[]> indexesByLane) {
        BytesWriter out = new BytesWriter(64);
        out.u8(RecordBody.VERSION).varint(indexesByLane.size());
        indexesByLane.forEach((laneId, indexes) -> {
            long[] sorted = indexes.clone();
            Arrays.sort(sorted);
            out.varint(laneId).varint(sorted.length);
            long last = 0;
            for (long index : sorted) {
                out.varint(index - last);
                last = index;
            }
        });
        return out.toBytes();
    }

    static RecordBody.Release release(BytesReader in) {
        int count = in.count(3);
        List<RecordBody.ReleasedEntries> lanes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            long laneId = readLaneId(in);
            long[] indexes = new long[in.count(1)];
            long last = 0;
            for (int k = 0; k < indexes.length; k++) {
                last += in.varint(Long.MAX_VALUE - last);
                indexes[k] = last;
            }
            lanes.add(new RecordBody.ReleasedEntries(laneId, indexes));
        }
        in.expectEnd();
        return new RecordBody.Release(lanes);
    }

    private static long readLaneId(BytesReader in) {
        long laneId = in.varint((long) Integer.MAX_VALUE << 8 | 0xFF);
        if (laneId >>> 8 == 0 || (laneId & 0xFF) >= Route.LANES_MAX) {
            throw in.malformed("lane " + laneId);
        }
        return laneId;
    }
}
