package io.mainstem.store.checkpoint;

import java.io.IOException;

/** Receives an image's content: dropped queues first, then lanes by id, then metadata by key. Arrays are the receiver's. */
public interface ImageVisitor {
    /** Queues dropped for ever, as {@code Lanes.droppedQueues} wrote them. */
    void dropped(byte[] queues) throws IOException;

    /** One lane. */
    void lane(long laneId, byte[] state) throws IOException;

    /** One entry of the metadata image; the key is UTF-8. */
    void meta(byte[] key, byte[] value) throws IOException;
}
