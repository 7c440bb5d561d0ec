package io.mainstem.store.spool;

import io.mainstem.store.spool.SpoolBlock.Extent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** Takes the bytes of one block, and pages for them as they come. Thread: the spool's. */
public final class SpoolOutput {
    private final SpoolFiles files;
    private final ByteBuffer buffer;
    private final CRC32C checksum = new CRC32C();
    private final List<Extent> extents = new ArrayList<>(2);
    private long bytes;
    /** What of the last extent is written. */
    private long lastUsed;

    /** @param buffer empty; some pages */
    SpoolOutput(SpoolFiles files, ByteBuffer buffer) {
        this.files = files;
        this.buffer = buffer;
    }

    public void putInt(int value) throws IOException {
        room(Integer.BYTES);
        buffer.putInt(value);
    }

    public void putLong(long value) throws IOException {
        room(Long.BYTES);
        buffer.putLong(value);
    }

    public void put(byte[] source) throws IOException {
        int done = 0;
        while (done < source.length) {
            room(1);
            int part = Math.min(buffer.remaining(), source.length - done);
            buffer.put(source, done, part);
            done += part;
        }
    }

    private void room(int needed) throws IOException {
        if (buffer.remaining() < needed) {
            flush();
        }
    }

    private void flush() throws IOException {
        buffer.flip();
        checksum.update(buffer.duplicate());
        bytes += buffer.remaining();
        while (buffer.hasRemaining()) {
            Extent last = extents.isEmpty() ? null : extents.get(extents.size() - 1);
            if (last == null || lastUsed == last.bytes()) {
                int pages = (buffer.remaining() + Spool.PAGE_BYTES - 1) / Spool.PAGE_BYTES;
                last = files.take(pages);
                extents.add(last);
                lastUsed = 0;
            }
            int part = (int) Math.min(buffer.remaining(), last.bytes() - lastUsed);
            ByteBuffer piece = buffer.slice(buffer.position(), part);
            files.write(last, lastUsed, piece);
            buffer.position(buffer.position() + part);
            lastUsed += part;
        }
        buffer.clear();
    }

    /** All is there. */
    SpoolBlock end() throws IOException {
        flush();
        return new SpoolBlock(extents, bytes, (int) checksum.getValue());
    }

    /** Gives back what was taken. */
    void giveUp() {
        extents.forEach(files::free);
    }
}
