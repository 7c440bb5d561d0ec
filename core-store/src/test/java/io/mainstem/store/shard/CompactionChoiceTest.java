package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.segment.CommitLog.SegmentInfo;
import io.mainstem.store.shard.CompactionChoice.Stretch;
import io.mainstem.store.view.SegmentRefs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which segments are worth compacting [L-7]. */
final class CompactionChoiceTest {
    private static final int MIB = 1 << 20;
    private static final long QUIET_MS = 60_000;

    private final CompactionChoice choice = new CompactionChoice(MIB, QUIET_MS);
    private final List<SegmentInfo> segments = new ArrayList<>();
    private final SegmentRefs totals = new SegmentRefs();
    private long nowMs = 5_000_000;
    private boolean pressed;

    /** A segment of which so many percent are live. */
    private void segment(int livePercent) {
        file(0, MIB, livePercent);
    }

    private void file(int generation, long bytes, int livePercent) {
        long number = segments.size();
        segments.add(new SegmentInfo(number * MIB, (number + 1) * MIB, true, generation, bytes));
        if (livePercent > 0) {
            totals.add(number, 1, bytes / 100 * livePercent - 48);
        }
    }

    private List<Long> chosen() {
        choice.choose(segments, totals, Long.MAX_VALUE, pressed, nowMs);
        nowMs += QUIET_MS;
        return chosenNow();
    }

    private List<Long> chosenNow() {
        Stretch stretch = choice.choose(segments, totals, Long.MAX_VALUE, pressed, nowMs);
        return stretch == null
                ? List.of()
                : stretch.segments().stream().map(SegmentInfo::baseLsn).toList();
    }

    @Test
    @DisplayName("[L-7] below 35% live")
    void sparse() {
        segment(36);
        segment(34);
        segment(36);

        assertThat(chosen()).containsExactly((long) MIB);
    }

    @Test
    @DisplayName("[L-7] below 80% while the disk is low, and at once")
    void pressed() {
        segment(81);
        segment(79);
        pressed = true;

        assertThat(chosenNow()).containsExactly((long) MIB);
    }

    @Test
    void adjacentSparseSegmentsGoIntoOneFileOfAtMostHalfASegment() {
        segment(20);
        segment(20);
        segment(20);

        assertThat(chosen()).containsExactly(0L, (long) MIB);
    }

    @Test
    @DisplayName("[L-7] not within a minute of the last settle")
    void quiet() {
        segment(10);
        chosenNow();
        nowMs += QUIET_MS - 1;
        totals.add(0, 1, 10);
        assertThat(chosenNow()).isEmpty();
        nowMs += QUIET_MS - 1;
        assertThat(chosenNow()).isEmpty();
        nowMs += 1;
        assertThat(chosenNow()).containsExactly(0L);
    }

    @Test
    void deadSegmentsAreDeletedNotCopied() {
        segment(0);

        assertThat(chosen()).isEmpty();
    }

    @Test
    void activeSegmentsAndThoseThatReplayNeedsAreLeftAlone() {
        segment(10);
        segments.set(0, new SegmentInfo(0, MIB, false, 0, MIB));
        segment(10);
        choice.choose(segments, totals, 2L * MIB - 1, true, nowMs);

        assertThat(choice.choose(segments, totals, 2L * MIB - 1, true, nowMs)).isNull();
    }

    @Test
    void whatGainedNothingIsNotTriedAgainBeforeHalfOfItHasGone() {
        segment(10);
        totals.add(0, 9, 0);
        chosen();
        choice.leaveAlone(choice.choose(segments, totals, Long.MAX_VALUE, true, nowMs));
        assertThat(chosen()).isEmpty();

        totals.add(0, -5, 0);

        assertThat(chosen()).containsExactly(0L);
    }

    @Test
    void eightSmallFilesBecomeOne() {
        for (int i = 0; i < 7; i++) {
            file(1, 10_000, 100);
        }
        assertThat(chosen()).isEmpty();

        file(1, 10_000, 100);

        assertThat(chosen()).hasSize(8);
    }

    @Test
    void anAlreadyCompactedFileIsCopiedAgainBelowHalf() {
        file(1, 500_000, 51);
        assertThat(chosen()).isEmpty();
        file(1, 500_000, 49);
        assertThat(chosen()).containsExactly((long) MIB);
    }
}
