package io.mainstem.routing;

import java.util.HexFormat;
import java.util.Locale;

/**
 * Name of a transaction that an outside transaction manager coordinates; unique in its virtual host while it lasts.
 * Immutable; ordered as its bytes are.
 *
 * @param hex its bytes, 1 to {@value #BYTES_MAX}, in lower-case hexadecimal
 */
public record BranchId(String hex) implements Comparable<BranchId> {
    /** Room for an XA xid: format, two lengths, and two parts of 64 bytes. */
    public static final int BYTES_MAX = 140;

    public BranchId {
        int bytes = hex.length() / 2;
        if (bytes < 1 || bytes > BYTES_MAX) {
            throw new IllegalArgumentException("branch id: " + bytes + " bytes (expected: 1 to " + BYTES_MAX + ")");
        }
        HexFormat.of().parseHex(hex);
        hex = hex.toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if they are too few or too many */
    public static BranchId of(byte[] bytes) {
        return new BranchId(HexFormat.of().formatHex(bytes));
    }

    /** Its bytes. */
    public byte[] bytes() {
        return HexFormat.of().parseHex(hex);
    }

    @Override
    public int compareTo(BranchId other) {
        return hex.compareTo(other.hex);
    }

    @Override
    public String toString() {
        return hex;
    }
}
