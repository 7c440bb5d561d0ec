package io.mainstem.amqp.v1;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.LinkError;
import org.jspecify.annotations.Nullable;

/**
 * The links of all connections by name. A name that is attached again while it is in use moves to the new link, also
 * from another connection of the same container (AMQP 1.0 part 2, 2.6.1). Subscriptions that live until their session or
 * connection ends wait here for the next link of their name, at most {@value #WAITING_MAX} a connection: beyond that the one
 * that waits longest ends.
 *
 * <p>Thread: any.
 */
final class LinkDirectory {
    static final int WAITING_MAX = 256;

    private final Map<LinkKey, Attached> attached = new HashMap<>();
    private final Map<LinkKey, Waiting> waiting = new HashMap<>();
    /** The same by connection, oldest first. */
    private final Map<AmqpConnection, LinkedHashMap<LinkKey, Waiting>> byConnection = new HashMap<>();

    private record Attached(AmqpLink link, EventExecutor loop) {}

    /** @param awaits the session or connection with which it ends */
    private record Waiting(SessionConsumer consumer, EventExecutor loop, Object awaits) {}

    /**
     * Gives a name to a link.
     *
     * @return what it goes on with, or null, completed on {@code loop} when the name is free; null if it is already
     */
    @Nullable
    CompletionStage<@Nullable SessionConsumer> claim(LinkKey key, AmqpLink link, EventExecutor loop) {
        Attached holder;
        synchronized (this) {
            holder = attached.put(key, new Attached(link, loop));
        }
        AmqpConnection connection = link.session.connection();
        if (holder != null) {
            return steal(holder, key, loop).thenCompose(gone -> {
                Waiting left = take(key);
                return left == null
                        ? CompletableFuture.<@Nullable SessionConsumer>completedFuture(null)
                        : handOver(left, connection, loop);
            });
        }
        Waiting left = take(key);
        return left == null ? null : handOver(left, connection, loop);
    }

    private static CompletionStage<@Nullable Void> steal(Attached holder, LinkKey key, EventExecutor loop) {
        ErrorCondition error =
                new ErrorCondition(LinkError.STOLEN, "MS-0507 attached again under the name " + key.name());
        CompletableFuture<@Nullable Void> left = new CompletableFuture<>();
        CompletableFuture<@Nullable Void> here = new CompletableFuture<>();
        AmqpConnection old = holder.link().session.connection();
        Runnable steal = () -> {
            holder.link().steal(error, left);
            old.scheduleFlush();
        };
        if (holder.loop() == loop) {
            var unused = left.thenAccept(here::complete);
            steal.run();
        } else {
            // What the old link gives back has to be with the broker before the new one asks for it.
            var unused = left.thenRun(
                    () -> old.settled().whenComplete((done, gone) -> loop.execute(() -> here.complete(null))));
            holder.loop().execute(steal);
        }
        return here;
    }

    /** To a link of the same connection; others begin anew. */
    private static CompletionStage<@Nullable SessionConsumer> handOver(
            Waiting left, AmqpConnection connection, EventExecutor loop) {
        CompletableFuture<@Nullable SessionConsumer> here = new CompletableFuture<>();
        SessionConsumer consumer = left.consumer();
        if (consumer.connection() == connection) {
            var unused = consumer.settled().thenAccept(here::complete);
        } else {
            left.loop().execute(() -> {
                consumer.close();
                consumer.settled().thenAccept(ended -> loop.execute(() -> here.complete(null)));
            });
        }
        return here;
    }

    /** The link does not use its name any more. */
    synchronized void leave(LinkKey key, AmqpLink link) {
        Attached holder = attached.get(key);
        if (holder != null && holder.link() == link) {
            attached.remove(key);
        }
    }

    /**
     * The link has gone, and its subscription waits. On its event loop.
     *
     * @param awaits with what it {@linkplain #ended ends}
     */
    void keep(LinkKey key, SessionConsumer consumer, EventExecutor loop, Object awaits) {
        Waiting excess;
        synchronized (this) {
            Waiting before = remove(key);
            Waiting entry = new Waiting(consumer, loop, awaits);
            waiting.put(key, entry);
            LinkedHashMap<LinkKey, Waiting> own =
                    byConnection.computeIfAbsent(consumer.connection(), none -> new LinkedHashMap<>());
            own.put(key, entry);
            Iterator<LinkKey> oldest = own.keySet().iterator();
            excess = own.size() > WAITING_MAX ? remove(oldest.next()) : before;
        }
        if (excess != null) {
            excess.loop().execute(excess.consumer()::close);
        }
    }

    /** A session or connection has ended, and with it what waited until then. On its event loop. */
    void ended(AmqpConnection connection, Object owner) {
        List<Waiting> over = new ArrayList<>();
        synchronized (this) {
            Map<LinkKey, Waiting> own = byConnection.getOrDefault(connection, new LinkedHashMap<>());
            List.copyOf(own.entrySet()).forEach(entry -> {
                if (owner == connection || entry.getValue().awaits() == owner) {
                    over.add(entry.getValue());
                    remove(entry.getKey());
                }
            });
        }
        over.forEach(each -> each.consumer().close());
    }

    private synchronized @Nullable Waiting take(LinkKey key) {
        return remove(key);
    }

    private @Nullable Waiting remove(LinkKey key) {
        Waiting entry = waiting.remove(key);
        if (entry != null) {
            AmqpConnection connection = entry.consumer().connection();
            LinkedHashMap<LinkKey, Waiting> own = byConnection.get(connection);
            if (own != null && own.remove(key) != null && own.isEmpty()) {
                byConnection.remove(connection);
            }
        }
        return entry;
    }

    /** Subscriptions that wait for a link. */
    synchronized int waitingCount() {
        return waiting.size();
    }
}
