package io.mainstem.routing.message;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Pieces of encoded sections read as one sequence. Reading outside of it is a {@link MalformedMessageException}, so
 * that no decoder needs a second check. Remembers the piece of the last read, so reading
 * on, and again what was just read, is linear. Thread: one.
 */
final class SectionBytes {
    private final List<byte[]> pieces;
    private final int size;
    private int index;
    private byte[] piece;
    private int start;

    /** @param pieces borrowed; at most 2 GiB in all */
    SectionBytes(List<byte[]> pieces) {
        this.pieces = pieces;
        long bytes = 0;
        for (byte[] each : pieces) {
            bytes += each.length;
        }
        if (bytes > Integer.MAX_VALUE) {
            throw new MalformedMessageException(bytes + " bytes of sections (expected: at most 2 GiB)");
        }
        this.size = (int) bytes;
        this.piece = pieces.isEmpty() ? new byte[0] : pieces.get(0);
    }

    int size() {
        return size;
    }

    /** The byte there, 0 to 255. */
    int u8(int at) {
        int offset = at - start;
        if (offset >= 0 && offset < piece.length) {
            return piece[offset] & 0xFF;
        }
        seek(at);
        return piece[at - start] & 0xFF;
    }

    int u16(int at) {
        return u8(at) << 8 | u8(at + 1);
    }

    int i32(int at) {
        return u16(at) << 16 | u16(at + 2);
    }

    long i64(int at) {
        return (long) i32(at) << 32 | (i32(at + 4) & 0xFFFFFFFFL);
    }

    /** A copy of bytes {@code from} (included) to {@code to} (excluded). */
    byte[] copy(int from, int to) {
        if (from < 0 || to < from || to > size) {
            throw new MalformedMessageException(
                    "bytes " + from + " to " + to + " wanted (expected: within " + size + ")");
        }
        byte[] copy = new byte[to - from];
        int done = 0;
        while (done < copy.length) {
            u8(from + done);
            int offset = from + done - start;
            int length = Math.min(piece.length - offset, copy.length - done);
            System.arraycopy(piece, offset, copy, done, length);
            done += length;
        }
        return copy;
    }

    /** Bytes {@code from} to {@code to} as UTF-8; what is not becomes U+FFFD. */
    String text(int from, int to) {
        int offset = from - start;
        if (offset >= 0 && to >= from && to - start <= piece.length) {
            return new String(piece, offset, to - from, StandardCharsets.UTF_8);
        }
        return new String(copy(from, to), StandardCharsets.UTF_8);
    }

    private void seek(int at) {
        if (at < 0 || at >= size) {
            throw new MalformedMessageException("end of bytes at byte " + at + " (expected: within " + size + ")");
        }
        // Step by step in both directions: what decoders read again lies close behind.
        while (at < start) {
            index--;
            piece = pieces.get(index);
            start -= piece.length;
        }
        while (at - start >= piece.length) {
            start += piece.length;
            index++;
            piece = pieces.get(index);
        }
    }
}
