package io.mainstem.amqp.v1;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.PublishListener;
import io.mainstem.routing.message.Message;
import io.mainstem.transport.WriteGate;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a connection's publishes go to the broker, and are held back while it has no room: first by credit, which
 * links ask about here, then by not reading the socket. Thread: the connection's event loop.
 */
final class PublishGate {
    private static final Logger LOG = LoggerFactory.getLogger(PublishGate.class);
    /**
     * Bytes of publishes that came while the broker is blocked and are not answered, from which on the socket is not read.
     * Below it reading goes on however long the block lasts: acks and closes come on the same socket [L-10].
     */
    private static final long BLOCKED_BYTES_MAX = 8 << 20;

    private static final int BLOCKED_TELL_MS = 1_000;

    private final AmqpConnection connection;
    private final BrokerSession broker;
    /** Tells the links that they are held back. */
    private final Runnable held;
    /** Lets links ask for credit again. */
    private final Runnable reopened;

    private boolean closed;
    private boolean blocked;
    private long blockedBytes;
    private int blockedEpisodes;

    PublishGate(AmqpConnection connection, BrokerSession broker, Runnable held, Runnable reopened) {
        this.connection = connection;
        this.broker = broker;
        this.held = held;
        this.reopened = reopened;
    }

    void publish(Message message, long tag, PublishListener listener) {
        if (!isBlocked()) {
            broker.publish(message, tag, listener);
            return;
        }
        long bytes = message.sectionBytes();
        blockedBytes += bytes;
        broker.publish(message, tag, (answered, result) -> {
            blockedBytes -= bytes;
            if (blockedBytes <= BLOCKED_BYTES_MAX / 2) {
                connection.gate().resume(WriteGate.Pause.BROKER_BLOCKED);
            }
            listener.onPublished(answered, result);
        });
        if (blockedBytes > BLOCKED_BYTES_MAX) {
            connection.gate().pause(WriteGate.Pause.BROKER_BLOCKED);
        }
    }

    /** True while no credit may be granted to senders; ends by itself. */
    boolean isBlocked() {
        if (!blocked && !broker.writable()) {
            block();
        }
        return blocked;
    }

    private void block() {
        blocked = true;
        blockedEpisodes++;
        broker.onWritable(this::unblocked);
        int episode = blockedEpisodes;
        // A large message alone can block for a moment; only what lasts is worth a word.
        var unused = connection
                .context()
                .executor()
                .schedule(() -> tellIfStillBlocked(episode), BLOCKED_TELL_MS, TimeUnit.MILLISECONDS);
    }

    /** Why no credit may be granted, for people. */
    String reason() {
        return "MS-0513 publishers held back: " + broker.blockedReason();
    }

    private void tellIfStillBlocked(int episode) {
        if (blocked && !closed && episode == blockedEpisodes) {
            LOG.warn("MS-0513 publishers held back peer={} reason=\"{}\"", connection.peer(), broker.blockedReason());
            held.run();
            connection.scheduleFlush();
        }
    }

    private void unblocked() {
        blocked = false;
        if (closed) {
            return;
        }
        connection.gate().resume(WriteGate.Pause.BROKER_BLOCKED);
        reopened.run();
        connection.scheduleFlush();
    }

    /** The connection is gone. */
    void close() {
        closed = true;
    }
}
