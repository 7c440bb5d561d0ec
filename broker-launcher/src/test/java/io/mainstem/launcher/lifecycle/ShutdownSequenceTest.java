package io.mainstem.launcher.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ShutdownSequenceTest {
    private final List<String> ran = new ArrayList<>();
    private final ShutdownSequence sequence = new ShutdownSequence();

    @Test
    void stepsRunOnceInReverseOrder() {
        sequence.add("store", () -> ran.add("store"));
        sequence.add("listener", () -> ran.add("listener"));

        assertThat(sequence.run()).isTrue();
        assertThat(sequence.run()).isTrue();
        assertThat(ran).containsExactly("listener", "store");
    }

    @Test
    void aStepThatFailsDoesNotKeepTheOthersFromRunning() {
        sequence.add("store", () -> ran.add("store"));
        sequence.add("listener", () -> {
            throw new IllegalStateException("broken");
        });

        assertThat(sequence.run()).isFalse();
        assertThat(ran).containsExactly("store");
    }
}
