package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.HeadRecord;
import io.mainstem.routing.PublishListener;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.access.Permissions;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.PublishId;
import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The way of a session's messages: routed by the current snapshot, durable ones straight to the log, all others with the
 * session's next batch to the shard; in the order they were published where that is seen. Thread: the session's event
 * loop, except where a method says shard.
 */
final class SessionPublishing {
    private final ShardSession session;
    private final Shard shard;
    private final Router router;
    private final Permissions permissions;
    private final SessionTemporaryNodes temporaryNodes;
    private final Executor eventLoop;
    private final PublishRoom room;
    private List<RecordGroup> publishes = new ArrayList<>();
    private final List<Runnable> answers = new ArrayList<>();
    /** What takes the way by the shard and has not passed it yet. */
    private int viaShard;

    private Durability durability = Durability.SYNC;
    private boolean closed;

    SessionPublishing(
            ShardSession session,
            Router router,
            Permissions permissions,
            SessionTemporaryNodes temporaryNodes,
            Executor eventLoop,
            long inFlightBytesMax) {
        this.session = session;
        this.shard = session.shard();
        this.router = router;
        this.permissions = permissions;
        this.temporaryNodes = temporaryNodes;
        this.eventLoop = eventLoop;
        this.room = new PublishRoom(shard.store(), eventLoop, inFlightBytesMax);
    }

    ShardPeer peer() {
        return session.peer();
    }

    PublishRoom room() {
        return room;
    }

    /** Hands over to the log. */
    void flush() {
        if (!publishes.isEmpty()) {
            // Whatever comes of it, nothing is handed over twice.
            List<RecordGroup> batch = publishes;
            publishes = new ArrayList<>();
            shard.store().submitAll(batch);
        }
    }

    /** Gives the answers that needed neither log nor shard. */
    void flushAnswers() {
        if (!answers.isEmpty()) {
            List<Runnable> batch = List.copyOf(answers);
            answers.clear();
            batch.forEach(Runnable::run);
        }
    }

    /** When a publish counts as done. */
    Durability durability() {
        return durability;
    }

    void answerAfterWrite() {
        durability = Durability.WRITE;
    }

    /** @throws BrokerException if the exchange does not exist, or the session may not publish there */
    Destinations destinations(Message message) {
        requirePublish(message.envelope());
        return router.destinations(message);
    }

    private void requirePublish(Envelope envelope) {
        permissions.requirePublish(envelope);
        if (envelope.keys().size() == 1) {
            // Of several keys some may lead nowhere.
            temporaryNodes.requireThere(envelope.exchange(), envelope.routingKey());
        }
    }

    void publish(Message message, List<HeadRecord> records, long tag, PublishListener listener) {
        PublishId id = message.publishId();
        if (id != null && !stopped()) {
            publishOnce(message, id, records, tag, listener);
            return;
        }
        RetainedChange retained = session.retained().begin(message);
        boolean done = false;
        try {
            publish(message, destinations(message), records, retained, tag, listener);
            done = true;
        } catch (BrokerException refused) {
            deadLetter(message, refused);
            throw refused;
        } finally {
            if (!done && retained != null) {
                retained.failed();
            }
        }
    }

    /** What a full queue has refused goes to its dead-letter exchange if it asks for that. */
    private void deadLetter(Message message, BrokerException refused) {
        router.deadLetter(
                message, refused.queue(), (dead, to) -> publish(dead, to, List.of(), null, 0, PublishListener.NONE));
    }

    /** A message that was not stored before, either, is refused. Thread: shard. */
    void refused(Message message, BrokerException why) {
        if (why.queue() != null) {
            peer().outbox().add(() -> {
                deadLetter(message, why);
                session.flush();
            });
        }
    }

    private void publish(
            Message message,
            Destinations destinations,
            List<HeadRecord> records,
            @Nullable RetainedChange retained,
            long tag,
            PublishListener listener) {
        if (stopped()) {
            // Behind the shard's last answers, which wait for this event loop: a head closes its connection on this
            // one.
            PublishResult unknown = new PublishResult.Unknown("the broker is stopping");
            PublishRequest request = new PublishRequest(this, message, destinations, retained, 0, tag, listener);
            request.notRetained();
            eventLoop.execute(() -> answered(request, unknown));
        } else if (records.isEmpty()
                && retained == null
                && (destinations.nowhere() || !PublishFrame.needed(message, destinations))) {
            publishInMemory(message, destinations, tag, listener);
        } else {
            publishDurably(message, destinations, records, retained, tag, listener);
        }
    }

    void publishTo(String queue, Message message, long tag, PublishListener listener) {
        Destinations destinations = router.destinationsOf(queue, message.envelope());
        if (stopped() || destinations.nowhere() || !PublishFrame.needed(message, destinations)) {
            publishInMemory(message, closed ? Destinations.NOWHERE : destinations, tag, listener);
        } else {
            publishDurably(message, destinations, List.of(), null, tag, listener);
        }
    }

    private void publishInMemory(Message message, Destinations destinations, long tag, PublishListener listener) {
        if (destinations.nowhere()) {
            answer(tag, listener, new PublishResult.Unroutable());
        } else {
            long bytes = TransientPublish.bytes(message);
            room.take(bytes);
            PublishRequest request = new PublishRequest(this, message, destinations, null, bytes, tag, listener);
            TransientPublish publish = new TransientPublish(shard, request);
            session.collect(() -> order().run(() -> order().queueInMemory(publish)));
        }
    }

    private void publishDurably(
            Message message,
            Destinations destinations,
            List<HeadRecord> records,
            @Nullable RetainedChange retained,
            long tag,
            PublishListener listener) {
        List<Frame> frames;
        try {
            frames = frames(message, destinations, records, retained);
        } catch (BrokerException tooLarge) {
            if (retained != null) {
                retained.failed();
            }
            answer(tag, listener, PublishResult.Refused.of(tooLarge));
            return;
        }
        long bytes = bytes(frames);
        room.take(bytes);
        PublishRequest request = new PublishRequest(this, message, destinations, retained, bytes, tag, listener);
        if (destinations.limited()) {
            viaShard(new LimitedPublish(shard, request, frames));
            return;
        }
        submit(new DurablePublish(shard, request, frames));
        if (destinations.anyInMemory()) {
            session.collect(() -> order().run(order()::begun));
        }
    }

    /** Whether it is stored already only the shard knows; what comes behind it takes the same way. */
    private void publishOnce(
            Message message, PublishId id, List<HeadRecord> records, long tag, PublishListener listener) {
        requirePublish(message.envelope());
        RetainedChange retained = session.retained().begin(message);
        Destinations destinations = Destinations.NOWHERE;
        List<Frame> frames = List.of();
        BrokerException refusal = null;
        try {
            destinations = router.destinations(message);
            frames = frames(message, destinations, records, retained);
        } catch (BrokerException refused) {
            if (refused.kind() == ErrorKind.NOT_FOUND) {
                if (retained != null) {
                    retained.failed();
                }
                throw refused;
            }
            refusal = refused;
        }
        long bytes = bytes(frames) + TransientPublish.bytes(message);
        room.take(bytes);
        PublishRequest request = new PublishRequest(this, message, destinations, retained, bytes, tag, listener);
        viaShard(new OncePublish(shard, request, id, frames, refusal));
    }

    private List<Frame> frames(
            Message message, Destinations destinations, List<HeadRecord> records, @Nullable RetainedChange retained) {
        List<Frame> frames = new ArrayList<>(2);
        if (PublishFrame.needed(message, destinations)) {
            frames.add(PublishFrame.checked(message, destinations));
        }
        Frame kept = HeadRecords.frame(peer(), records, retained == null ? null : retained.meta());
        if (kept != null) {
            frames.add(kept);
        }
        requireWritable(frames);
        return frames;
    }

    /** What could never be written is refused here: behind this nobody could be told. */
    private void requireWritable(List<Frame> frames) {
        try {
            shard.store().requireWritable(frames);
        } catch (IllegalArgumentException tooLarge) {
            throw tooLarge(tooLarge);
        }
    }

    static BrokerException tooLarge(IllegalArgumentException why) {
        return new BrokerException(
                ErrorKind.INVALID_ARGUMENT,
                "MS-0313",
                "the message and what is kept with it do not fit the log: " + why.getMessage() + ".",
                "publish smaller messages, or make a store with larger segments (store.segment-bytes).");
    }

    private static long bytes(List<Frame> frames) {
        long bytes = 0;
        for (Frame frame : frames) {
            bytes += frame.bodyBytes() + RecordGroup.RECORD_OVERHEAD_BYTES;
        }
        return bytes;
    }

    /** To the log with the next flush, behind everything this session has given it before. */
    void submit(RecordGroup group) {
        if (viaShard == 0) {
            publishes.add(group);
        } else {
            viaShard(() -> shard.store().submit(group));
        }
    }

    /**
     * What only the shard can do. What is published behind it takes the same way until it has passed, so that it does not
     * overtake it.
     */
    void viaShard(Runnable task) {
        viaShard++;
        session.collect(() -> {
            order().run(task);
            order().run(this::passed);
        });
    }

    /** Thread: shard. */
    private void passed() {
        peer().outbox().add(() -> viaShard--);
    }

    /** Thread: shard. */
    private PublishOrder order() {
        return peer().order();
    }

    private void answer(long tag, PublishListener listener, PublishResult result) {
        answers.add(() -> listener.onPublished(tag, result));
    }

    /** A publish has been answered. */
    void answered(PublishRequest request, PublishResult result) {
        room.giveBack(request.bytes());
        if (!closed) {
            request.listener().onPublished(request.tag(), result);
            room.check();
        }
    }

    private boolean stopped() {
        return closed || shard.stopped();
    }

    void close() {
        closed = true;
        room.close();
    }
}
