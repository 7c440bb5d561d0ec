package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import io.mainstem.store.Cursor;
import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.Route;
import io.mainstem.store.ShardStore;

/**
 * Consumers that see ready messages and take none: each goes through the lanes on its own, highest priority first, and
 * sees what arrives behind the place it has come to. Thread: shard only.
 */
final class Browsing {
    private static final int DELIVERIES_PER_TURN = 256;
    private static final int TRANSIENT = Route.LANES_MAX;

    private final Shard shard;
    private final ShardStore store;
    private final LogReads reads;
    private final Selecting selecting;

    Browsing(Shard shard, ShardStore store, LogReads reads, Selecting selecting) {
        this.shard = shard;
        this.store = store;
        this.reads = reads;
        this.selecting = selecting;
    }

    /** Shows a browser what it has not seen; true if its turn ended early. */
    boolean show(MessageQueue queue, Consumer browser, TurnBudget budget) {
        int given = Math.min(DELIVERIES_PER_TURN, Math.max(1, budget.left()));
        int left = given;
        Step step = Step.DELIVERED;
        while (step == Step.DELIVERED && browser.credit() > 0 && left-- > 0) {
            step = browseNext(queue, browser);
        }
        budget.spend(Math.max(1, given - left));
        if (browser.draining() && (step == Step.NOTHING || browser.credit() <= 0)) {
            browser.drained();
        }
        if (browser.credit() <= 0 || step == Step.NOTHING) {
            reads.discard(browser);
        }
        return step == Step.LATER || (left <= 0 && step == Step.DELIVERED);
    }

    private Step browseNext(MessageQueue queue, Consumer browser) {
        for (int priority = Dispatcher.highest(queue.lanesReady()); priority >= 0; priority--) {
            Step step = browseStored(queue, browser, priority);
            if (step == Step.NOTHING) {
                step = browseInMemory(queue, browser, priority);
            }
            if (step != Step.NOTHING) {
                return step;
            }
        }
        return Step.NOTHING;
    }

    private Step browseStored(MessageQueue queue, Consumer browser, int priority) {
        Lane lane = store.lane(queue.laneId(priority));
        long index = lane == null ? -1 : lane.cursor().nextFrom(browser.browsed(priority));
        while (lane != null && index >= 0) {
            Entry entry = lane.entry(index);
            if (entry == null) {
                lane.fetch(index, () -> shard.dispatcher().markDirty(queue));
                return Step.WAITING;
            }
            Message found = reads.inMemory(browser, priority, entry);
            boolean undeliverable = shard.expiry().undeliverable(queue, entry, found);
            Message message =
                    found == null ? null : shard.annotated().over(queue, Held.Stored.key(priority, index), found);
            if (message == null && !undeliverable) {
                reads.request(browser, priority, lane, entry, entriesAhead(browser));
                return Step.WAITING;
            }
            browser.browsed(priority, index + 1);
            reads.seen(browser, priority, entry);
            int failed = queue.failedCount(lane, priority, index);
            if (message != null
                    && !undeliverable
                    && selecting.matches(browser.spec().selector(), message, failed)) {
                Cursor cursor = lane.cursor();
                browser.show(message, failed, cursor.redelivered(index), cursor.unseen(index), index);
                return Step.DELIVERED;
            }
            if (selecting.turnOver()) {
                return Step.LATER;
            }
            index = lane.cursor().nextFrom(index + 1);
        }
        return Step.NOTHING;
    }

    private static int entriesAhead(Consumer browser) {
        return browser.spec().selector() == null
                ? (int) Math.min(LogReads.ENTRIES_AHEAD_MAX, browser.credit())
                : LogReads.ENTRIES_AHEAD_MAX;
    }

    private Step browseInMemory(MessageQueue queue, Consumer browser, int priority) {
        TransientLane lane = queue.transientLane(priority);
        TransientMessage next = lane == null ? null : lane.nextFrom(browser.browsed(TRANSIENT + priority));
        while (lane != null && next != null) {
            Message found = next.message();
            if (found == null) {
                shard.transients().fetch(next, () -> shard.dispatcher().markDirty(queue));
                return Step.WAITING;
            }
            Message message = shard.annotated().over(queue, Held.InMemory.key(next), found);
            next.chunk().used = true;
            browser.browsed(TRANSIENT + priority, next.sequence() + 1);
            if (!shard.expiry().undeliverable(queue, next)
                    && selecting.matches(browser.spec().selector(), message, next.failed())) {
                browser.show(message, next.failed(), next.acquired(), next.unseen(), -1);
                return Step.DELIVERED;
            }
            if (selecting.turnOver()) {
                return Step.LATER;
            }
            next = lane.nextFrom(next.sequence() + 1);
        }
        return Step.NOTHING;
    }
}
