package io.mainstem.store.view;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A block that is to be written elsewhere because its file holds little else. Immutable.
 *
 * @param words its entries if they are in memory
 */
public record BlockMove(long laneId, long firstIndex, long position, long @Nullable [] words) {
    /** With the entries, read if need be. Thread: any; blocks. */
    public BlockMove read(ViewFiles view) throws IOException {
        return words != null
                ? this
                : new BlockMove(laneId, firstIndex, position, view.read(position, laneId, firstIndex));
    }

    /** As one that could not be read. */
    public LaneSnapshot.Unread unread(String problem) {
        return new LaneSnapshot.Unread(laneId, firstIndex, position, problem);
    }
}
