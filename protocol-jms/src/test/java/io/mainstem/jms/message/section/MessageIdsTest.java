package io.mainstem.jms.message.section;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.JMSException;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of [mapping 4.8]. */
final class MessageIdsTest {
    static Stream<Arguments> ids() {
        return Stream.of(
                Arguments.of("plain", "plain", "ID:AMQP_NO_PREFIX:plain"),
                Arguments.of("", "", "ID:AMQP_NO_PREFIX:"),
                Arguments.of("ID:x", "ID:x", "ID:x"),
                Arguments.of(
                        new UUID(1, 2),
                        "ID:AMQP_UUID:00000000-0000-0001-0000-000000000002",
                        "ID:AMQP_UUID:00000000-0000-0001-0000-000000000002"),
                Arguments.of(
                        UnsignedLong.valueOf(-1),
                        "ID:AMQP_ULONG:18446744073709551615",
                        "ID:AMQP_ULONG:18446744073709551615"),
                Arguments.of(new Binary(new byte[] {0, (byte) 0xab}), "ID:AMQP_BINARY:00AB", "ID:AMQP_BINARY:00AB"),
                Arguments.of("ID:AMQP_UUID:x", "ID:AMQP_STRING:ID:AMQP_UUID:x", "ID:AMQP_STRING:ID:AMQP_UUID:x"),
                Arguments.of(
                        "ID:AMQP_NO_PREFIX:x",
                        "ID:AMQP_STRING:ID:AMQP_NO_PREFIX:x",
                        "ID:AMQP_STRING:ID:AMQP_NO_PREFIX:x"));
    }

    @ParameterizedTest
    @MethodSource("ids")
    @DisplayName(
            "[mapping 4.8] every AMQP id has a JMS text that leads back to it, as correlation id and as message id")
    void idsGoBothWays(Object amqp, String correlation, String message) throws JMSException {
        assertThat(MessageIds.correlationIdOf(amqp)).isEqualTo(correlation);
        assertThat(MessageIds.messageIdOf(amqp)).isEqualTo(message).startsWith("ID:");
        assertThat(MessageIds.toAmqp(correlation)).isEqualTo(amqp);
        assertThat(MessageIds.toAmqp(message)).isEqualTo(amqp);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ID:AMQP_UUID:1-2-3-4-5",
                "ID:AMQP_UUID:",
                "ID:AMQP_ULONG:-1",
                "ID:AMQP_ULONG:18446744073709551616",
                "ID:AMQP_BINARY:0",
                "ID:AMQP_BINARY:zz"
            })
    @DisplayName("[mapping 4.8] what is not of the type its prefix names is refused")
    void wrongIdsAreRefused(String id) {
        assertThatThrownBy(() -> MessageIds.toAmqp(id))
                .isInstanceOf(JMSException.class)
                .hasMessageContaining(id);
    }

    @Test
    @DisplayName("The bytes of a correlation id that is text are its UTF-8")
    void bytesOfATextAreItsUtf8() throws JMSException {
        assertThat(MessageIds.toBytes("ä")).containsExactly(0xc3, 0xa4);
        assertThat(MessageIds.toBytes(null)).isNull();
    }
}
