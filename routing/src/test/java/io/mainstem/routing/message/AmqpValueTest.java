package io.mainstem.routing.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("AMQP 1.0 values (part 1, 1.6)")
final class AmqpValueTest {
    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource({
        "41,                        true",
        "42,                        false",
        "56 01,                     true",
        "43,                        0",
        "44,                        0",
        "50 FF,                     255",
        "51 FF,                     -1",
        "52 FF,                     255",
        "53 FF,                     255",
        "54 FF,                     -1",
        "55 FF,                     -1",
        "60 FF FF,                  65535",
        "61 FF FF,                  -1",
        "70 FF FF FF FF,            4294967295",
        "71 FF FF FF FF,            -1",
        "80 00 00 00 01 00 00 00 00, 4294967296",
        "80 FF FF FF FF FF FF FF FF, 18446744073709551615",
        "81 FF FF FF FF FF FF FF FF, -1",
        "72 3F C0 00 00,            1.5",
        "82 3F F8 00 00 00 00 00 00, 1.5",
        "73 00 01 F6 00,            \uD83D\uDE00",
        "73 FF FF FF FF,            \uFFFD",
        "83 00 00 00 00 00 00 00 01, 1970-01-01T00:00:00.001Z",
        "A1 02 68 69,               hi",
        "B3 00 00 00 02 68 69,      hi",
        "45,                        []",
        "C0 03 02 41 42,            '[true, false]'",
        "E0 04 02 50 01 02,         '[1, 2]'",
        "E0 06 01 00 53 05 50 09,   '[9]'",
        "C1 05 02 A1 01 6B 40,      '{k=null}'",
        "00 53 05 41,               'Described[descriptor=5, value=true]'",
        "74 00 00 00 0A,            'Decimal[typeCode=116, hex=a]'",
    })
    @DisplayName("[A-2] every type has a value; the width of integers is no part of it")
    void decodes(String hex, String text) {
        assertThat(String.valueOf(decode(hex))).isEqualTo(text);
    }

    @Test
    void decodesNullBinaryAndUuid() {
        assertThat(decode("40")).isNull();
        assertThat(decode("A0 02 01 02")).isEqualTo(new byte[] {1, 2});
        assertThat(decode("98 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 02")).isEqualTo(new UUID(1, 2));
    }

    @Test
    void whatIsWrittenIsRead() {
        List<Object> values = new ArrayList<>(List.of(
                true,
                0L,
                -128L,
                128L,
                Long.MIN_VALUE,
                1.5,
                "",
                "x".repeat(255),
                "x".repeat(256),
                Instant.EPOCH,
                new UUID(3, 4),
                List.of(1L, List.of("a")),
                Map.of("k", 7L),
                "y".repeat(70_000)));
        values.add(null);

        Object read = AmqpValueReader.decode(new AmqpValueWriter().value(values).toByteArray());

        assertThat(read).isEqualTo(values);
        assertThat(AmqpValueReader.decode(
                        new AmqpValueWriter().uint(4_294_967_295L).toByteArray()))
                .isEqualTo(4_294_967_295L);
        assertThat(AmqpValueReader.decode(
                        new AmqpValueWriter().value((short) -2).toByteArray()))
                .isEqualTo(-2L);
        assertThatThrownBy(() -> new AmqpValueWriter().value(BigInteger.ONE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("A header is written with no more fields than it needs, and read back")
    void headers() {
        assertThat(HexFormat.of().formatHex(MessageHeader.ABSENT.encode())).isEqualTo("00537045");
        assertThat(HexFormat.of().formatHex(new MessageHeader(true, -1, -1, false, 0).encode()))
                .isEqualTo("005370c0020141");
        for (MessageHeader header : List.of(
                new MessageHeader(false, 0, 0, true, 4_294_967_295L),
                new MessageHeader(true, 255, 4_294_967_295L, false, 0),
                new MessageHeader(false, -1, -1, true, 0))) {
            assertThat(SectionScanner.split(List.of(header.encode())).header()).isEqualTo(header);
        }
        assertThat(SectionScanner.split(List.of(new MessageHeader(false, -1, 1L << 32, false, 0).encode()))
                        .header()
                        .ttlMs())
                .isEqualTo(-1);
    }

    @Test
    @DisplayName("[D-4] a properties field of the wrong type reads as absent")
    void propertiesOfTheWrongTypeAreAbsent() {
        byte[] encoded = new Messages()
                .section(0x73, Arrays.asList(List.of(), "user", 5, true, null, "id", 1, 2, "t", 7L, 8, "seq", 9))
                .encoded();
        SectionScanner.BareMessage bare = SectionScanner.split(List.of(encoded));

        assertThat(MessageProperties.read(bare.sections(), bare.offsets()))
                .isEqualTo(new MessageProperties(null, null, null, null, null, "id", null, null, 0, 0, null, -1, null));
    }

    private static Object decode(String hex) {
        return AmqpValueReader.decode(HexFormat.ofDelimiter(" ").parseHex(hex.trim()));
    }
}
