package io.mainstem.routing.queue;

import java.util.List;

/**
 * Room that a publish has in queues that refuse what is too much, until it is in them or has failed. Thread: shard only.
 *
 * @param bytes that it takes in each of them
 */
record Admission(List<MessageQueue> queues, long bytes) {
    /** Of what goes to no such queue. */
    static final Admission FREE = new Admission(List.of(), 0);

    void begin() {
        for (MessageQueue queue : queues) {
            queue.comingMessages++;
            queue.comingBytes += bytes;
        }
    }

    /** It is in its queues from now on, or does not come. */
    void end() {
        for (MessageQueue queue : queues) {
            queue.comingMessages--;
            queue.comingBytes -= bytes;
        }
    }
}
