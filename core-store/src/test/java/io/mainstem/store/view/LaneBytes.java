package io.mainstem.store.view;

import io.mainstem.store.codec.BytesWriter;
import java.util.Objects;

/** States of lanes as checkpoints have them. */
public final class LaneBytes {
    private LaneBytes() {}

    /** Of a lane as it is. */
    public static byte[] of(Lanes lanes, long laneId) {
        return of(Objects.requireNonNull(lanes.image(laneId)));
    }

    static byte[] of(LaneImage image) {
        BytesWriter out = new BytesWriter(100);
        image.write(out, Long.MAX_VALUE);
        return out.toBytes();
    }

    /** Of a lane through which so many entries have passed, all of them settled. */
    public static byte[] passed(long laneId, long entries) {
        LaneState.Acks acks = new LaneState.Acks(new Waiting(entries), entries, null);
        LaneState.Entries none = new LaneState.Entries(new BlockDirectory(), entries, new long[0], 0);
        return of(new LaneImage(new LaneState(laneId, -1, acks, none, new SegmentRefs())));
    }
}
