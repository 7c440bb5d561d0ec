package io.mainstem.amqp.v1;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * A node that a link made for itself or for others (AMQP 1.0 part 3, 3.5.10 to 3.5.13). It goes as its {@link NodeLife}
 * says, at the latest with its connection.
 *
 * <p>Thread: the event loop of the connection that made it.
 */
final class DynamicNode {
    /** When one that only messages keep is looked at again; each time that it is kept it is twice as long. */
    private static final int LOOK_MS_MIN = 250;

    private static final int LOOK_MS_MAX = 30_000;

    private final String address;
    private final NodeLife life;
    private final TerminusExpiryPolicy expiry;
    private final EventExecutor loop;
    private final Removal removal;
    private final Consumer<DynamicNode> onGone;
    /** Links to it, besides the one that made it. */
    private int others;
    /** Its link may be detached, but is not over. */
    private boolean hasLink = true;

    private int lookMs = LOOK_MS_MIN;
    private @Nullable CompletionStage<?> removed;
    private boolean closed;

    /** Takes the node away. */
    interface Removal {
        /**
         * Completes when it is gone, exceptionally if it cannot go.
         *
         * @param ifEmpty not while there are messages
         */
        CompletionStage<?> remove(boolean ifEmpty);
    }

    /**
     * @param expiry when a detached link is over
     * @param onGone told when the node is gone
     */
    DynamicNode(
            String address,
            NodeLife life,
            TerminusExpiryPolicy expiry,
            EventExecutor loop,
            Removal removal,
            Consumer<DynamicNode> onGone) {
        this.address = address;
        this.life = life;
        this.expiry = expiry;
        this.loop = loop;
        this.removal = removal;
        this.onGone = onGone;
    }

    String address() {
        return address;
    }

    TerminusExpiryPolicy expiry() {
        return expiry;
    }

    /** From any thread: a link to it is there. */
    void joined() {
        loop.execute(() -> others++);
    }

    /** From any thread: that link is over. */
    void left() {
        loop.execute(() -> {
            others--;
            var unused = look();
        });
    }

    /** The link that made it is over; completes when the node is gone, if it goes now. */
    CompletionStage<?> ended() {
        hasLink = false;
        return look();
    }

    /** The connection is over, and with it all that it made. */
    void close() {
        closed = true;
    }

    private CompletionStage<?> look() {
        CompletionStage<?> before = removed;
        if (before != null) {
            return before;
        }
        if (closed || hasLink || (life.byLinks && others > 0)) {
            return CompletableFuture.completedFuture(null);
        }
        CompletionStage<?> now = removal.remove(life.byMessages).whenComplete((done, failure) -> {
            if (failure == null || AmqpErrors.isNotFound(failure)) {
                onGone.accept(this);
            }
        });
        if (!life.byMessages) {
            removed = now;
            return now;
        }
        removed = now;
        return now.handle((done, notEmpty) -> {
            if (notEmpty != null && !AmqpErrors.isNotFound(notEmpty)) {
                removed = null;
                lookLater();
            }
            return done;
        });
    }

    private void lookLater() {
        if (!closed) {
            var unused = loop.schedule(this::look, lookMs, TimeUnit.MILLISECONDS);
            lookMs = Math.min(2 * lookMs, LOOK_MS_MAX);
        }
    }
}
