package io.mainstem.routing.queue;

import io.mainstem.routing.topology.Plan;
import io.mainstem.routing.topology.Topology;
import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.ShardStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A topology change on its way to the log. */
final class TopologyCommit extends LoggedChange {
    private final ShardStore store;
    private final Topology topology;
    private final Plan plan;
    private final @Nullable MessageQueue purged;
    private final Ending ending;

    /**
     * What follows.
     *
     * @param reply refused if the log does not take it; null = nobody waits
     * @param visible done when it has happened
     * @param undo done when it certainly has not, and never will
     */
    record Ending(@Nullable Reply<?> reply, Runnable visible, Runnable undo) {}

    /** @param purged the queue that one of the frames takes everything out of, or null */
    TopologyCommit(
            ShardStore store,
            Topology topology,
            Plan plan,
            List<Frame> frames,
            @Nullable MessageQueue purged,
            Ending ending) {
        super(frames, Durability.SYNC);
        this.store = store;
        this.topology = topology;
        this.plan = plan;
        this.purged = purged;
        this.ending = ending;
        if (purged != null) {
            purged.purgeSubmitted();
        }
    }

    @Override
    public void onApplied() {
        topology.apply(plan, ending.visible);
        purgeDone();
    }

    private void purgeDone() {
        if (purged != null) {
            purged.purgeDone();
        }
    }

    @Override
    void refused() {
        topology.discard(plan);
        purgeDone();
        ending.undo.run();
        if (ending.reply != null) {
            ending.reply.noRoom("the change", store.stateReason());
        }
    }

    @Override
    void inDoubt() {
        if (ending.reply != null) {
            ending.reply.inDoubt("the change", store.stateReason());
        }
    }
}
