package io.mainstem.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Durability;
import io.mainstem.store.RecordType;
import io.mainstem.store.files.SimDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** docs/disk-format.md, byte by byte: what stands on disk after a new log has taken one message. */
final class DiskFormatTest {
    private static final Path LOG = SteppedLog.FOLDER.resolve("log");

    private final SimDisk disk = new SimDisk();
    private final TestGroup group = TestGroup.message(42, 21, Durability.SYNC);
    private ByteBuffer segment;
    private ByteBuffer meta;
    private long drained;

    @BeforeEach
    void writeOneMessage() {
        SteppedLog log = SteppedLog.open(disk, SteppedLog.config(), 0, 0, replayed -> {});
        log.log().submit(group);
        log.settle();
        log.log().drain(new DrainedList(), 10);
        drained = log.log().drainedLsn();
        segment = bytes(LOG.resolve("00000000000000000000.log"));
        meta = bytes(SteppedLog.FOLDER.resolve("store.meta"));
    }

    private ByteBuffer bytes(Path path) {
        return ByteBuffer.wrap(disk.contents(path)).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static int crc(ByteBuffer bytes, int from, int length, byte[] seed) {
        CRC32C crc = new CRC32C();
        crc.update(seed);
        crc.update(copy(bytes, from, length));
        return (int) crc.getValue();
    }

    private byte[] uuid() {
        ByteBuffer uuid = ByteBuffer.allocate(16);
        uuid.putLong(meta.getLong(12)).putLong(meta.getLong(20));
        return uuid.array();
    }

    private static String text(ByteBuffer bytes, int length) {
        return new String(copy(bytes, 0, length), StandardCharsets.US_ASCII);
    }

    private static byte[] copy(ByteBuffer bytes, int from, int length) {
        byte[] copy = new byte[length];
        bytes.get(from, copy);
        return copy;
    }

    @Test
    @DisplayName("store.meta: 64 bytes with identity and layout")
    void metaFile() {
        assertThat(meta.capacity()).isEqualTo(64);
        assertThat(text(meta, 8)).isEqualTo("MSTMMETA");
        assertThat(meta.getShort(8)).isEqualTo((short) 1);
        assertThat(meta.getInt(32)).isEqualTo(64 << 10);
        assertThat(meta.getInt(36)).isEqualTo(512);
        assertThat(meta.getInt(60)).isEqualTo(crc(meta, 0, 60, new byte[0]));
    }

    @Test
    @DisplayName("[L-2] segment header: 64 bytes")
    void segmentHeader() {
        assertThat(text(segment, 8)).isEqualTo("MSTMLOG\0");
        assertThat(segment.getShort(8)).isEqualTo((short) 1);
        assertThat(segment.getShort(10)).isEqualTo((short) 64);
        assertThat(segment.getLong(12)).isEqualTo(meta.getLong(12));
        assertThat(segment.getLong(20)).isEqualTo(meta.getLong(20));
        assertThat(segment.getLong(32)).as("base LSN").isZero();
        assertThat(segment.getInt(40)).as("segment size").isEqualTo(64 << 10);
        assertThat(segment.getLong(44)).as("base time").isEqualTo(1_700_000_000_000L);
        assertThat(segment.getInt(52)).as("epoch").isEqualTo(1);
        assertThat(segment.getInt(60)).isEqualTo(crc(segment, 0, 60, new byte[0]));
    }

    @Test
    @DisplayName("[L-2] the first batch starts at 512 and holds the EPOCH record; the next starts aligned, too")
    void batches() {
        assertThat(segment.get(512 + 17)).as("BATCH").isEqualTo((byte) 1);
        assertThat(segment.getInt(512 + 32 + 16)).as("records").isEqualTo(1);
        assertThat(segment.get(512 + 80 + 17)).as("EPOCH").isEqualTo((byte) 3);
        assertThat(segment.get(1024 + 17)).as("BATCH").isEqualTo((byte) 1);

        int body = 1024 + 32;
        assertThat(segment.getInt(1024 + 4)).as("body length").isEqualTo(48);
        assertThat(segment.getLong(body)).as("term").isEqualTo(1);
        assertThat(segment.getLong(body + 8)).as("index").isEqualTo(2);
        assertThat(segment.getInt(body + 16)).as("records").isEqualTo(1);
        assertThat(segment.getInt(body + 20)).as("bytes").isEqualTo(80 + 72);
        assertThat(segment.getLong(body + 24)).as("previous batch").isEqualTo(512);
        assertThat(segment.getLong(body + 32)).as("synced up to").isEqualTo(1024);
        assertThat(segment.getInt(1024 + 24)).isEqualTo(crc(segment, body, 48, new byte[0]));
        assertThat(drained).as("end of the batch, aligned").isEqualTo(1536);
    }

    @Test
    @DisplayName("[L-2] record header: 32 bytes, checksum seeded with the store's uuid, body zero padded to 8")
    void recordHeader() {
        int at = 1024 + 80;
        int bodyBytes = 16 + 21;
        assertThat(group.frames().get(0).lsn()).isEqualTo(at);
        assertThat(segment.getInt(at)).isEqualTo(crc(segment, at + 4, 28, uuid()));
        assertThat(segment.getInt(at + 4)).isEqualTo(bodyBytes);
        assertThat(segment.getLong(at + 8)).isEqualTo(at);
        assertThat(segment.get(at + 16)).as("version").isEqualTo((byte) 1);
        assertThat(segment.get(at + 17)).isEqualTo((byte) RecordType.MSG.code());
        assertThat(segment.getShort(at + 18)).as("flags").isZero();
        assertThat(segment.getInt(at + 20)).as("epoch").isEqualTo(1);
        assertThat(segment.getInt(at + 24)).isEqualTo(group.frames().get(0).bodyCrc());
        assertThat(segment.getInt(at + 24)).isEqualTo(crc(segment, at + 32, bodyBytes, new byte[0]));
        assertThat(copy(segment, at + 32, bodyBytes))
                .isEqualTo(TestGroup.bodyOf(group.frames().get(0)));
        for (int i = at + 32 + bodyBytes; i < 1536; i++) {
            assertThat(segment.get(i)).as("padding").isZero();
        }
    }

    @Test
    @DisplayName("[L-2] ckpt/synced: two slots of 512 bytes; the newest says up to where the log is durable")
    void syncedSlots() {
        ByteBuffer slots = bytes(SteppedLog.FOLDER.resolve("ckpt").resolve("synced"));
        assertThat(slots.capacity()).isEqualTo(1024);
        assertThat(slots.getLong(8)).as("sequence, even ones first").isEqualTo(2);
        int third = 512;
        assertThat(text(slots.slice(third, 512), 8)).isEqualTo("MSTMSYNC");
        assertThat(slots.getLong(third + 8)).as("made, begun, synced").isEqualTo(3);
        assertThat(slots.getLong(third + 16)).isEqualTo(1536);
        assertThat(slots.getLong(third + 24)).as("last batch").isEqualTo(1024);
        assertThat(slots.getLong(third + 32)).as("its index").isEqualTo(2);
        assertThat(slots.getInt(third + 44)).as("clean").isZero();
        assertThat(slots.getInt(third + 508)).isEqualTo(crc(slots, third, 508, new byte[0]));
    }
}
