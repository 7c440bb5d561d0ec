package io.mainstem.mqtt;

import io.mainstem.routing.BrokerSession;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of sessions nobody is connected to [S-5]: they wait in the log, their wills are published, they expire.
 * Thread: that of {@link Sessions}.
 */
final class AbsentSessions {
    /** Later than any sensible expiry; timers beyond it are looked at again then. */
    private static final long TIMER_MS_MAX = TimeUnit.DAYS.toMillis(30);

    private final ScheduledExecutorService thread;
    private final BrokerSession broker;
    private final WillPublisher wills;
    private final InstantSource clock;
    private final BiConsumer<String, ClientSlot> onDiscarded;
    private long expired;

    /** @param onDiscarded told the client id when nothing is left of its session */
    AbsentSessions(
            ScheduledExecutorService thread,
            BrokerSession broker,
            WillPublisher wills,
            InstantSource clock,
            BiConsumer<String, ClientSlot> onDiscarded) {
        this.thread = thread;
        this.broker = broker;
        this.wills = wills;
        this.clock = clock;
        this.onDiscarded = onDiscarded;
    }

    /** Sessions that have expired since the start. */
    long expired() {
        return expired;
    }

    /**
     * Nobody is connected any more.
     *
     * @param left the session as it stands
     * @param will to be published now or later, or null
     */
    void left(ClientSlot slot, SessionRecord left, @Nullable WillMessage will) {
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

    private void discard(String clientId, ClientSlot slot) {
        slot.discarding = true;
        var unused = new SessionStore(broker, clientId).discard().whenComplete((done, failure) -> {
            slot.discarding = false;
            slot.stored = null;
            onDiscarded.accept(clientId, slot);
        });
    }

    /** Sees to it that what is due comes in time, as long as nobody connects. */
    void arm(ClientSlot slot) {
        SessionRecord record = slot.stored;
        if (record == null) {
            slot.disarm();
            return;
        }
        long now = clock.millis();
        WillMessage will = slot.will;
        slot.arm(
                record.endsAtMs() == Long.MAX_VALUE ? null : after(record.endsAtMs() - now, () -> expire(slot)),
                will == null ? null : after(willDueMs(record, will) - now, () -> publishWill(slot)));
    }

    private void expire(ClientSlot slot) {
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
        slot.disarm();
        discard(record.clientId(), slot);
    }

    private static long willDueMs(SessionRecord record, WillMessage will) {
        return Math.min(record.disconnectedAtMs() + will.delaySeconds() * 1000, record.endsAtMs());
    }

    private void publishWill(ClientSlot slot) {
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

    /** Now. */
    void publish(@Nullable WillMessage will) {
        if (will != null) {
            wills.publish(will);
        }
    }

    private Future<?> after(long ms, Runnable task) {
        return thread.schedule(
                () -> Sessions.guarded(task), Math.max(0, Math.min(ms, TIMER_MS_MAX)), TimeUnit.MILLISECONDS);
    }
}
