package io.mainstem.store.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Entry;
import io.mainstem.store.Route;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.codec.BytesWriter;
import io.mainstem.store.codec.MalformedException;
import io.mainstem.store.files.SimDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** States of lanes in checkpoints. */
final class LaneCodecTest {
    private static final StoreConfig CONFIG = new StoreConfig(
            Path.of("/store"), 64 << 10, 64 << 10, 512, 2, 1 << 20, 1 << 20, 1000, 0, 1, 1000, StoreUpkeep.defaults());
    private static final long LANE = new Route(1, 0).laneId();

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

        BytesWriter now = new BytesWriter(100);
        lanes.write(LANE, now);
        assertThat(now.array()[0]).isEqualTo((byte) 2);
        lanes.restore(LANE, now.toBytes());
        assertThat(lanes.blocks().lost(block).range().fromIndex()).isEqualTo(LostBlock.NOT_KNOWN);
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
        BytesWriter out = new BytesWriter(100);
        LaneCodec.write(lane, out);
        byte[] sound = out.toBytes();

        BytesWriter again = new BytesWriter(100);
        LaneCodec.write(LaneCodec.read(lanes, LANE, sound), again);
        assertThat(again.toBytes()).isEqualTo(sound);
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
