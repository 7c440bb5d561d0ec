package io.mainstem.store.checkpoint;

import io.mainstem.store.codec.BytesReader;
import io.mainstem.store.files.StoreFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Reads an image item by item, with one item in memory at a time. Thread: one. */
final class ImageReader {
    private static final int BUFFER_BYTES = 256 << 10;

    private final StoreFile file;
    private final ImageHeader header;
    private final long end;
    private final int storedCrc;
    private final CRC32C crc = new CRC32C();
    private byte[] buffer = new byte[BUFFER_BYTES];
    private int from;
    private int filled;
    private long position = ImageFormat.HEADER_BYTES;

    private ImageReader(StoreFile file, ImageHeader header, long end, int storedCrc) {
        this.file = file;
        this.header = header;
        this.end = end;
        this.storedCrc = storedCrc;
    }

    /**
     * Reads header and footer.
     *
     * @throws DamagedImageException if they are not sound
     * @throws NewerImageException if a later build wrote the file
     */
    static ImageReader open(StoreFile file) throws IOException {
        ByteBuffer head = read(file, 0, ImageFormat.HEADER_BYTES);
        if (head.getLong(0) != ImageFormat.MAGIC) {
            throw new DamagedImageException("has no image header");
        }
        CRC32C headerCrc = new CRC32C();
        headerCrc.update(head.duplicate().position(0).limit(ImageFormat.HEADER_CRC_AT));
        if (head.getInt(ImageFormat.HEADER_CRC_AT) != (int) headerCrc.getValue()) {
            throw new DamagedImageException("fails its header's checksum");
        }
        if (head.getShort(8) != ImageFormat.VERSION) {
            throw new NewerImageException(head.getShort(8));
        }
        long footerAt = file.size() - ImageFormat.FOOTER_BYTES;
        ByteBuffer foot = read(file, footerAt, ImageFormat.FOOTER_BYTES);
        if (foot.getInt(12) != ImageFormat.FOOTER_MAGIC || foot.getLong(0) != footerAt - ImageFormat.HEADER_BYTES) {
            throw new DamagedImageException("ends early");
        }
        boolean clean = (head.getShort(10) & ImageFormat.FLAG_CLEAN) != 0;
        ImageHeader header = new ImageHeader(head.getLong(16), head.getLong(24), head.getLong(32), clean);
        return new ImageReader(file, header, footerAt, foot.getInt(8));
    }

    private static ByteBuffer read(StoreFile file, long position, int bytes) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (position < 0 || file.read(into, position) < bytes) {
            throw new DamagedImageException("ends early");
        }
        return into;
    }

    ImageHeader header() {
        return header;
    }

    /** Checks the checksum of all items. */
    void verify() throws IOException {
        CRC32C all = new CRC32C();
        for (long at = ImageFormat.HEADER_BYTES; at < end; ) {
            int count = (int) Math.min(buffer.length, end - at);
            all.update(read(file, at, count).flip());
            at += count;
        }
        if ((int) all.getValue() != storedCrc) {
            throw new DamagedImageException("fails its checksum");
        }
    }

    /** The next item, or null at the end, where the checksum of all items has been checked. */
    @Nullable
    Item next() throws IOException {
        fill(24);
        BytesReader in = new BytesReader(buffer, from, filled);
        int kind = in.u8();
        switch (kind) {
            case ImageFormat.ITEM_END -> {
                from = in.position();
                if (from != filled || position != end || (int) crc.getValue() != storedCrc) {
                    throw new DamagedImageException("fails its checksum");
                }
                return null;
            }
            case ImageFormat.ITEM_DROPPED -> {
                from = in.position();
                return new Item(kind, 0, Item.NOTHING, block());
            }
            case ImageFormat.ITEM_LANE -> {
                long laneId = in.varint();
                from = in.position();
                return new Item(kind, laneId, Item.NOTHING, block());
            }
            case ImageFormat.ITEM_META -> {
                from = in.position();
                byte[] key = block();
                return new Item(kind, 0, key, block());
            }
            default -> throw new DamagedImageException("has an item of kind " + kind);
        }
    }

    private byte[] block() throws IOException {
        fill(10);
        BytesReader in = new BytesReader(buffer, from, filled);
        int count = (int) in.varint(Integer.MAX_VALUE - 16);
        from = in.position();
        if (count > end - position + (filled - from)) {
            throw new DamagedImageException("has an item that ends behind the file");
        }
        fill(count);
        byte[] bytes = Arrays.copyOfRange(buffer, from, from + count);
        from += count;
        return bytes;
    }

    /** Has at least {@code count} bytes in the buffer, or all that are left. */
    private void fill(int count) throws IOException {
        if (filled - from >= count || position == end) {
            return;
        }
        byte[] target = buffer.length >= count ? buffer : new byte[count];
        System.arraycopy(buffer, from, target, 0, filled - from);
        filled -= from;
        from = 0;
        buffer = target;
        int more = (int) Math.min(buffer.length - filled, end - position);
        ByteBuffer into = ByteBuffer.wrap(buffer, filled, more);
        if (file.read(into, position) < more) {
            throw new DamagedImageException("ends early");
        }
        crc.update(buffer, filled, more);
        filled += more;
        position += more;
    }

    /** One item; which fields count depends on the kind. */
    record Item(int kind, long laneId, byte[] key, byte[] value) {
        static final byte[] NOTHING = {};
    }
}
