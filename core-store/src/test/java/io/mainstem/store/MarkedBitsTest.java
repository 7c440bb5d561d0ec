package io.mainstem.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.codec.MalformedException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is published already, as records tell it [L-9]. */
final class MarkedBitsTest {
    @Test
    @DisplayName("[L-9] a mark folded again, or behind a later one, takes nothing away")
    void marksCommute() {
        byte[] first = MarkedBits.with(null, new MetaMark("k", 3, 10));
        byte[] both = MarkedBits.with(first, new MetaMark("k", 900, 20));

        byte[] again = MarkedBits.with(both, new MetaMark("k", 3, 10));

        assertThat(again).isEqualTo(both);
        assertThat(MarkedBits.decode(both).bits().stream()).containsExactly(3, 900);
        assertThat(MarkedBits.decode(both).atMs()).isEqualTo(20);
        assertThat(MarkedBits.decode(first).bits().stream()).containsExactly(3);
    }

    @Test
    void aValueOfALaterVersionIsRefusedByNumber() {
        assertThatThrownBy(() -> MarkedBits.decode(new byte[] {2, 0}))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("version 2");
    }

    @Test
    void marksComeBackFromTheirRecord() {
        List<MetaMark> marks = List.of(new MetaMark("a", 0, 0), new MetaMark("b", MetaMark.BIT_MAX, 1L << 45));

        Frame frame = Frames.mark(marks);

        assertThat(((RecordBody.Dedup)
                                RecordBody.decode(RecordType.DEDUP, frame.body().get(0), 0))
                        .marks())
                .isEqualTo(marks);
    }

    @Test
    void aBitBeyondTheLargestIsRefused() {
        assertThatThrownBy(() -> new MetaMark("a", MetaMark.BIT_MAX + 1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bit: 4096");
    }
}
