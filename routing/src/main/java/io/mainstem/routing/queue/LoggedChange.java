package io.mainstem.routing.queue;

import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.StoreState;
import java.util.List;

/**
 * A change of the shard's state that counts when it is in the log, and what becomes of it if it does not get there. All
 * record groups of the shard end in one of three ways (ADR 0067):
 *
 * <ul>
 *   <li>{@link #onApplied}: it is in the log, and so it is done;
 *   <li>{@link #refused}: it is certainly not in the log, for want of space. Nothing has happened: what was taken for it is
 *       given back, or kept and tried again; whoever has asked is told;
 *   <li>{@link #inDoubt}: nobody knows, and this process will not learn it. Nothing is given back, whoever has asked is
 *       told.
 * </ul>
 *
 * <p>That a log has failed for good is not the group's business: the {@link Shard} sees it and ends. A new reason why a group
 * is not taken has its place in {@link #onFailed}.
 */
abstract class LoggedChange extends RecordGroup {
    /** @param frames at least one, in the order they are applied */
    LoggedChange(List<Frame> frames, Durability durability) {
        super(frames, durability);
    }

    @Override
    public final void onFailed(StoreState why) {
        if (why == StoreState.DISK_CRITICAL) {
            refused();
        } else {
            inDoubt();
        }
    }

    /** It has certainly not happened: all is to be as it was before. Thread: shard. Must not block or throw. */
    abstract void refused();

    /** Nobody knows whether it has happened. Thread: shard. Must not block or throw. */
    abstract void inDoubt();
}
