package io.mainstem.store;

import io.mainstem.store.codec.BytesReader;
import io.mainstem.store.codec.BytesWriter;
import java.util.Arrays;

/**
 * Sums up which units of the log some entries hold: the basis of deleting dead segments.
 *
 * <p>An entry holds each unit from its first part to its MSG record, and the unit of its MSG_REF if it has one; a unit
 * that is both is counted twice. Bytes are an estimate: the record's size divided by its fanout, and whole units for
 * parts. The same entry always gives the same numbers, so what was added is taken off again exactly.
 *
 * <p>Thread: one.
 */
public final class UnitTally {
    private long[] units = new long[2];
    private int[] refs = new int[2];
    private long[] bytes = new long[2];
    private int size;

    /** Counts one entry. */
    public void add(Entry entry) {
        long last = entry.unit();
        for (long unit = entry.firstUnit(); unit < last; unit++) {
            add(unit, 1, Entry.UNIT_BYTES / entry.fanout());
        }
        add(last, 1, entry.size() / entry.fanout());
        if (entry.isRef()) {
            add(entry.aux() / Entry.UNIT_BYTES, 1, 0);
        }
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

    /** What was counted. */
    public RecordBody.UnitRefs refs() {
        return new RecordBody.UnitRefs(
                Arrays.copyOf(units, size), Arrays.copyOf(refs, size), Arrays.copyOf(bytes, size));
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
