package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.PublishResult;
import io.mainstem.store.Frame;
import java.util.List;

/**
 * A message for a queue that refuses what is too much, on its way to the shard: only that knows what the queue holds and
 * what is on its way there, so however much a publisher sends at once, no more is taken than there is room for. Thread:
 * shard.
 */
final class LimitedPublish implements Runnable {
    private final Shard shard;
    private final PublishRequest request;
    private final List<Frame> frames;

    /** @param frames message and what is kept with it, at least one */
    LimitedPublish(Shard shard, PublishRequest request, List<Frame> frames) {
        this.shard = shard;
        this.request = request;
        this.frames = frames;
    }

    @Override
    public void run() {
        BrokerException full = shard.limits().refusal(request.destinations(), request.message());
        if (full != null) {
            refuse(request, full);
            return;
        }
        Admission admission = shard.limits().admit(request.destinations(), request.message());
        shard.store().submit(new DurablePublish(shard, request, frames, null, admission));
        if (request.destinations().anyInMemory()) {
            request.peer().order().begun();
        }
    }

    /** Tells the publisher; the message goes to the dead letters if the full queue asks for that. */
    static void refuse(PublishRequest request, BrokerException full) {
        request.notRetained();
        request.answer(PublishResult.Refused.of(full));
        request.session().refused(request.message(), full);
    }
}
