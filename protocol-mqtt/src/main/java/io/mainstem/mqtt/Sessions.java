package io.mainstem.mqtt;

import io.mainstem.routing.Broker;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.RetainedTopics;
import io.mainstem.routing.message.MalformedMessageException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
 * <p>Thread: any for the methods that post; callbacks of {@link SessionHolder} come on the own thread.
 */
final class Sessions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);

    private final ScheduledThreadPoolExecutor thread;
    private final InstantSource clock;
    private final Map<String, ClientSlot> slots = new HashMap<>();
    private final BrokerSession broker;
    private final AbsentSessions absent;
    private final int sessionsMax;

    private Sessions(
            ScheduledThreadPoolExecutor thread,
            BrokerSession broker,
            WillPublisher wills,
            InstantSource clock,
            int sessionsMax) {
        this.thread = thread;
        this.broker = broker;
        this.absent = new AbsentSessions(thread, broker, wills, clock, this::grant);
        this.clock = clock;
        this.sessionsMax = sessionsMax;
    }

    /**
     * Reads what the log knows; blocks for it.
     *
     * @param sessionsMax clients that may be connected or have a session; those of the log come in, whatever it is
     */
    static Sessions open(Broker broker, InstantSource clock, int sessionsMax) {
        ScheduledThreadPoolExecutor thread =
                new ScheduledThreadPoolExecutor(1, task -> new Thread(task, "mqtt-sessions"));
        thread.setRemoveOnCancelPolicy(true);
        CompletableFuture<Sessions> opened = new CompletableFuture<>();
        thread.execute(() -> {
            try {
                BrokerSession own =
                        broker.connectTrusted(new ClientInfo("/", "", null, "mqtt-sessions", "mqtt"), thread);
                WillPublisher wills = new WillPublisher(broker, own, thread, clock);
                Sessions sessions = new Sessions(thread, own, wills, clock, sessionsMax);
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
        ClientSlot slot = new ClientSlot();
        slots.put(record.clientId(), slot);
        if (record.disconnectedAtMs() == 0) {
            absent.left(slot, record.disconnectedAt(clock.millis(), record.expirySeconds()), record.will());
        } else {
            slot.stored = record;
            slot.will = record.will();
            absent.arm(slot);
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
        return absent.expired();
    }

    /**
     * Asks for a client id; {@link SessionHolder#granted}, {@link SessionHolder#refused} or {@link SessionHolder#full} follows.
     * A client that is connected or has left a session always has room.
     */
    void claim(String clientId, SessionHolder holder) {
        post(() -> {
            if (slots.size() >= sessionsMax && !slots.containsKey(clientId)) {
                holder.full(sessionsMax);
                return;
            }
            ClientSlot slot = slots.computeIfAbsent(clientId, id -> new ClientSlot());
            if (!slot.admits(holder.user())) {
                holder.refused();
                return;
            }
            SessionHolder older = slot.waiting;
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
    void opening(String clientId, SessionHolder holder) {
        post(() -> {
            ClientSlot slot = slots.get(clientId);
            if (slot != null && slot.holder == holder) {
                if (holder.cleanStart()) {
                    absent.publish(slot.will);
                }
                slot.will = null;
            }
        });
    }

    /** The connection is over before {@link #opening}: the session stays as it was left, with its will. */
    void withdrawn(String clientId, SessionHolder holder) {
        post(() -> {
            ClientSlot slot = slots.get(clientId);
            if (slot == null) {
                return;
            }
            if (slot.waiting == holder) {
                slot.waiting = null;
            } else if (slot.holder == holder) {
                slot.holder = null;
                absent.arm(slot);
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
    void ended(String clientId, SessionHolder holder, @Nullable SessionRecord left, @Nullable WillMessage will) {
        post(() -> {
            ClientSlot slot = slots.get(clientId);
            if (slot == null) {
                return;
            }
            if (slot.holder == holder) {
                slot.holder = null;
                if (left == null) {
                    absent.publish(will);
                    slot.stored = null;
                } else {
                    absent.left(slot, left, will);
                }
            }
            grant(clientId, slot);
        });
    }

    /** What the log holds of a session has changed while its connection goes on. */
    void stored(String clientId, SessionRecord record) {
        post(() -> {
            ClientSlot slot = slots.get(clientId);
            if (slot != null) {
                slot.stored = record;
            }
        });
    }

    private void grant(String clientId, ClientSlot slot) {
        SessionHolder next = slot.waiting;
        if (slot.holder != null || slot.discarding) {
            return;
        }
        if (next == null) {
            if (slot.isUnused()) {
                slots.remove(clientId);
            }
            return;
        }
        slot.waiting = null;
        slot.holder = next;
        slot.disarm();
        next.granted(slot.stored);
    }

    private void post(Runnable task) {
        try {
            thread.execute(() -> guarded(task));
        } catch (RejectedExecutionException stopped) {
            LOG.debug("sessions have stopped");
        }
    }

    static void guarded(Runnable task) {
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
