package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.AmqpValueReader;
import io.mainstem.routing.message.AmqpValueWriter;
import io.mainstem.routing.message.ModifiedAnnotations;
import io.mainstem.routing.queue.SimCopy.Fate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Queues as plain maps: what the broker has promised of each message in each queue. What it does with a message it must
 * have told before, or a crash must have come between.
 */
final class SimModel {
    private final Map<String, List<SimCopy>> byText = new HashMap<>();
    private final List<SimCopy> copies = new ArrayList<>();
    private final Map<String, Long> lastFirst = new HashMap<>();
    private final SimReached reached;
    private long quiets;
    private @Nullable Throwable defect;

    SimModel(SimReached reached) {
        this.reached = reached;
    }

    /** Has the answer looked at; what is wrong with it comes out of {@link #rethrow}. */
    <T> void then(CompletionStage<T> asked, BiConsumer<T, @Nullable Throwable> answered) {
        asked.whenComplete((answer, refused) -> {
            try {
                answered.accept(answer, refused);
            } catch (AssertionError | RuntimeException wrong) {
                defect = defect == null ? wrong : defect;
            }
        });
    }

    /** Throws what was wrong with answers. */
    void rethrow() {
        if (defect != null) {
            throw new AssertionError("an answer was wrong", defect);
        }
    }

    void add(SimCopy copy) {
        copies.add(copy);
        byText.computeIfAbsent(copy.text, text -> new ArrayList<>(2)).add(copy);
    }

    List<SimCopy> copies() {
        return copies;
    }

    /** True if the time of a delayed message was after the first moment and not after the second. */
    boolean dueSince(long afterMs, long nowMs) {
        return copies.stream().anyMatch(copy -> copy.dueMs > afterMs && copy.dueMs <= nowMs);
    }

    /** Number of the last quiet moment: what was asked before it is in the log. */
    long mark() {
        return quiets;
    }

    void quiet() {
        quiets++;
    }

    /** The copy that is in this queue, or may be after a crash or when it is given up. */
    @Nullable
    SimCopy find(String queue, String text) {
        for (SimCopy copy : byText.getOrDefault(text, List.of())) {
            boolean givenUp = queue.equals(SimTopology.dead(copy.queue));
            if (copy.queue.equals(queue) || copy.before.contains(queue) || givenUp) {
                return copy;
            }
        }
        return null;
    }

    // ---- what the broker says --------------------------------------------------------------------------------

    /** A delivery as it comes: it must be one that may come now. */
    SimCopy delivered(String queue, Delivery delivery, long handedMs) {
        String text = text(delivery);
        expireIfOver(queue, text, handedMs);
        takeBackIfRefused(queue, text);
        SimCopy copy = Objects.requireNonNull(find(queue, text), () -> "never published to " + queue + ": " + text);
        String what = "delivery of " + copy + ", handed over at " + handedMs;
        assertThat(copy.queue).as(what).isEqualTo(queue);
        assertThat(copy.fate).as(what).isIn(Fate.ASKED, Fate.THERE);
        assertThat(copy.free()).as(what).isTrue();
        assertThat(copy.due(handedMs)).as(what + " is early").isTrue();
        assertThat(copy.expireMs() == 0 || handedMs < copy.expireMs())
                .as(what + " has expired")
                .isTrue();
        assertThat(delivery.failed()).as(what).isEqualTo(copy.failed);
        checkAnnotations(copy, delivery);
        assertThat(delivery.acquired()).as(what).isEqualTo(copy.acquired);
        if (!copy.acquired && copy.durable) {
            Long last = lastFirst.put(queue + "/" + copy.priority, delivery.position());
            assertThat(delivery.position()).as(what + " out of order").isGreaterThan(last == null ? -1 : last);
        }
        copy.acquired = true;
        reached.add(copy.dueMs == 0 ? "delivered" : "fired");
        return copy;
    }

    /** It may have been given up as expired without the model having looked. */
    private void expireIfOver(String queue, String text, long nowMs) {
        for (SimCopy copy : byText.getOrDefault(text, List.of())) {
            if (queue.equals(SimTopology.dead(copy.queue))) {
                expireIfOver(copy, nowMs);
            }
        }
    }

    /** A commit may be refused, and its answer be on its way to another client than the delivery. */
    private void takeBackIfRefused(String queue, String text) {
        SimCopy copy = find(queue, text);
        if (copy != null && copy.settledIn != null && copy.settledIn.commitAsked) {
            settled(copy, Outcome.FAILED);
        }
    }

    void answered(List<SimCopy> published, long mark, PublishResult result) {
        if (result instanceof PublishResult.Stored stored) {
            // A queue that is deleted meanwhile takes nothing into memory.
            long sure = published.stream().filter(copy -> !copy.murky).count();
            assertThat((long) stored.queues()).as("queues of " + published).isBetween(sure, (long) published.size());
            published.stream().filter(copy -> copy.fate == Fate.ASKED).forEach(copy -> copy.fate = Fate.THERE);
            if (published.stream().anyMatch(copy -> copy.durable)) {
                synced(mark);
            }
            reached.add("stored");
        } else if (result instanceof PublishResult.Refused) {
            assertThat(published).as("refused").noneMatch(copy -> copy.acquired);
            published.forEach(copy -> copy.fate = Fate.GONE);
            reached.add("refused");
        } else if (result instanceof PublishResult.Unroutable) {
            assertThat(published).as("unroutable").isEmpty();
            reached.add("unroutable");
        }
    }

    /** Something that was asked behind a quiet moment is on disk, so that all that was asked before it is, too. */
    void synced(long mark) {
        for (SimCopy copy : copies) {
            if (copy.mark < mark) {
                if (copy.fate == Fate.LEAVING) {
                    copy.fate = Fate.GONE;
                    reached.add("settled for good");
                }
                copy.before.clear();
                copy.failedSynced = copy.failed;
                copy.annotatedSynced = copy.annotated;
            }
        }
    }

    // ---- what clients do -------------------------------------------------------------------------------------

    void settled(SimCopy copy, Outcome outcome) {
        copy.heldBy = null;
        copy.settledIn = null;
        copy.mark = quiets;
        String dead = SimTopology.dead(copy.queue);
        if (outcome instanceof Outcome.Modified modified) {
            if (modified.annotations() != null) {
                copy.annotated++;
                reached.add("annotated");
            }
            copy.failed++;
            reached.add("failed");
            if (SimTopology.givesUp(copy.queue, copy.failed)) {
                copy.moveTo(Objects.requireNonNull(dead), quiets);
                reached.add("given up after failures");
            }
        } else if (outcome instanceof Outcome.Rejected && dead != null) {
            copy.moveTo(dead, quiets);
            reached.add("rejected to dead letters");
        } else if (outcome instanceof Outcome.Released) {
            reached.add("released");
        } else {
            copy.fate = Fate.LEAVING;
            reached.add("settled");
        }
    }

    /** As failed; every other time with the text of the message and a number as annotations. */
    static Outcome failed(SimCopy copy) {
        if ((copy.text.hashCode() + copy.failed) % 2 != 0) {
            return Outcome.FAILED;
        }
        AmqpValueWriter entries = new AmqpValueWriter();
        entries.symbol("x-of").value(copy.text).symbol("x-n").value(copy.annotated + 1);
        byte[] map = new AmqpValueWriter().map(2, entries).toByteArray();
        return new Outcome.Modified(true, false, 0, ModifiedAnnotations.of(map));
    }

    /** [messaging 3.4.5] They are those of this message, and at least what is surely on disk. */
    static void checkAnnotations(SimCopy copy, Delivery delivery) {
        Map<String, @Nullable Object> found = AmqpValueReader.messageAnnotations(
                delivery.message().sections(), delivery.message().envelope().offsets());
        long number = found.get("x-n") instanceof Long each ? each : 0;
        assertThat(number).as("annotations of " + copy).isBetween((long) copy.annotatedSynced, (long) copy.annotated);
        if (number > 0) {
            assertThat(found.get("x-of")).as("annotations of " + copy).isEqualTo(copy.text);
        }
        copy.annotated = (int) number;
    }

    void committed(SimTransaction done) {
        for (SimCopy copy : done.sends) {
            if (copy.fate == Fate.ASKED) {
                copy.fate = Fate.THERE;
            }
        }
        for (SimCopy copy : done.settles) {
            assertThat(copy.settledIn)
                    .as("settled in a transaction, and come again: " + copy)
                    .isEqualTo(done);
            copy.settledIn = null;
            copy.fate = Fate.GONE;
        }
        synced(done.mark);
        reached.add("committed");
    }

    void rolledBack(SimTransaction undone) {
        undone.sends.forEach(copy -> copy.fate = Fate.GONE);
        for (SimCopy copy : undone.settles) {
            if (copy.settledIn == undone) {
                settled(copy, Outcome.FAILED);
            }
        }
        reached.add("rolled back");
    }

    // ---- time, purges, ends ----------------------------------------------------------------------------------

    void expire(long nowMs) {
        copies.forEach(copy -> expireIfOver(copy, nowMs));
    }

    private void expireIfOver(SimCopy copy, long nowMs) {
        boolean here = copy.fate == Fate.ASKED || copy.fate == Fate.THERE;
        if (!here || !copy.free() || !copy.due(nowMs) || copy.expireMs() == 0 || copy.expireMs() > nowMs) {
            return;
        }
        String dead = SimTopology.dead(copy.queue);
        if (dead == null) {
            copy.fate = Fate.GONE;
            reached.add("expired");
        } else {
            copy.moveTo(dead, quiets);
            reached.add("expired to dead letters");
        }
    }

    /** All that a purge that begins now has to take. */
    List<SimCopy> ready(String queue, long nowMs) {
        return copies.stream()
                .filter(copy -> copy.queue.equals(queue) && copy.fate == Fate.THERE && copy.free() && copy.due(nowMs))
                .toList();
    }

    /** All that waits for its time. */
    List<SimCopy> waiting(long nowMs) {
        return copies.stream()
                .filter(copy -> copy.fate == Fate.THERE && !copy.due(nowMs))
                .toList();
    }

    /** The queue was deleted for good. */
    void dropped(String queue) {
        for (SimCopy copy : copies) {
            if (copy.queue.equals(queue)) {
                copy.fate = Fate.GONE;
                copy.heldBy = null;
                copy.settledIn = null;
            }
        }
        Arrays.asList(0, 4, 9).forEach(priority -> lastFirst.remove(queue + "/" + priority));
    }

    /** A new life: nobody holds anything, and the order of first deliveries begins anew. */
    void restarted() {
        lastFirst.clear();
        for (SimCopy copy : copies) {
            copy.heldBy = null;
            if (copy.settledIn != null && !copy.settledIn.commitAsked) {
                copy.settledIn = null;
            }
        }
    }

    /** What the payload says, all of which must be as it was published. */
    static String text(Delivery delivery) {
        String payload = Messages.text(delivery);
        String text = payload.substring(0, payload.indexOf(':'));
        assertThat(payload).as("payload of " + text).isEqualTo(payload(text));
        return text;
    }

    /** The text, and as much behind it as its number says: some hundred bytes, now and then many thousand. */
    static String payload(String text) {
        int number = Integer.parseInt(text.substring(1));
        int bytes = number % 37 == 0 ? 100_000 : number % 5 == 0 ? 6000 : number % 7 * 60;
        return text + ":" + Character.toString('a' + number % 26).repeat(bytes);
    }
}
