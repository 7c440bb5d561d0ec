package io.mainstem.store.shard;

import io.mainstem.store.Route;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a store must hold, in plain collections: the fold of operations as a person would write it. */
final class StoreModel {
    private final LongLanes begin;
    final Map<Long, List<Slot>> lanes = new TreeMap<>();
    final Set<Integer> dropped = new TreeSet<>();
    final Map<String, String> meta = new TreeMap<>();

    /** @param begin at which index lanes begin */
    StoreModel(LongLanes begin) {
        this.begin = begin;
    }

    /** Index of the first entry that a lane ever had. */
    long first(long laneId) {
        return begin.first(laneId);
    }

    /** An entry. */
    Slot slot(long laneId, long index) {
        return lanes.get(laneId).get((int) (index - first(laneId)));
    }

    /** One entry. */
    static final class Slot {
        final long message;
        final String overrides;
        boolean settled;
        int failed;

        Slot(long message, String overrides) {
            this.message = message;
            this.overrides = overrides;
        }
    }

    /** A change, as a record says it. */
    interface Operation {
        void applyTo(StoreModel model);
    }

    record Publish(long message, List<Route> routes, String overrides) implements Operation {
        @Override
        public void applyTo(StoreModel model) {
            for (Route route : routes) {
                if (!model.dropped.contains(route.queueId())) {
                    model.lanes
                            .computeIfAbsent(route.laneId(), id -> new ArrayList<>())
                            .add(new Slot(message, overrides));
                }
            }
        }
    }

    record Settle(long laneId, long index) implements Operation {
        @Override
        public void applyTo(StoreModel model) {
            if (model.lanes.containsKey(laneId)) {
                model.slot(laneId, index).settled = true;
                model.slot(laneId, index).failed = 0;
            }
        }
    }

    record Fail(long laneId, long index) implements Operation {
        @Override
        public void applyTo(StoreModel model) {
            if (model.lanes.containsKey(laneId) && !model.slot(laneId, index).settled) {
                model.slot(laneId, index).failed++;
            }
        }
    }

    record Purge(int queueId, boolean drop) implements Operation {
        @Override
        public void applyTo(StoreModel model) {
            for (int priority = 0; priority < Route.LANES_MAX; priority++) {
                long laneId = new Route(queueId, priority).laneId();
                if (drop) {
                    model.lanes.remove(laneId);
                } else {
                    model.lanes.getOrDefault(laneId, List.of()).forEach(slot -> {
                        slot.settled = true;
                        slot.failed = 0;
                    });
                }
            }
            if (drop) {
                model.dropped.add(queueId);
            }
        }
    }

    record Put(String key, String value) implements Operation {
        @Override
        public void applyTo(StoreModel model) {
            if (value == null) {
                model.meta.remove(key);
            } else {
                model.meta.put(key, value);
            }
        }
    }

    /** What all these groups leave. */
    static StoreModel of(List<SimGroup> groups, LongLanes begin) {
        StoreModel model = new StoreModel(begin);
        groups.forEach(group -> group.operations.forEach(operation -> operation.applyTo(model)));
        return model;
    }

    /** Lanes by queue, of those that still have unsettled entries. */
    Map<Long, Long> unsettled() {
        Map<Long, Long> counts = new HashMap<>();
        lanes.forEach((id, slots) -> {
            long count = slots.stream().filter(slot -> !slot.settled).count();
            if (count > 0) {
                counts.put(id, count);
            }
        });
        return counts;
    }
}
