package io.mainstem.transport.websocket;

import io.netty.buffer.ByteBuf;

/** Takes the mask off a client's payload (RFC 6455, 5.3). Thread: any. */
final class Masking {
    private static final int KEY_BYTES = 4;

    private Masking() {}

    /** The key as it is for a piece that begins there; the byte for its first one is the highest. */
    static int at(int key, long offset) {
        return Integer.rotateLeft(key, (int) (offset % KEY_BYTES) * Byte.SIZE);
    }

    /**
     * Unmasks bytes and moves them towards the beginning of the buffer.
     *
     * @param to not behind {@code from}
     * @param key {@link #at} their offset in the payload
     */
    static void move(ByteBuf buffer, int from, int to, int count, int key) {
        long twice = ((long) key << Integer.SIZE) | (key & 0xFFFF_FFFFL);
        int i = 0;
        for (; i + Long.BYTES <= count; i += Long.BYTES) {
            buffer.setLong(to + i, buffer.getLong(from + i) ^ twice);
        }
        for (; i < count; i++) {
            buffer.setByte(to + i, buffer.getByte(from + i) ^ (at(key, i) >> 24));
        }
    }
}
