package io.mainstem.mqtt;

import io.mainstem.routing.Broker;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.RetainedTopics;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.MalformedMessageException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who has which client id, and what becomes of sessions nobody is connected to: takeover, expiry, delayed wills
 * [S-5]. Has one thread, on which everything here runs; callers hand over and go on.
 *
 * <p>Thread: any for the methods that post; callbacks of {@link Holder} come on the own thread.
 */
final class Sessions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);
    /** Later than any sensible expiry; timers beyond it are looked at again then. */
    private static final long TIMER_MS_MAX = TimeUnit.DAYS.toMillis(30);

    private final ScheduledThreadPoolExecutor thread;
    private final InstantSource clock;
    private long expired;
    private final Map<String, Slot> slots = new HashMap<>();
    private final Broker access;
    private final BrokerSession broker;

    /** A connection that has, or waits for, a client id. */
    interface Holder {
        /** Who asks; null = an anonymous client. */
        @Nullable
        String user();

        /** True if what is there of the session is to go. */
        boolean cleanStart();

        /**
         * The id is its own.
         *
         * @param left the session as it was left, or null if there is none
         */
        void granted(@Nullable SessionRecord left);

        /** The id belongs to another user, whose session stays as it is. */
        void refused();

        /** Another connection wants the id: leave, and say so with {@link Sessions#ended}. */
        void takenOver();
    }

    /** One client id. */
    private static final class Slot {
        @Nullable
        Holder holder;

        @Nullable
        Holder waiting;

        /** What is in the log. */
        @Nullable
        SessionRecord stored;

        /** Not published yet, nobody connected. */
        @Nullable
        WillMessage will;

        @Nullable
        Future<?> expiry;

        @Nullable
        Future<?> willTimer;

        boolean discarding;

        /** A user's id is that user's alone; one of anonymous clients is everybody's. */
        boolean admits(@Nullable String user) {
            return (holder == null || admits(holder.user(), user))
                    && (waiting == null || admits(waiting.user(), user))
                    && (stored == null || admits(stored.user(), user));
        }

        private static boolean admits(@Nullable String owner, @Nullable String user) {
            return owner == null || owner.equals(user);
        }
    }

    private Sessions(ScheduledThreadPoolExecutor thread, Broker access, BrokerSession broker, InstantSource clock) {
        this.thread = thread;
        this.access = access;
        this.broker = broker;
        this.clock = clock;
    }

    /** Reads what the log knows; blocks for it. */
    static Sessions open(Broker broker, InstantSource clock) {
        ScheduledThreadPoolExecutor thread =
                new ScheduledThreadPoolExecutor(1, task -> new Thread(task, "mqtt-sessions"));
        thread.setRemoveOnCancelPolicy(true);
        CompletableFuture<Sessions> opened = new CompletableFuture<>();
        thread.execute(() -> {
            try {
                BrokerSession own =
                        broker.connectTrusted(new ClientInfo("/", "", null, "mqtt-sessions", "mqtt"), thread);
                Sessions sessions = new Sessions(thread, broker, own, clock);
                sessions.load(opened);
            } catch (RuntimeException failed) {
                opened.completeExceptionally(failed);
            }
        });
        try {
            return opened.join();
        } catch (CompletionException failed) {
            thread.shutdownNow();
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    private void load(CompletableFuture<Sessions> opened) {
        var unused = broker.records(SessionStore.SESSIONS).whenComplete((records, failure) -> {
            if (failure != null) {
                opened.completeExceptionally(failure);
                return;
            }
            try {
                records.values().forEach(value -> recovered(SessionRecord.decode(value)));
                opened.complete(this);
            } catch (MalformedMessageException damaged) {
                opened.completeExceptionally(damaged);
            }
        });
        broker.flush();
    }

    /** A session of the log: a client that was connected is gone since now. */
    private void recovered(SessionRecord record) {
        Slot slot = new Slot();
        slots.put(record.clientId(), slot);
        if (record.disconnectedAtMs() == 0) {
            left(slot, record.disconnectedAt(clock.millis(), record.expirySeconds()), record.will());
        } else {
            slot.stored = record;
            slot.will = record.will();
            arm(slot);
        }
    }

    /** Runs a task on the own thread every so many seconds, for the first time now. */
    void repeat(int seconds, Runnable task) {
        var unused = thread.scheduleWithFixedDelay(() -> guarded(task), 0, seconds, TimeUnit.SECONDS);
    }

    /** Retained messages of the virtual host. */
    RetainedTopics retained() {
        return broker.retained();
    }

    /** The own door to the broker, to which everything is permitted. Thread: the own one. */
    BrokerSession broker() {
        return broker;
    }

    /** Client ids that are connected or have a session. Thread: the own one. */
    int known() {
        return slots.size();
    }

    /** Sessions that have expired since the start. Thread: the own one. */
    long expired() {
        return expired;
    }

    /** Asks for a client id; {@link Holder#granted} or {@link Holder#refused} follows. */
    void claim(String clientId, Holder holder) {
        post(() -> {
            Slot slot = slots.computeIfAbsent(clientId, id -> new Slot());
            if (!slot.admits(holder.user())) {
                holder.refused();
                return;
            }
            Holder older = slot.waiting;
            slot.waiting = holder;
            if (older != null) {
                older.takenOver();
            } else if (slot.holder != null) {
                slot.holder.takenOver();
            }
            grant(clientId, slot);
        });
    }

    /** The connection goes on with the session or ends it: the will that waited is not needed, or due. */
    void opening(String clientId, Holder holder) {
        post(() -> {
            Slot slot = slots.get(clientId);
            if (slot != null && slot.holder == holder) {
                if (holder.cleanStart()) {
                    publish(slot.will);
                }
                slot.will = null;
            }
        });
    }

    /** The connection is over before {@link #opening}: the session stays as it was left, with its will. */
    void withdrawn(String clientId, Holder holder) {
        post(() -> {
            Slot slot = slots.get(clientId);
            if (slot == null) {
                return;
            }
            if (slot.waiting == holder) {
                slot.waiting = null;
            } else if (slot.holder == holder) {
                slot.holder = null;
                arm(slot);
            }
            grant(clientId, slot);
        });
    }

    /**
     * The connection is over; it has closed its broker session before.
     *
     * @param left the session as it stands, disconnected; null = nothing is to stay
     * @param will to be published now or later, or null
     */
    void ended(String clientId, Holder holder, @Nullable SessionRecord left, @Nullable WillMessage will) {
        post(() -> {
            Slot slot = slots.get(clientId);
            if (slot == null) {
                return;
            }
            if (slot.holder == holder) {
                slot.holder = null;
                if (left == null) {
                    publish(will);
                    slot.stored = null;
                } else {
                    left(slot, left, will);
                }
            }
            grant(clientId, slot);
        });
    }

    /** What the log holds of a session has changed while its connection goes on. */
    void stored(String clientId, SessionRecord record) {
        post(() -> {
            Slot slot = slots.get(clientId);
            if (slot != null) {
                slot.stored = record;
            }
        });
    }

    private void grant(String clientId, Slot slot) {
        Holder next = slot.waiting;
        if (slot.holder != null || slot.discarding) {
            return;
        }
        if (next == null) {
            if (slot.stored == null && slot.will == null) {
                slots.remove(clientId);
            }
            return;
        }
        slot.waiting = null;
        slot.holder = next;
        cancelTimers(slot);
        next.granted(slot.stored);
    }

    /** Nobody is connected any more. */
    private void left(Slot slot, SessionRecord left, @Nullable WillMessage will) {
        boolean later = will != null && will.delaySeconds() > 0 && left.outlivesConnection();
        SessionRecord record = later ? left : left.withoutWill();
        if (!later) {
            publish(will);
        }
        slot.will = later ? will : null;
        if (left.outlivesConnection()) {
            slot.stored = record;
            store(record);
            arm(slot);
        } else {
            discard(record.clientId(), slot);
        }
    }

    private void store(SessionRecord record) {
        var unused = broker.keep(List.of(new SessionStore(broker, record.clientId()).session(record)));
        broker.flush();
    }

    private void discard(String clientId, Slot slot) {
        slot.discarding = true;
        var unused = new SessionStore(broker, clientId).discard().whenComplete((done, failure) -> {
            slot.discarding = false;
            slot.stored = null;
            grant(clientId, slot);
        });
    }

    private void arm(Slot slot) {
        cancelTimers(slot);
        SessionRecord record = slot.stored;
        if (record == null) {
            return;
        }
        long now = clock.millis();
        if (record.endsAtMs() != Long.MAX_VALUE) {
            slot.expiry = after(record.endsAtMs() - now, () -> expire(slot));
        }
        WillMessage will = slot.will;
        if (will != null) {
            slot.willTimer = after(willDueMs(record, will) - now, () -> publishWill(slot));
        }
    }

    private void expire(Slot slot) {
        SessionRecord record = slot.stored;
        if (record == null || slot.holder != null) {
            return;
        }
        if (record.endsAtMs() > clock.millis()) {
            arm(slot);
            return;
        }
        expired++;
        publish(slot.will);
        slot.will = null;
        cancelTimers(slot);
        discard(record.clientId(), slot);
    }

    private static long willDueMs(SessionRecord record, WillMessage will) {
        return Math.min(record.disconnectedAtMs() + will.delaySeconds() * 1000, record.endsAtMs());
    }

    private void publishWill(Slot slot) {
        SessionRecord record = slot.stored;
        WillMessage will = slot.will;
        if (record != null && slot.holder == null && will != null) {
            if (willDueMs(record, will) > clock.millis()) {
                arm(slot);
                return;
            }
            publish(will);
            slot.will = null;
            slot.stored = record.withoutWill();
            store(slot.stored);
        }
    }

    private void publish(@Nullable WillMessage will) {
        if (will == null) {
            return;
        }
        Envelope envelope = will.message().envelope();
        try {
            requirePermitted(envelope);
            broker.publish(will.publishedAt(clock.millis()), 0, (tag, result) -> {
                if (result instanceof PublishResult.Refused || result instanceof PublishResult.Unknown) {
                    notPublished(envelope, result.toString());
                }
            });
            broker.flush();
        } catch (BrokerException refused) {
            notPublished(envelope, String.valueOf(refused.getMessage()));
        }
    }

    /** The rights of the client's user may have gone since CONNECT, or the user itself. */
    private void requirePermitted(Envelope will) {
        BrokerSession its =
                access.connect(new ClientInfo("/", will.publisherId(), will.user(), "mqtt-will", "mqtt"), thread);
        try {
            its.requirePublish(will.exchange(), will.routingKey());
        } finally {
            its.close();
        }
    }

    private static void notPublished(Envelope will, String why) {
        LOG.warn(
                "MS-0617 will not published client-id='{}' topic='{}' reason=\"{}\"",
                Topics.shown(will.publisherId()),
                Topics.shown(will.routingKey()),
                why);
    }

    private static void cancelTimers(Slot slot) {
        List<Future<?>> timers = new ArrayList<>(2);
        if (slot.expiry != null) {
            timers.add(slot.expiry);
        }
        if (slot.willTimer != null) {
            timers.add(slot.willTimer);
        }
        timers.forEach(timer -> timer.cancel(false));
        slot.expiry = null;
        slot.willTimer = null;
    }

    private Future<?> after(long ms, Runnable task) {
        return thread.schedule(() -> guarded(task), Math.max(0, Math.min(ms, TIMER_MS_MAX)), TimeUnit.MILLISECONDS);
    }

    private void post(Runnable task) {
        try {
            thread.execute(() -> guarded(task));
        } catch (RejectedExecutionException stopped) {
            LOG.debug("sessions have stopped");
        }
    }

    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException defect) {
            LOG.error("MS-0611 internal error in the session register fix: report this with the stack trace", defect);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
