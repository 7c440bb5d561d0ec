package io.mainstem.routing.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.PublishId;
import io.mainstem.routing.message.SectionOffsets;
import io.mainstem.store.MarkedBits;
import io.mainstem.store.MetaChange;
import io.mainstem.store.MetaMark;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Publishes that take their time, are refused, or are cut off by a crash, against a log of groups: whatever is in the log
 * is never new again.
 */
final class PublishedIdsModelTest {
    private static final int STEPS = 20_000;
    private static final Envelope ADDRESS = new Envelope(
            "",
            List.of("q"),
            true,
            -1,
            0,
            -1,
            0,
            0,
            "publisher",
            null,
            Envelope.Origin.AMQP_1_0,
            0,
            false,
            SectionOffsets.NONE,
            List.of());

    /** A group in the log that was not applied yet. */
    private record Group(PublishId id, Claim claim, List<MetaChange> deleted, MetaMark mark) {}

    private final TreeMap<String, byte[]> disk = new TreeMap<>();
    private final Set<PublishId> inLog = new HashSet<>();
    private final List<Group> asked = new ArrayList<>();
    private final Deque<Group> log = new ArrayDeque<>();
    private PublishedIds ids = restarted();
    private long nowMs = 1000;

    private PublishedIds restarted() {
        PublishedIds made = new PublishedIds(new DedupLimits(1000, 1_000_000, Long.MAX_VALUE / 4, Integer.MAX_VALUE));
        made.recover(disk);
        return made;
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    @DisplayName("[L-9] what is in the log is never new again, over any restart (ADR 0027)")
    void whatIsInTheLogIsNeverNewAgain(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int step = 0; step < STEPS; step++) {
            nowMs++;
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> ask(random);
                case 4, 5, 6 -> submit(random);
                case 7, 8, 9 -> end(random.nextInt(6) == 0);
                case 10 -> giveUp(random);
                default -> {
                    if (random.nextInt(40) == 0) {
                        crash(random);
                    }
                }
            }
        }
    }

    /** A few producers, most of them going up, some leaping far ahead of what they publish. */
    private void ask(SplittableRandom random) {
        long sequence = (nowMs / 4 + random.nextInt(50)) * (random.nextInt(30) == 0 ? 8 : 1) - random.nextInt(300);
        PublishId id = new PublishId.Sequence("p" + random.nextInt(3), Math.max(0, sequence));
        Verdict verdict = ids.ask(PublishKey.of("/", "user", id, ADDRESS), nowMs);
        if (verdict instanceof Verdict.New fresh) {
            assertThat(inLog).as("new at " + nowMs).doesNotContain(id);
            asked.add(new Group(id, fresh.claim(), List.of(), fresh.claim().mark()));
        }
    }

    /** Any of those that were asked for: a commit may have taken its time. */
    private void submit(SplittableRandom random) {
        if (!asked.isEmpty()) {
            Group next = asked.remove(random.nextInt(asked.size()));
            log.add(new Group(next.id, next.claim, next.claim.forgotten(), next.mark));
        }
    }

    private void giveUp(SplittableRandom random) {
        if (!asked.isEmpty()) {
            asked.remove(random.nextInt(asked.size())).claim.failed();
        }
    }

    private void end(boolean refused) {
        Group first = log.poll();
        if (first != null && refused) {
            first.claim.failed();
        } else if (first != null) {
            write(first);
            first.claim.stored();
        }
    }

    private void write(Group group) {
        group.deleted.forEach(each -> disk.remove(each.key()));
        disk.put(group.mark.key(), MarkedBits.with(disk.get(group.mark.key()), group.mark));
        inLog.add(group.id);
    }

    /** Some of what was under way has got into the log, whose answers nobody has had. */
    private void crash(SplittableRandom random) {
        for (int kept = random.nextInt(log.size() + 1); kept > 0; kept--) {
            write(log.remove());
        }
        log.clear();
        asked.clear();
        ids = restarted();
        for (PublishId id : inLog) {
            assertThat(ids.ask(PublishKey.of("/", "user", id, ADDRESS), nowMs))
                    .as("after a restart: " + id)
                    .isNotInstanceOf(Verdict.New.class);
        }
    }
}
