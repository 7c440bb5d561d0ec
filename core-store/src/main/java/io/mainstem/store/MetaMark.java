package io.mainstem.store;

/**
 * One bit to set in a value of the metadata image.
 *
 * @param key as in {@link MetaChange}
 * @param bit 0 to {@link #BIT_MAX}
 * @param atMs when, epoch ms
 */
public record MetaMark(String key, int bit, long atMs) {
    public static final int BIT_MAX = 4095;

    public MetaMark {
        if (bit < 0 || bit > BIT_MAX) {
            throw new IllegalArgumentException("bit: " + bit + " (expected: 0 to " + BIT_MAX + ")");
        }
        if (atMs < 0) {
            throw new IllegalArgumentException("atMs: " + atMs + " (expected: >= 0)");
        }
    }
}
