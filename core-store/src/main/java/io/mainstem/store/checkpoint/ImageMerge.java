package io.mainstem.store.checkpoint;

import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The image before, with changes laid over it. What did not change is copied as bytes.
 *
 * <p>Thread: one, in the background.
 */
final class ImageMerge {
    private final ImageChanges changes;
    private final ImageWriter out;
    private final LongPredicate goneLane;
    private final Iterator<Map.Entry<byte[], byte[]>> keys;
    private Map.@Nullable Entry<byte[], byte[]> key;
    private int lane;

    /** @param goneLane lanes of the image before that are to be left out */
    ImageMerge(ImageChanges changes, ImageWriter out, LongPredicate goneLane) {
        this.changes = changes;
        this.out = out;
        this.goneLane = goneLane;
        this.keys = changes.meta().entrySet().iterator();
        this.key = nextKey();
    }

    void run(@Nullable ImageReader before) throws IOException {
        out.dropped(changes.dropped());
        ImageReader.Item item = before == null ? null : before.next();
        while (before != null && item != null) {
            switch (item.kind()) {
                case ImageFormat.ITEM_LANE -> lane(item);
                case ImageFormat.ITEM_META -> meta(item);
                default -> {
                    // dropped queues: the changes have them all
                }
            }
            item = before.next();
        }
        lanesBelow(Long.MAX_VALUE);
        while (key != null) {
            writeKey();
        }
    }

    private void lane(ImageReader.Item item) throws IOException {
        lanesBelow(item.laneId());
        if (lane < changes.lanes() && changes.laneId(lane) == item.laneId()) {
            writeLane();
        } else if (!goneLane.test(item.laneId())) {
            out.lane(item.laneId(), item.value());
        }
    }

    private void lanesBelow(long laneId) throws IOException {
        while (lane < changes.lanes() && changes.laneId(lane) < laneId) {
            writeLane();
        }
    }

    private void writeLane() throws IOException {
        if (changes.bytes(lane) > 0) {
            out.lane(changes, lane);
        }
        lane++;
    }

    private void meta(ImageReader.Item item) throws IOException {
        lanesBelow(Long.MAX_VALUE);
        while (key != null && Arrays.compareUnsigned(key.getKey(), item.key()) < 0) {
            writeKey();
        }
        if (key != null && Arrays.equals(key.getKey(), item.key())) {
            writeKey();
        } else {
            out.meta(item.key(), item.value());
        }
    }

    private void writeKey() throws IOException {
        Map.Entry<byte[], byte[]> change = key;
        if (change != null && change.getValue() != ImageChanges.REMOVED) {
            out.meta(change.getKey(), change.getValue());
        }
        key = nextKey();
    }

    private Map.@Nullable Entry<byte[], byte[]> nextKey() {
        return keys.hasNext() ? keys.next() : null;
    }
}
