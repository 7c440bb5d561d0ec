package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.QueueStatus;
import io.mainstem.routing.queue.SimCopy.Fate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Compares what a broker at rest has with what the model says. */
final class SimCheck {
    private final SimModel model;
    private final SimReached reached;

    SimCheck(SimModel model, SimReached reached) {
        this.model = model;
        this.reached = reached;
    }

    // ---- while it runs ---------------------------------------------------------------------------------------

    /** Nothing is under way: every queue holds exactly what it must, in order, and counts it rightly. */
    void atRest(SimObservation seen, long nowMs) {
        List<SimCopy> asked = model.copies().stream()
                .filter(copy -> copy.fate == Fate.ASKED && copy.settledIn == null && !copy.murky)
                .toList();
        assertThat(asked).as("never answered").isEmpty();
        settleMurky(seen, nowMs);
        for (String queue : SimTopology.QUEUES) {
            Set<String> expected =
                    model.ready(queue, nowMs).stream().map(copy -> copy.text).collect(Collectors.toSet());
            assertThat(seen.ready(queue).keySet())
                    .as("ready in %s: %s; everything ready: %s", queue, model.ready(queue, nowMs), seen)
                    .containsExactlyInAnyOrderElementsOf(expected);
            QueueStatus status = seen.status(queue);
            if (status != null) {
                assertThat(status.ready()).as("counted as ready in " + queue).isEqualTo(expected.size());
                assertThat(status.unacknowledged())
                        .as("counted as unacknowledged in " + queue)
                        .isEqualTo(held(queue));
            }
            inOrder(queue, seen.ready(queue));
        }
        waiting(seen, nowMs);
    }

    private long held(String queue) {
        return model.copies().stream()
                .filter(copy -> copy.queue.equals(queue) && !copy.free() && copy.fate != Fate.GONE)
                .count();
    }

    /** What a purge or a deletion may have taken, or have missed. */
    private void settleMurky(SimObservation seen, long nowMs) {
        for (SimCopy copy : model.copies()) {
            if (copy.murky && copy.fate != Fate.GONE && copy.free() && copy.due(nowMs)) {
                boolean there = seen.ready(copy.queue).containsKey(copy.text);
                copy.fate = copy.fate == Fate.LEAVING ? Fate.LEAVING : there ? Fate.THERE : Fate.GONE;
                copy.murky = false;
            }
        }
    }

    private void waiting(SimObservation seen, long nowMs) {
        Set<Long> must = new HashSet<>();
        Set<Long> may = new HashSet<>();
        for (SimCopy copy : model.copies()) {
            if (!copy.due(nowMs)) {
                may.add(copy.dueMs);
                if (copy.fate == Fate.THERE && !copy.murky) {
                    must.add(copy.dueMs);
                }
            }
        }
        assertThat(seen.waiting()).as("waits for its time").containsAll(must);
        assertThat(may).as("what may wait").containsAll(seen.waiting());
    }

    /** Highest priority first; in its lane each keeps its place for ever, and each publisher's come as published. */
    private void inOrder(String queue, Map<String, Delivery> ready) {
        int priority = Integer.MAX_VALUE;
        long position = -1;
        Map<Integer, Long> orders = new HashMap<>();
        for (Map.Entry<String, Delivery> each : ready.entrySet()) {
            SimCopy copy = model.find(queue, each.getKey());
            assertThat(copy).isNotNull();
            assertThat(copy.priority).as("priority order in %s", queue).isLessThanOrEqualTo(priority);
            if (copy.priority < priority) {
                priority = copy.priority;
                position = -1;
                orders.clear();
            }
            Delivery delivery = each.getValue();
            assertThat(delivery.failed()).as("failed %s", copy).isEqualTo(copy.failed);
            assertThat(delivery.acquired()).as("acquired %s", copy).isEqualTo(copy.acquired);
            if (copy.durable) {
                assertThat(delivery.position()).as("place of %s", copy).isGreaterThan(position);
                position = delivery.position();
                if (copy.position >= 0) {
                    assertThat(position).as("place of %s", copy).isEqualTo(copy.position);
                }
                copy.position = position;
            }
            if (copy.dueMs == 0 && !SimTopology.isDead(queue)) {
                Long before = orders.put(copy.durable ? copy.publisher : ~copy.publisher, copy.order);
                assertThat(copy.order).as("order of %s", copy).isGreaterThan(before == null ? -1 : before);
            }
        }
    }

    // ---- after a crash ---------------------------------------------------------------------------------------

    /**
     * Finds out what a crash has left of that which was under way, and checks it against what was promised.
     *
     * @param units of which all or nothing must be there
     */
    void recovered(SimObservation seen, List<SimUnit> units, long nowMs) {
        for (String queue : SimTopology.QUEUES) {
            for (String text : seen.ready(queue).keySet()) {
                SimCopy copy = model.find(queue, text);
                assertThat(copy)
                        .as("in %s and never published to it: %s", queue, text)
                        .isNotNull();
                assertThat(copy.fate).as("comes again in %s: %s", queue, copy).isNotEqualTo(Fate.GONE);
                assertThat(copy.durable).as("was in memory only: %s", copy).isTrue();
            }
        }
        Set<SimCopy> found = new HashSet<>();
        for (SimCopy copy : model.copies()) {
            if (copy.fate != Fate.GONE && found(seen, copy, nowMs)) {
                found.add(copy);
            }
        }
        units.forEach(unit -> unit.check(found, nowMs, reached));
        for (SimCopy copy : model.copies()) {
            if (copy.fate != Fate.GONE) {
                resolve(copy, found.contains(copy), nowMs);
            }
        }
        SimTopology.QUEUES.forEach(queue -> inOrder(queue, seen.ready(queue)));
        waiting(seen, nowMs);
    }

    private boolean found(SimObservation seen, SimCopy copy, long nowMs) {
        if (!copy.due(nowMs)) {
            return seen.waiting().contains(copy.dueMs) && seen.hasQueue(copy.queue);
        }
        List<String> places = new ArrayList<>();
        Set<String> possible = new HashSet<>(copy.before);
        possible.add(copy.queue);
        String dead = SimTopology.dead(copy.queue);
        if (dead != null && copy.over(nowMs)) {
            possible.add(dead);
        }
        for (String place : possible) {
            Delivery delivery = seen.ready(place).get(copy.text);
            if (delivery != null) {
                places.add(place);
                if (place.equals(copy.queue)) {
                    assertThat(delivery.failed()).as("failed %s", copy).isBetween(copy.failedSynced, copy.failed);
                    assertThat(delivery.acquired() || !copy.acquired)
                            .as("may have been acquired %s", copy)
                            .isTrue();
                } else {
                    copy.position = -1;
                }
                copy.failed = delivery.failed();
                copy.failedSynced = copy.failed;
                SimModel.checkAnnotations(copy, delivery);
                copy.annotatedSynced = copy.annotated;
                copy.acquired = delivery.acquired();
            }
        }
        assertThat(places).as("in two places: %s", copy).hasSizeLessThan(2);
        if (!places.isEmpty()) {
            copy.queue = places.get(0);
        }
        return !places.isEmpty();
    }

    private void resolve(SimCopy copy, boolean there, long nowMs) {
        boolean over = copy.over(nowMs) && SimTopology.dead(copy.queue) == null && !SimTopology.isDead(copy.queue);
        if (copy.fate == Fate.THERE && copy.durable && !copy.murky && !over && copy.settledIn == null) {
            assertThat(there).as("confirmed and lost: %s", copy).isTrue();
        }
        if (copy.fate == Fate.LEAVING && there) {
            reached.add("settled and came again");
        }
        if (copy.fate == Fate.ASKED) {
            reached.add(there ? "unanswered and there" : "unanswered and lost");
        }
        copy.fate = there ? Fate.THERE : Fate.GONE;
        copy.murky = false;
        if (copy.dueMs != 0 || !copy.before.isEmpty()) {
            copy.position = -1; // the record that brought it here may be another one now
        }
        copy.before.clear();
        copy.heldBy = null;
        copy.settledIn = null;
    }
}
