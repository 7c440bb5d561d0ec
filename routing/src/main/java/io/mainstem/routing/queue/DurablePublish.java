package io.mainstem.routing.queue;

import io.mainstem.routing.PublishListener;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Message;
import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.MetaChange;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.StoreState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way into the log: submitted by its event loop, completed on the shard, answered on the event loop
 * [architecture: acknowledged means on disk].
 */
final class DurablePublish extends RecordGroup implements Runnable {
    private final ShardSession session;
    private final Message message;
    private final Destinations destinations;
    private final @Nullable MetaChange retained;
    private final long tag;
    private final PublishListener listener;
    private @Nullable PublishResult result;

    DurablePublish(
            ShardSession session,
            Message message,
            Destinations destinations,
            List<Frame> frames,
            @Nullable MetaChange retained,
            long tag,
            PublishListener listener) {
        super(frames, durability(message, destinations));
        this.session = session;
        this.message = message;
        this.destinations = destinations;
        this.retained = retained;
        this.tag = tag;
        this.listener = listener;
    }

    /** A delayed message that no durable queue waits for is in the log to be out of memory. */
    private static Durability durability(Message message, Destinations destinations) {
        return message.envelope().delayed() && destinations.stored().isEmpty() ? Durability.WRITE : Durability.SYNC;
    }

    ShardSession session() {
        return session;
    }

    Message message() {
        return message;
    }

    Destinations destinations() {
        return destinations;
    }

    /** Where the message stands, if any queue has it stored. */
    long lsn() {
        return frames().get(0).lsn();
    }

    @Override
    public void onApplied() {
        result = destinations.nowhere()
                ? new PublishResult.Unroutable()
                : new PublishResult.Stored(destinations.count());
        if (retained != null) {
            session.shard()
                    .queues()
                    .retained(session.peer().client().virtualHost())
                    .applied(message.envelope().routingKey(), retained.value());
        }
        session.shard().publishing().applied(this);
        session.peer().outbox().add(this);
    }

    @Override
    public void onFailed(StoreState why) {
        result = session.shard().publishing().failed(why);
        session.peer().outbox().add(this);
    }

    /** The answer, on the event loop. */
    @Override
    public void run() {
        PublishResult answer = result;
        if (answer != null) {
            session.answered(encodedBytes(), listener, tag, answer);
        }
    }
}
