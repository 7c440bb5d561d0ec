package io.mainstem.routing.queue;

import io.mainstem.routing.PublishListener;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Message;

/** One message on its way to memory only: from its event loop to the shard, answered when queued. */
final class TransientPublish implements Runnable {
    private final ShardSession session;
    private final Message message;
    private final Destinations destinations;
    private final long tag;
    private final PublishListener listener;

    TransientPublish(
            ShardSession session, Message message, Destinations destinations, long tag, PublishListener listener) {
        this.session = session;
        this.message = message;
        this.destinations = destinations;
        this.tag = tag;
        this.listener = listener;
    }

    /** Bytes it takes while it is under way. */
    long bytes() {
        return message.sectionBytes() + TailCache.MESSAGE_OVERHEAD_BYTES;
    }

    @Override
    public void run() {
        PublishResult result = session.shard().publishing().queue(session.peer(), message, destinations);
        session.peer().outbox().add(() -> session.answered(bytes(), listener, tag, result));
    }
}
