package io.mainstem.store.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.Route;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.codec.BytesWriter;
import io.mainstem.store.codec.MalformedException;
import io.mainstem.store.files.SimDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** States of lanes in checkpoints. */
final class LaneCodecTest {
    private static final StoreConfig CONFIG = new StoreConfig(
            Path.of("/store"), 64 << 10, 64 << 10, 512, 2, 1 << 20, 1 << 20, 1000, 0, 1, 1000, StoreUpkeep.defaults());
    private static final long LANE = new Route(1, 0).laneId();
    /** As build d187e2d wrote it: 1,300 entries, 0 to 2, 5 to 129, 140 to 649 and 1,290 to 1,294 settled, some failed. */
    private static final byte[] VERSION_2 = Base64.getDecoder()
            .decode(
                    "AhgFAAAAAAAAAwMACoCAgAGAAQKA+AeBgIABgPgHANCnCACwyAeKgIABgPgHAqDXCALgmAcCgPgHAvCGCQAegLFPZAAB4M9QB4AIZAAB"
                            + "8NdQB4AIZAEBgJ8BB4AIZAABkOhQB4AIZAABoPBQB4AIZAEBsJ8BB4AIZAABwIBRB4AIZAAB0IhRB4AIZAEB4J8BB4AIZAAB8JhR"
                            + "B4AIZAABgKFRB4AIZAEBkKABB4AIZAABoLFRB4AIZAABsLlRB4AIZAEBwKABB4AIZAAB0MlRB4AIZAAB4NFRB4AIZAEB8KABB4AI"
                            + "ZAABgOJRB4AIZAABkOpRB4AIZAEBoKEBB4AIZAABsPpRB4AIZAABwIJSB4AIZAEB0KEBB4AIZAAB4JJSB4AIZAAB8JpSB4AIZAEB"
                            + "gKIBB4AIZAABkKtSB4AIZAABoLNSB4AIZAEBsKIBBwEFFzswAAABAAB/AgMABQB8AIwA/QEKBQQAApoUAQICCAADyAEBDegHBJoB"
                            + "mFwBqgGAZAGqAYBkAaoBgGQBqgGAZAEa3As=");

    @Test
    @DisplayName("version 1, of earlier builds, is read; where its blocks were made is not known")
    void version1() throws IOException {
        Lanes lanes = new Lanes(CONFIG, ViewFiles.open(CONFIG, new SimDisk()), Runnable::run, () -> {});
        BytesWriter out = new BytesWriter(100);
        out.u8(1).u64(9000).varint(130).varint(130 - 100).zigzag(0);
        out.varint(2).zigzag((1L << 32) / Block.BYTES).zigzag(1);
        out.varint(1).zigzag(8192).varint(40).varint(0).varint(1).zigzag(7).varint(0);
        out.u8(0).varint(0).varint(1).varint(0).varint(225).varint(9000);

        lanes.restore(LANE, out.toBytes());

        assertThat(lanes.lane(LANE).cursor().unsettled()).isEqualTo(100 + 2 * Block.ENTRIES + 1 - 130);
        LaneSnapshot.Unread block = new LaneSnapshot.Unread(LANE, 100, 1L << 32, "");
        assertThat(lanes.blocks().lost(block).range())
                .isEqualTo(new LostBlock.Range(LostBlock.NOT_KNOWN, 0, 100 + 2 * Block.ENTRIES, 8192));

        byte[] now = LaneBytes.of(lanes, LANE);
        assertThat(now[0]).isEqualTo((byte) LaneCodec.VERSION);
        lanes.restore(LANE, now);
        assertThat(lanes.blocks().lost(block).range().fromIndex()).isEqualTo(LostBlock.NOT_KNOWN);
    }

    @Test
    @DisplayName("version 2, of earlier builds, is read: entries 3, 4, 130 to 139 and what follows 650 wait")
    void version2() throws IOException {
        Lanes lanes = new Lanes(CONFIG, ViewFiles.open(CONFIG, new SimDisk()), Runnable::run, () -> {});

        lanes.restore(LANE, VERSION_2);

        Lane lane = Objects.requireNonNull(lanes.lane(LANE));
        assertThat(lane.nextIndex()).isEqualTo(1300);
        assertThat(lane.bytes()).isEqualTo(65_700);
        long count = 0;
        for (long index = 0; index < 1300; index++) {
            boolean waits = index == 3
                    || index == 4
                    || (index >= 130 && index < 140)
                    || (index >= 650 && (index < 1290 || index >= 1295));
            assertThat(lane.cursor().settled(index)).as("entry " + index).isEqualTo(!waits);
            count += waits ? 1 : 0;
        }
        assertThat(lane.cursor().unsettled()).isEqualTo(count);
        assertThat(lane.cursor().failedCount(4)).isEqualTo(2);
        assertThat(lane.cursor().failedCount(1296)).isEqualTo(1);
        // The block of 127 to 253 ends where that of 254 began, though nothing waits in that one any more.
        LaneSnapshot.Unread block = new LaneSnapshot.Unread(LANE, 127, (1L << 32) + Block.BYTES, "");
        assertThat(lanes.blocks().lost(block).range())
                .isEqualTo(new LostBlock.Range(127, 64 + 127 * 512, 254, 64 + 254 * 512));
        assertThat(((LaneView) lane).freeze().entries().blocks().count()).isEqualTo(7);
    }

    @Test
    @DisplayName("a state written in slices is the lane as it was at the first, whatever is done to it meanwhile")
    void slices() throws IOException {
        Lanes lanes = new Lanes(CONFIG, ViewFiles.open(CONFIG, new SimDisk()), Runnable::run, () -> {});
        for (long index = 0; index < 20_000; index++) {
            lanes.append(new Route(1, 0), new Entry(0, 64 + index * 512L, 100, 0, 1, 0, 0), index + 1);
        }
        LaneView lane = (LaneView) Objects.requireNonNull(lanes.lane(LANE));
        for (long index = 1; index < 19_000; index += 2) {
            lane.ackState().settle(index, index + 1);
            lane.ackState().countFailure(index + 1);
        }
        byte[] whole = LaneBytes.of(lanes, LANE);

        LaneImage image = Objects.requireNonNull(lanes.image(LANE));
        BytesWriter out = new BytesWriter(100);
        int slices = 0;
        while (!image.write(out, out.size() + 500)) {
            slices++;
            lane.ackState().countFailure(100L * slices);
            lane.ackState().settle(50L * slices, 50L * slices + 60);
            lanes.append(
                    new Route(1, 0), new Entry(0, 64 + (20_000L + slices) * 512L, 100, 0, 1, 0, 0), 30_000 + slices);
        }

        assertThat(slices).isGreaterThan(20);
        assertThat(out.toBytes()).isEqualTo(whole);
        assertThat(LaneBytes.of(lanes, LANE)).isNotEqualTo(whole);
    }

    @Test
    @DisplayName("[D-5] whatever the bytes are: a lane, or MalformedException")
    void damaged() throws IOException {
        Lanes lanes = new Lanes(CONFIG, ViewFiles.open(CONFIG, new SimDisk()), Runnable::run, () -> {});
        for (int index = 0; index < 300; index++) {
            int flags = index % 3 == 0 ? Entry.FLAG_REF : 0;
            lanes.append(
                    new Route(1, 0), new Entry(0, 64 + index * 512L, 100, flags, 1, 64 + index * 520L, 7), index + 1);
        }
        LaneView lane = (LaneView) Objects.requireNonNull(lanes.lane(LANE));
        lane.ackState().settle(3, 5);
        lane.ackState().settle(150, 250);
        lane.countFailures(new long[] {7, 290}, 301);
        lane.gathered();
        byte[] sound = LaneBytes.of(lanes, LANE);

        LaneView again = LaneCodec.read(lanes, LANE, sound);
        assertThat(LaneBytes.of(new LaneImage(again.freeze()))).isEqualTo(sound);
        mustBearDamage(lanes, sound);
        mustBearDamage(lanes, VERSION_2);
    }

    private static void mustBearDamage(Lanes lanes, byte[] sound) {
        for (int at = 0; at < sound.length; at++) {
            byte[] cut = Arrays.copyOf(sound, at);
            assertThatThrownBy(() -> LaneCodec.read(lanes, LANE, cut)).isInstanceOf(MalformedException.class);
            for (int mask : new int[] {1, 0x80, 0xFF, 0x55}) {
                byte[] damaged = sound.clone();
                damaged[at] ^= (byte) mask;
                try {
                    LaneCodec.read(lanes, LANE, damaged);
                } catch (MalformedException expected) {
                    // As good: the checkpoint before it is tried.
                }
            }
        }
    }
}
