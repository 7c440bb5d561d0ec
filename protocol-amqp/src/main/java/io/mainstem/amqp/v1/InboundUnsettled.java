package io.mainstem.amqp.v1;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.jspecify.annotations.Nullable;

/**
 * What a link has received and not settled, by delivery-tag: with the outcome, or none while that is not known. It
 * outlives the link, so that a sender that comes back hears what became of its messages.
 *
 * <p>Thread: the event loop of the link that has it; while none has, that of the last one.
 */
final class InboundUnsettled implements Suspension {
    private static final int ENTRY_BYTES = 256;
    /** Most that is carried over to the next link; of what is older nothing is known then. */
    private static final int CARRIED_MAX = 8_192;

    private final Map<Binary, Entry> byTag = new LinkedHashMap<>();
    private final Map<Integer, Entry> byId = new HashMap<>();
    /** Of deliveries that are complete and not published yet. */
    private final Map<Integer, byte[]> tags = new HashMap<>();

    private final TerminusLife life;
    private int unknown;
    private @Nullable Runnable whenKnown;

    private static final class Entry {
        private final Binary tag;
        private @Nullable DeliveryState outcome;

        Entry(byte[] tag) {
            this.tag = new Binary(tag);
        }
    }

    /** @param life how long the target is kept */
    InboundUnsettled(TerminusLife life) {
        this.life = life;
    }

    /** A delivery is complete. */
    void received(int deliveryId, byte[] tag) {
        tags.put(deliveryId, tag);
    }

    /** It was given up by its sender. */
    void aborted(int deliveryId) {
        tags.remove(deliveryId);
    }

    /** It is published, its outcome not known. */
    void published(int deliveryId) {
        byte[] tag = tags.remove(deliveryId);
        if (tag == null) {
            return;
        }
        Entry entry = new Entry(tag);
        byId.put(deliveryId, entry);
        byTag.put(entry.tag, entry);
        unknown++;
    }

    /**
     * The outcome is known.
     *
     * @param settled nothing more is to be said about the delivery
     */
    void answered(int deliveryId, DeliveryState outcome, boolean settled) {
        tags.remove(deliveryId);
        Entry entry = byId.get(deliveryId);
        if (entry == null || entry.outcome != null) {
            return;
        }
        entry.outcome = outcome;
        if (settled) {
            byId.remove(deliveryId);
            byTag.remove(entry.tag);
        }
        noLongerUnknown();
    }

    /** Nobody will ever say what became of it: the sender hears that it came, and no outcome. */
    void lost(int deliveryId) {
        Entry entry = byId.remove(deliveryId);
        if (entry != null && entry.outcome == null) {
            noLongerUnknown();
        }
    }

    private void noLongerUnknown() {
        unknown--;
        Runnable waiting = whenKnown;
        if (unknown == 0 && waiting != null) {
            whenKnown = null;
            waiting.run();
        }
    }

    /** The sender has settled deliveries {@code first} to {@code last}, both included. */
    void settledBySender(int first, int last) {
        byId.entrySet().removeIf(entry -> {
            boolean within = entry.getKey() - first >= 0 && last - entry.getKey() >= 0;
            if (within && entry.getValue().outcome != null) {
                byTag.remove(entry.getValue().tag);
                return true;
            }
            return false;
        });
    }

    /** Goes over to another session, where the old delivery-ids mean nothing. */
    void resume() {
        byId.clear();
        tags.clear();
        Iterator<Entry> oldest = byTag.values().iterator();
        for (int excess = byTag.size() - CARRIED_MAX; excess > 0; excess--) {
            oldest.next();
            oldest.remove();
        }
    }

    /** What became of a delivery that the sender resumes, or null if there is none of that tag. */
    @Nullable
    DeliveryState outcome(byte[] tag) {
        Entry entry = byTag.get(new Binary(tag));
        return entry == null ? null : entry.outcome;
    }

    /** The sender resumes a delivery of which the outcome is known. */
    void resumed(int deliveryId, byte[] tag, boolean settled) {
        Entry entry = byTag.get(new Binary(tag));
        if (entry != null && settled) {
            byTag.remove(entry.tag);
        } else if (entry != null) {
            byId.put(deliveryId, entry);
        }
    }

    /** Forgets what the sender has settled without our knowing. */
    void retain(Set<Binary> tags) {
        byTag.keySet().retainAll(tags);
    }

    /** Outcomes by tag. */
    Map<Binary, @Nullable DeliveryState> outcomes() {
        Map<Binary, @Nullable DeliveryState> outcomes = new LinkedHashMap<>();
        byTag.forEach((tag, entry) -> outcomes.put(tag, entry.outcome));
        return outcomes;
    }

    boolean isEmpty() {
        return byTag.isEmpty();
    }

    /** Deliveries of the link that has it now of which something is still to be said, by either side. */
    int open() {
        return byId.size();
    }

    @Override
    public TerminusLife life() {
        return life;
    }

    @Override
    public boolean isIdle() {
        return isEmpty();
    }

    @Override
    public @Nullable Suspension beginAnew() {
        discard();
        return null;
    }

    @Override
    public long bytes() {
        return (long) ENTRY_BYTES * byTag.size();
    }

    @Override
    public CompletionStage<@Nullable Suspension> moveTo(Executor loop) {
        CompletableFuture<@Nullable Suspension> moved = new CompletableFuture<>();
        Runnable move = () -> loop.execute(() -> moved.complete(this));
        if (unknown == 0) {
            move.run();
        } else {
            whenKnown = move;
        }
        return moved;
    }

    @Override
    public void discard() {
        byTag.clear();
        byId.clear();
    }

    @Override
    public void expire() {
        discard();
    }
}
