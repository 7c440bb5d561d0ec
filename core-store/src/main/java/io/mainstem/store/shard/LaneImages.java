package io.mainstem.store.shard;

import io.mainstem.store.checkpoint.ImageChanges;
import io.mainstem.store.view.LaneImage;
import io.mainstem.store.view.Lanes;
import org.jspecify.annotations.Nullable;

/**
 * Writes the states of changed lanes into an image's changes, slice by slice; a lane that keeps more than goes into one slice
 * is told as it was at the first (ADR 0065). Thread: shard only.
 */
final class LaneImages {
    /** About so many bytes are written at once: a millisecond. */
    private static final int SLICE_BYTES = 128 << 10;

    private final Lanes lanes;
    private final ImageChanges changes;
    private @Nullable LaneImage begun;

    LaneImages(Lanes lanes, ImageChanges changes) {
        this.lanes = lanes;
        this.changes = changes;
    }

    /** Writes some more; false if there is nothing more to write. */
    boolean slice() {
        long until = changes.bytes() + SLICE_BYTES;
        while (changes.nextLane() >= 0 && changes.bytes() < until) {
            LaneImage image = begun == null ? lanes.image(changes.nextLane()) : begun;
            boolean more = image != null && !image.write(changes.state(), ImageChanges.CHUNK_BYTES);
            begun = more ? image : null;
            if (!more) {
                changes.laneDone();
            }
        }
        return changes.nextLane() >= 0;
    }
}
