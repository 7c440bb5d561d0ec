package io.mainstem.store.shard;

import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.StoreState;
import java.util.List;

/** A group that knows what it does to the model and what became of it. */
final class SimGroup extends RecordGroup {
    final long number;
    final List<StoreModel.Operation> operations;
    boolean applied;
    StoreState failed;

    SimGroup(long number, List<Frame> frames, List<StoreModel.Operation> operations, Durability durability) {
        super(frames, durability);
        this.number = number;
        this.operations = List.copyOf(operations);
    }

    boolean done() {
        return applied || failed != null;
    }

    @Override
    public void onApplied() {
        applied = true;
    }

    @Override
    public void onFailed(StoreState why) {
        failed = why;
    }
}
