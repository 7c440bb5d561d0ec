package io.mainstem.transport.security;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names and passwords in one form, by the examples of RFC 4013. */
final class SaslPrepTest {
    @Test
    @DisplayName("RFC 4013, 3: the examples")
    void examples() {
        assertThat(SaslPrep.prepare("I\u00ADX")).isEqualTo("IX");
        assertThat(SaslPrep.prepare("user")).isEqualTo("user");
        assertThat(SaslPrep.prepare("USER")).isEqualTo("USER");
        assertThat(SaslPrep.prepare("\u00AA")).isEqualTo("a");
        assertThat(SaslPrep.prepare("\u2168")).isEqualTo("IX");
        assertThat(SaslPrep.prepare("a\u00A0b")).isEqualTo("a b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\u0007", "a\u0000b", "\u200B", "\uE000", "\uFFFD"})
    void whatCannotBeTypedIsNoName(String text) {
        assertThat(SaslPrep.prepare(text)).isNull();
    }
}
