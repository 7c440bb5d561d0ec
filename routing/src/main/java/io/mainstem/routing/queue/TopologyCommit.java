package io.mainstem.routing.queue;

import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.topology.Plan;
import io.mainstem.routing.topology.Topology;
import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.StoreState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A topology change on its way to the log. */
final class TopologyCommit extends RecordGroup {
    private final Shard shard;
    private final Topology topology;
    private final Plan plan;
    private final @Nullable Reply<?> reply;
    private final @Nullable MessageQueue purged;
    private final Runnable whenVisible;

    /**
     * @param reply refused if the log does not take it; null = nobody waits
     * @param purged the queue that one of the frames takes everything out of, or null
     */
    TopologyCommit(
            Shard shard,
            Topology topology,
            Plan plan,
            List<Frame> frames,
            @Nullable Reply<?> reply,
            @Nullable MessageQueue purged,
            Runnable whenVisible) {
        super(frames, Durability.SYNC);
        this.shard = shard;
        this.topology = topology;
        this.plan = plan;
        this.reply = reply;
        this.purged = purged;
        this.whenVisible = whenVisible;
        if (purged != null) {
            purged.purgeSubmitted();
        }
    }

    @Override
    public void onApplied() {
        topology.apply(plan, whenVisible);
        purgeDone();
    }

    private void purgeDone() {
        if (purged != null) {
            purged.purgeDone();
        }
    }

    @Override
    public void onFailed(StoreState why) {
        if (reply != null) {
            reply.refused(
                    ErrorKind.UNAVAILABLE,
                    "MS-0336",
                    "the change could not be logged: " + shard.store().stateReason() + ".",
                    "free disk space or restart the broker, then look whether it took effect.");
        }
        if (why == StoreState.DISK_CRITICAL) {
            topology.discard(plan);
            purgeDone();
        } else {
            shard.storeFailed();
        }
    }
}
