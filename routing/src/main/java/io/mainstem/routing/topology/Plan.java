package io.mainstem.routing.topology;

import io.mainstem.store.MetaChange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a declaration comes to: decided and validated, not yet visible. Its {@link #meta} is to be logged in one group;
 * when that has been applied (at once if there is none) it goes to {@link Topology#apply}.
 *
 * <p>Thread: shard.
 */
public final class Plan {
    private final List<TopologyChange> changes;
    private final List<MetaChange> meta;
    private @Nullable Runnable done;

    Plan(List<TopologyChange> changes, List<MetaChange> meta) {
        this.changes = List.copyOf(changes);
        this.meta = List.copyOf(meta);
    }

    /** To be logged, in this order, as one atomic group; empty if nothing durable changes. */
    public List<MetaChange> meta() {
        return meta;
    }

    /** True if everything wanted is so already, or will be once earlier plans are applied. */
    public boolean isEmpty() {
        return changes.isEmpty();
    }

    List<TopologyChange> changes() {
        return changes;
    }

    /** What to run once this plan is visible; null as long as it is not durable. */
    @Nullable
    Runnable done() {
        return done;
    }

    void durable(Runnable whenVisible) {
        this.done = whenVisible;
    }
}
