package io.mainstem.store.segment;

import io.mainstem.store.RecordGroup;
import io.mainstem.store.StoreState;
import java.util.ArrayList;
import java.util.List;

/** Collects what a log hands over. */
final class DrainedList implements CommitLog.DrainedGroups {
    final List<RecordGroup> durable = new ArrayList<>();
    final List<RecordGroup> failed = new ArrayList<>();
    final List<StoreState> reasons = new ArrayList<>();

    @Override
    public void durable(RecordGroup group) {
        durable.add(group);
    }

    @Override
    public void failed(RecordGroup group, StoreState why) {
        failed.add(group);
        reasons.add(why);
    }
}
