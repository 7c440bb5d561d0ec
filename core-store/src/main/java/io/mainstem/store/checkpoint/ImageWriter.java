package io.mainstem.store.checkpoint;

import io.mainstem.store.codec.BytesWriter;
import io.mainstem.store.files.StoreFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Writes an image into a new file. Thread: one. */
final class ImageWriter {
    private static final int BUFFER_BYTES = 256 << 10;

    private final StoreFile file;
    private final BytesWriter buffer = new BytesWriter(BUFFER_BYTES + 4096);
    private final CRC32C crc = new CRC32C();
    private long position = ImageFormat.HEADER_BYTES;

    ImageWriter(StoreFile file) {
        this.file = file;
    }

    void dropped(byte[] queues) throws IOException {
        buffer.u8(ImageFormat.ITEM_DROPPED).block(queues);
        flushIfFull();
    }

    void lane(long laneId, byte[] state) throws IOException {
        lane(laneId, state.length);
        raw(state, 0, state.length);
    }

    /** The i-th lane of the changes. */
    void lane(ImageChanges changes, int i) throws IOException {
        lane(changes.laneId(i), changes.bytes(i));
        changes.state(i, this::raw);
    }

    private void lane(long laneId, long bytes) {
        buffer.u8(ImageFormat.ITEM_LANE).varint(laneId).varint(bytes);
    }

    private void raw(byte[] bytes, int from, int count) throws IOException {
        buffer.raw(bytes, from, count);
        flushIfFull();
    }

    void meta(byte[] key, byte[] value) throws IOException {
        buffer.u8(ImageFormat.ITEM_META).block(key).block(value);
        flushIfFull();
    }

    /** Ends the image and makes it durable; the header comes last. */
    void finish(ImageHeader header) throws IOException {
        buffer.u8(ImageFormat.ITEM_END);
        flush();
        ByteBuffer footer = ByteBuffer.allocate(ImageFormat.FOOTER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        footer.putLong(position - ImageFormat.HEADER_BYTES).putInt((int) crc.getValue());
        footer.putInt(ImageFormat.FOOTER_MAGIC).flip();
        file.write(footer, position);
        file.write(encode(header), 0);
        file.sync();
    }

    private static ByteBuffer encode(ImageHeader header) {
        ByteBuffer out = ByteBuffer.allocate(ImageFormat.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(0, ImageFormat.MAGIC).putShort(8, (short) ImageFormat.VERSION);
        out.putShort(10, (short) (header.clean() ? ImageFormat.FLAG_CLEAN : 0));
        out.putLong(16, header.sequence()).putLong(24, header.replayLsn()).putLong(32, header.syncedLsn());
        CRC32C headerCrc = new CRC32C();
        headerCrc.update(out.array(), 0, ImageFormat.HEADER_CRC_AT);
        return out.putInt(ImageFormat.HEADER_CRC_AT, (int) headerCrc.getValue());
    }

    private void flushIfFull() throws IOException {
        if (buffer.size() >= BUFFER_BYTES) {
            flush();
        }
    }

    private void flush() throws IOException {
        crc.update(buffer.array(), 0, buffer.size());
        file.write(ByteBuffer.wrap(buffer.array(), 0, buffer.size()), position);
        position += buffer.size();
        buffer.clear();
    }
}
