package io.mainstem.store;

import java.util.List;
import java.util.zip.CRC32C;

/**
 * One record before it is written: type, flags and body, the body's CRC32C already computed on the caller's thread.
 *
 * <p>Ownership: the body arrays belong to the frame from construction on and must not be changed by anyone.
 *
 * <p>Thread: built on any thread; {@link #lsn()} is set by the log's writer and may be read once the group has
 * completed.
 */
public final class Frame {
    private final RecordType type;
    private final int flags;
    private final List<byte[]> body;
    private final long bodyBytes;
    private final int bodyCrc;
    private long lsn = -1;
    private List<Part> parts = List.of();

    /**
     * @param flags bits 1 to 3 of the record header's flags; bit 0 (MORE) belongs to the writer
     * @param body the body in pieces, written one after the other
     */
    public Frame(RecordType type, int flags, List<byte[]> body) {
        this.type = type;
        this.flags = flags;
        this.body = List.copyOf(body);
        CRC32C crc = new CRC32C();
        long bytes = 0;
        for (byte[] piece : this.body) {
            crc.update(piece, 0, piece.length);
            bytes += piece.length;
        }
        this.bodyBytes = bytes;
        this.bodyCrc = (int) crc.getValue();
    }

    public RecordType type() {
        return type;
    }

    public int flags() {
        return flags;
    }

    /** The body in pieces; read-only by contract. */
    public List<byte[]> body() {
        return body;
    }

    /** Length of the body in bytes. */
    public long bodyBytes() {
        return bodyBytes;
    }

    public int bodyCrc() {
        return bodyCrc;
    }

    /** Where the record stands in the log, or -1 before it was written. */
    public long lsn() {
        return lsn;
    }

    /** MSG_PART records that hold pieces 1 and later of the body, in order; empty unless it was stored as large. */
    public List<Part> parts() {
        return parts;
    }

    /** Body length of the record at {@link #lsn()}: for a large message, of the record that lists the parts. */
    public long storedBodyBytes() {
        return parts.isEmpty() ? bodyBytes : 4 + 12L * parts.size() + body.get(0).length;
    }

    /** Called by the log's writer only, once. */
    public void assignLsn(long assigned) {
        this.lsn = assigned;
    }

    /** Called by the log's writer only, at most once and before {@link #assignLsn}. */
    public void assignParts(List<Part> assigned) {
        this.parts = List.copyOf(assigned);
    }

    /**
     * One MSG_PART record.
     *
     * @param lsn where it stands
     * @param bytes length of its body
     */
    public record Part(long lsn, int bytes) {}
}
