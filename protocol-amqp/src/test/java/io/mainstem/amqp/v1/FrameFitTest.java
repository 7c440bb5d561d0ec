package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers that fit into the frames of a peer (AMQP 1.0 part 2, 2.7.1 max-frame-size). */
final class FrameFitTest {
    private static final int SMALLEST = 512;

    @Test
    @DisplayName("7: a short error keeps its text and its info")
    void shortError() {
        ErrorCondition error = error("no queue 'q'", "q");

        assertThat(FrameFit.fit(error, SMALLEST)).isSameAs(error);
    }

    @Test
    @DisplayName("7: info that does not fit is left out, the text stays")
    void hugeInfo() {
        ErrorCondition fitted = FrameFit.fit(error("no queue", "x".repeat(5_000)), SMALLEST);

        assertThat(fitted.getDescription()).isEqualTo("no queue");
        assertThat(FrameFit.encodedBytes(fitted)).isLessThan(SMALLEST - 100);
    }

    @Test
    @DisplayName("7: text that does not fit is cut")
    void hugeText() {
        ErrorCondition fitted = FrameFit.fit(error("ä".repeat(5_000), "q"), SMALLEST);

        assertThat(fitted.getDescription()).startsWith("ää").endsWith("ä...");
        assertThat(FrameFit.encodedBytes(fitted)).isLessThan(SMALLEST - 100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "ä", "€", "😀"})
    @DisplayName("7: a text is cut between characters, not within one")
    void cutBetweenCharacters(String character) {
        String text = character.repeat(100);
        for (int bytes = 3; bytes < 40; bytes++) {
            String cut = FrameFit.cut(text, bytes);

            assertThat(cut.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(bytes);
            assertThat(cut).endsWith("...").doesNotContain("\ufffd");
            assertThat(text).startsWith(cut.substring(0, cut.length() - 3));
        }
    }

    private static ErrorCondition error(String text, String queue) {
        ErrorCondition error = new ErrorCondition(AmqpError.NOT_FOUND, text);
        error.setInfo(Map.of(Symbol.valueOf("queue"), queue));
        return error;
    }
}
