package io.mainstem.store;

import io.mainstem.store.codec.BytesReader;
import io.mainstem.store.codec.BytesWriter;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A value of the metadata image that {@link MetaMark marks} are folded into. Thread: any; immutable by contract.
 *
 * <pre>
 * u8 version = 1 | varint atMs of the latest mark | bits to the end, lowest first
 * </pre>
 *
 * @param atMs of the latest mark, epoch ms
 * @param bits that are set
 */
public record MarkedBits(long atMs, BitSet bits) {
    private static final int VERSION = 1;

    /** The value with one more bit; marks may come again and in any order. */
    public static byte[] with(byte @Nullable [] value, MetaMark mark) {
        long atMs = mark.atMs();
        BitSet bits = new BitSet();
        if (value != null) {
            MarkedBits before = decode(value);
            atMs = Math.max(atMs, before.atMs);
            bits = before.bits;
        }
        bits.set(mark.bit());
        return new BytesWriter(16)
                .u8(VERSION)
                .varint(atMs)
                .raw(bits.toByteArray())
                .toBytes();
    }

    /** @throws io.mainstem.store.codec.MalformedException if it is no such value */
    public static MarkedBits decode(byte[] value) {
        BytesReader in = new BytesReader(value);
        int version = in.u8();
        if (version != VERSION) {
            throw in.malformed("marked bits of version " + version + ", this build reads " + VERSION);
        }
        return new MarkedBits(in.varint(Long.MAX_VALUE), BitSet.valueOf(in.rest()));
    }
}
