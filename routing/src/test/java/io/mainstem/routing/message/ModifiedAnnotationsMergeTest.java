package io.mainstem.routing.message;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("[messaging 3.4.5] annotations of modified, again and again")
final class ModifiedAnnotationsMergeTest {
    private static ModifiedAnnotations thousand(int from) {
        AmqpValueWriter entries = new AmqpValueWriter();
        for (int i = 0; i < 1000; i++) {
            entries.symbol("x-" + (from + i)).value(1L);
        }
        ModifiedAnnotations made =
                ModifiedAnnotations.of(new AmqpValueWriter().map(1000, entries).toByteArray());
        assertThat(made).isNotNull();
        return made;
    }

    @Test
    @DisplayName("what makes more of them than can be read back is left out, and what was there stays")
    void manyTimes() {
        ModifiedAnnotations all = thousand(0);
        for (int times = 1; times < 8; times++) {
            all = thousand(times * 1000).over(all);
        }

        ModifiedAnnotations restored = ModifiedAnnotations.restore(all.toBytes());
        assertThat(restored.toBytes()).isEqualTo(all.toBytes());
    }
}
