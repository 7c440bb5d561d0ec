package io.mainstem.store.spool;

import io.mainstem.store.spool.SpoolBlock.Extent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Gives the bytes of one block. Thread: the spool's. */
public final class SpoolInput {
    private final SpoolFiles files;
    private final SpoolBlock block;
    private final ByteBuffer buffer;
    private final CRC32C checksum = new CRC32C();
    private int extent;
    private long inExtent;
    private long left;
    private boolean unread;

    /** @param buffer for the input alone, as long as it is read */
    SpoolInput(SpoolFiles files, SpoolBlock block, ByteBuffer buffer) {
        this.files = files;
        this.block = block;
        this.buffer = buffer.clear().limit(0);
        this.left = block.bytes();
    }

    public int getInt() throws IOException {
        need(Integer.BYTES);
        return buffer.getInt();
    }

    public long getLong() throws IOException {
        need(Long.BYTES);
        return buffer.getLong();
    }

    /** @throws IOException if there are not so many left */
    public byte[] get(int count) throws IOException {
        if (count < 0 || count > left + buffer.remaining()) {
            throw new DamagedSpoolException("a length of " + count + " in a spooled block (there are "
                    + (left + buffer.remaining()) + " bytes left)");
        }
        byte[] result = new byte[count];
        int done = 0;
        while (done < count) {
            need(1);
            int part = Math.min(buffer.remaining(), count - done);
            buffer.get(result, done, part);
            done += part;
        }
        return result;
    }

    /** True if there are bytes left. */
    public boolean more() {
        return left > 0 || buffer.hasRemaining();
    }

    /** True if the disk did not give the bytes, which says nothing about them. */
    boolean unread() {
        return unread;
    }

    private void read(Extent from, ByteBuffer into) throws IOException {
        try {
            files.read(from, inExtent, into);
        } catch (DamagedSpoolException e) {
            throw e;
        } catch (IOException e) {
            unread = true;
            throw e;
        }
    }

    private void need(int count) throws IOException {
        if (buffer.remaining() >= count) {
            return;
        }
        buffer.compact();
        int before = buffer.position();
        while (buffer.hasRemaining() && left > 0) {
            Extent from = block.extents().get(extent);
            int part = (int) Math.min(buffer.remaining(), Math.min(left, from.bytes() - inExtent));
            ByteBuffer piece = buffer.slice(buffer.position(), part);
            read(from, piece);
            buffer.position(buffer.position() + part);
            left -= part;
            inExtent += part;
            if (inExtent == from.bytes()) {
                extent++;
                inExtent = 0;
            }
        }
        checksum.update(buffer.slice(before, buffer.position() - before));
        buffer.flip();
        if (buffer.remaining() < count) {
            throw new DamagedSpoolException("a spooled block ends early");
        }
    }

    /** @throws IOException if not all was read, or what was read is not what had been written */
    void checkEnd() throws IOException {
        if (more() || (int) checksum.getValue() != block.checksum()) {
            throw new DamagedSpoolException("a spooled block is damaged");
        }
    }
}
