package io.mainstem.jms.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class BackOffTest {
    private final BackOff backOff = new BackOff();

    @Test
    @DisplayName("Each wait is twice the last one, up to five seconds; a success begins anew")
    void doublesUpToALimit() {
        assertThat(LongStream.generate(backOff::nextMs).limit(12))
                .containsExactly(10L, 20L, 40L, 80L, 160L, 320L, 640L, 1280L, 2560L, 5000L, 5000L, 5000L);

        backOff.reset();

        assertThat(backOff.nextMs()).isEqualTo(10);
    }
}
