package io.mainstem.routing.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Types of the fields of header and properties (AMQP 1.0 part 3, 3.2.1, 3.2.4)")
final class FieldTypesTest {
    private static void scan(String hex) {
        SectionScanner.checkProperties(
                SectionScanner.split(List.of(HexFormat.of().parseHex(hex.replace(" ", "")))));
    }

    @ParameterizedTest(name = "{1}")
    @CsvSource({
        "00 53 70 c0 03 01 50 01, durable",
        "00 53 70 c0 03 02 41 41, priority",
        "00 53 70 c0 05 03 41 40 53 01, ttl",
        "00 53 70 c0 06 04 41 40 40 52 01, first-acquirer",
        "00 53 70 c0 07 05 41 40 40 41 50 01, delivery-count",
        "00 53 73 c0 04 01 a3 01 61, message-id",
        "00 53 73 c0 05 02 40 a1 01 61, user-id",
        "00 53 73 c0 06 03 40 40 a3 01 61, to",
        "00 53 73 c0 06 04 40 40 40 52 01, subject",
        "00 53 73 c0 07 05 40 40 40 40 52 01, reply-to",
        "00 53 73 c0 07 06 40 40 40 40 40 41, correlation-id",
        "00 53 73 c0 0a 07 40 40 40 40 40 40 a1 01 61, content-type",
        "00 53 73 c0 0b 08 40 40 40 40 40 40 40 a1 01 61, content-encoding",
        "00 53 73 c0 0b 09 40 40 40 40 40 40 40 40 55 01, absolute-expiry-time",
        "00 53 73 c0 0c 0a 40 40 40 40 40 40 40 40 40 55 01, creation-time",
        "00 53 73 c0 0e 0b 40 40 40 40 40 40 40 40 40 40 a3 01 61, group-id",
        "00 53 73 c0 0e 0c 40 40 40 40 40 40 40 40 40 40 40 54 01, group-sequence",
        "00 53 73 c0 0e 0d 40 40 40 40 40 40 40 40 40 40 40 40 45, reply-to-group-id",
    })
    void wrongTypes(String message, String field) {
        assertThatThrownBy(() -> scan(message))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("'" + field + "'")
                .hasMessageContaining("MS-0301");
    }

    @Test
    void tooManyFields() {
        assertThatThrownBy(() -> scan("00 53 70 c0 07 06 40 40 40 40 40 40"))
                .hasMessageContaining("header of 6 fields");
    }

    @ParameterizedTest
    @CsvSource({
        "00 53 70 c0 0c 05 56 01 50 04 70 00 00 00 01 42 43",
        "00 53 70 d0 00 00 00 06 00 00 00 02 41 40",
        "00 53 73 c0 03 01 53 01",
        "00 53 73 c0 02 01 44",
        "00 53 73 c0 12 01 98 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",
        "00 53 73 c0 07 02 a0 01 61 a0 01 61",
    })
    void allEncodingsOfTheRightType(String message) {
        scan(message);
        assertThat(message).isNotEmpty();
    }
}
