package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.message.Message;

/** One message on its way to memory only: from its event loop to the shard, answered when queued. */
final class TransientPublish implements Runnable {
    private final Shard shard;
    private final PublishRequest request;

    TransientPublish(Shard shard, PublishRequest request) {
        this.shard = shard;
        this.request = request;
    }

    /** Bytes a message takes while it is under way. */
    static long bytes(Message message) {
        return message.sectionBytes() + TailCache.MESSAGE_OVERHEAD_BYTES;
    }

    @Override
    public void run() {
        BrokerException full = shard.limits().refusal(request.destinations(), request.message());
        if (full != null) {
            LimitedPublish.refuse(request, full);
            return;
        }
        request.answer(shard.publishing().queue(request.peer(), request.message(), request.destinations()));
    }
}
