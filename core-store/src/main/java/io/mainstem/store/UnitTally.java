package io.mainstem.store;

import io.mainstem.store.codec.BytesReader;
import io.mainstem.store.codec.BytesWriter;
import java.util.Arrays;

/** Sums up which units of the log some entries hold: the basis of deleting dead segments. Thread: one. */
final class UnitTally {
    private long[] units = new long[2];
    private int[] refs = new int[2];
    private long[] bytes = new long[2];
    private int size;

    /** Counts one entry. */
    void add(Entry entry) {
        entry.forEachUnit((unit, moreBytes) -> add(unit, 1, moreBytes));
    }

    private void add(long unit, int moreRefs, long moreBytes) {
        int at = size - 1;
        while (at >= 0 && units[at] > unit) {
            at--;
        }
        if (at < 0 || units[at] != unit) {
            at = insert(at + 1, unit);
        }
        refs[at] += moreRefs;
        bytes[at] += moreBytes;
    }

    private int insert(int at, long unit) {
        if (size == units.length) {
            units = Arrays.copyOf(units, size * 2);
            refs = Arrays.copyOf(refs, size * 2);
            bytes = Arrays.copyOf(bytes, size * 2);
        }
        System.arraycopy(units, at, units, at + 1, size - at);
        System.arraycopy(refs, at, refs, at + 1, size - at);
        System.arraycopy(bytes, at, bytes, at + 1, size - at);
        units[at] = unit;
        refs[at] = 0;
        bytes[at] = 0;
        size++;
        return at;
    }

    void writeTo(BytesWriter out) {
        out.varint(size);
        long last = 0;
        for (int i = 0; i < size; i++) {
            out.varint(units[i] - last).varint(refs[i]).varint(bytes[i]);
            last = units[i];
        }
    }

    static RecordBody.UnitRefs read(BytesReader in) {
        int count = in.count(3);
        RecordBody.UnitRefs read = new RecordBody.UnitRefs(new long[count], new int[count], new long[count]);
        long last = 0;
        for (int i = 0; i < count; i++) {
            last += in.varint(Long.MAX_VALUE / Entry.UNIT_BYTES - last);
            read.unit()[i] = last;
            read.refs()[i] = (int) in.varint(Integer.MAX_VALUE);
            read.bytes()[i] = in.varint(Long.MAX_VALUE);
        }
        return read;
    }
}
