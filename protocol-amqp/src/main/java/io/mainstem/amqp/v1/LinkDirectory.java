package io.mainstem.amqp.v1;

import io.netty.util.concurrent.EventExecutor;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.LinkError;
import org.jspecify.annotations.Nullable;

/**
 * The links of all connections by name. A name that is attached again while it is in use moves to the new link, also
 * from another connection of the same container (AMQP 1.0 part 2, 2.6.1); what is kept of a link that is gone waits here
 * for the next one of its name. Bounded: beyond {@value #SUSPENDED_MAX} links or {@value #SUSPENDED_BYTES_MAX} bytes what
 * is kept of those that wait longest is given up, as if they began anew; their termini stay.
 *
 * <p>Thread: any.
 */
final class LinkDirectory {
    private static final int SUSPENDED_MAX = 1_000;
    private static final long SUSPENDED_BYTES_MAX = 64 << 20;

    private final Map<LinkKey, Attached> attached = new HashMap<>();
    private final LinkedHashMap<LinkKey, Suspended> suspended = new LinkedHashMap<>();
    private long suspendedBytes;

    private record Attached(AmqpLink link, EventExecutor loop) {}

    /** @param awaits what has to end before its time counts, or null */
    private record Suspended(
            Suspension what,
            EventExecutor loop,
            long bytes,
            @Nullable Object awaits) {}

    /**
     * Gives a name to a link.
     *
     * @return what is left of the one that had it, completed on {@code loop}; null if nobody had it
     */
    @Nullable
    CompletionStage<@Nullable Suspension> claim(LinkKey key, AmqpLink link, EventExecutor loop) {
        Attached holder;
        Suspended waiting;
        synchronized (this) {
            holder = attached.put(key, new Attached(link, loop));
            waiting = remove(key);
        }
        if (holder != null) {
            return steal(holder, key, loop);
        }
        return waiting == null ? null : take(waiting, loop);
    }

    private static CompletionStage<@Nullable Suspension> steal(Attached holder, LinkKey key, EventExecutor loop) {
        ErrorCondition error =
                new ErrorCondition(LinkError.STOLEN, "MS-0507 attached again under the name " + key.name());
        CompletableFuture<@Nullable Suspension> left = new CompletableFuture<>();
        CompletableFuture<@Nullable Suspension> here = new CompletableFuture<>();
        boolean sameLoop = holder.loop() == loop;
        var unused = left.thenAccept(what -> {
            if (what != null) {
                what.moveTo(loop).thenAccept(here::complete);
            } else if (sameLoop) {
                here.complete(null);
            } else {
                loop.execute(() -> here.complete(null));
            }
        });
        Runnable steal = () -> {
            holder.link().steal(error, left);
            holder.link().session.connection().scheduleFlush();
        };
        if (sameLoop) {
            steal.run();
        } else {
            holder.loop().execute(steal);
        }
        return here;
    }

    private static CompletionStage<@Nullable Suspension> take(Suspended waiting, EventExecutor loop) {
        CompletableFuture<@Nullable Suspension> here = new CompletableFuture<>();
        waiting.loop().execute(() -> waiting.what().moveTo(loop).thenAccept(here::complete));
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
     * The link has gone, and this is left of it.
     *
     * @param awaits the session or connection that has to {@linkplain #ended end} before its time counts; null = none
     */
    void suspend(LinkKey key, AmqpLink link, Suspension what, EventExecutor loop, @Nullable Object awaits) {
        Suspended entry = new Suspended(what, loop, what.bytes(), awaits);
        boolean taken;
        synchronized (this) {
            Attached holder = attached.get(key);
            taken = holder != null && holder.link() != link;
            if (!taken) {
                attached.remove(key);
                remove(key);
                suspended.put(key, entry);
                suspendedBytes += entry.bytes();
            }
        }
        if (taken) {
            what.discard();
            return;
        }
        if (awaits == null) {
            startTime(key, entry);
        }
        giveUpOldest();
    }

    /** A session or connection has ended: the time of what it kept alive counts from now on. On its event loop. */
    void ended(Object owner) {
        Map<LinkKey, Suspended> waiting = new HashMap<>();
        synchronized (this) {
            suspended.forEach((key, entry) -> {
                if (entry.awaits() == owner) {
                    waiting.put(key, entry);
                }
            });
        }
        waiting.forEach((key, entry) -> {
            if (!entry.what().isIdle()) {
                startTime(key, entry);
            } else if (take(key, entry)) {
                entry.what().discard();
            }
        });
    }

    private void startTime(LinkKey key, Suspended entry) {
        long ms = entry.what().life().keptMs();
        if (ms >= 0) {
            var unused = entry.loop().schedule(() -> expire(key, entry), ms, TimeUnit.MILLISECONDS);
        }
    }

    private void expire(LinkKey key, Suspended entry) {
        if (take(key, entry)) {
            entry.what().expire();
        }
    }

    /** Takes it out, if it still waits. */
    private synchronized boolean take(LinkKey key, Suspended entry) {
        boolean waits = entry.equals(suspended.get(key));
        if (waits) {
            remove(key);
        }
        return waits;
    }

    private void giveUpOldest() {
        while (true) {
            Suspended oldest;
            synchronized (this) {
                if (suspended.size() <= SUSPENDED_MAX && suspendedBytes <= SUSPENDED_BYTES_MAX) {
                    return;
                }
                Iterator<LinkKey> first = suspended.keySet().iterator();
                oldest = remove(first.next());
            }
            if (oldest != null) {
                oldest.loop().execute(oldest.what()::discard);
            }
        }
    }

    private @Nullable Suspended remove(LinkKey key) {
        Suspended entry = suspended.remove(key);
        if (entry != null) {
            suspendedBytes -= entry.bytes();
        }
        return entry;
    }

    /** Links that wait to be resumed. */
    synchronized int suspendedCount() {
        return suspended.size();
    }
}
