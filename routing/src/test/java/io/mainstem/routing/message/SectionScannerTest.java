package io.mainstem.routing.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Finding the sections of a message")
final class SectionScannerTest {
    @Test
    @DisplayName("[D-2], [D-3] sections are found where they begin; header and delivery-annotations stay out")
    void findsEverySection() {
        byte[] encoded = new Messages()
                .bytes(0x00, 0x53, 0x70, 0xC0, 0x04, 0x02, 0x41, 0x50, 0x07) // 0: header durable, priority 7
                .bytes(0x00, 0x53, 0x71, 0xC1, 0x01, 0x00) // 9: delivery-annotations {}
                .bytes(0x00, 0x53, 0x72, 0xC1, 0x01, 0x00) // 15: message-annotations {}
                .bytes(0x00, 0x53, 0x73, 0x45) // 21: properties []
                .bytes(0x00, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x74, 0xD1, 0, 0, 0, 4, 0, 0, 0, 0) // 25: descriptor as ulong
                .bytes(0x00, 0x53, 0x75, 0xA0, 0x02, 0x01, 0x02) // 44: data
                .bytes(0x00, 0x53, 0x75, 0xA0, 0x00) // 51: data again
                .bytes(0x00, 0x53, 0x78, 0xC1, 0x01, 0x00) // 56: footer
                .encoded();

        SectionScanner.Sections found = SectionScanner.scan(List.of(encoded));
        SectionScanner.BareMessage bare = SectionScanner.split(List.of(encoded));

        assertThat(found)
                .isEqualTo(new SectionScanner.Sections(0, 9, 15, new SectionOffsets(15, 21, 25, 44, 56, 0x75)));
        assertThat(bare.header()).isEqualTo(new MessageHeader(true, 7, -1, false, 0));
        assertThat(bare.offsets()).isEqualTo(new SectionOffsets(0, 6, 10, 29, 41, 0x75));
        assertThat(join(bare.sections())).isEqualTo(Arrays.copyOfRange(encoded, 15, encoded.length));
    }

    @Test
    @DisplayName("[D-1] a message without header is taken byte for byte, without a copy")
    void bareMessagesAreNotCopied() {
        byte[] encoded = new Messages().section(0x77, "hello").encoded();

        assertThat(SectionScanner.split(List.of(encoded)).sections().get(0)).isSameAs(encoded);
        assertThat(SectionScanner.split(List.of(encoded)).header()).isEqualTo(MessageHeader.ABSENT);
    }

    @Test
    void descriptorsMayBeSymbols() {
        byte[] name = "amqp:amqp-value:*".getBytes(StandardCharsets.US_ASCII);
        byte[] encoded = new Messages()
                .bytes(0x00, 0xA3, name.length)
                .bytes(name)
                .bytes(0x40)
                .encoded();

        assertThat(SectionScanner.scan(List.of(encoded)).offsets())
                .isEqualTo(new SectionOffsets(-1, -1, -1, 0, -1, 0x77));
    }

    @ParameterizedTest(name = "pieces of {0} bytes")
    @ValueSource(ints = {1, 2, 3, 7, 64, 1000})
    void piecesAreOneSequence(int length) {
        byte[] encoded = richMessage();
        List<byte[]> pieces = Messages.pieces(encoded, length);

        SectionScanner.BareMessage whole = SectionScanner.split(List.of(encoded));
        SectionScanner.BareMessage pieced = SectionScanner.split(pieces);

        assertThat(pieced.offsets()).isEqualTo(whole.offsets());
        assertThat(pieced.header()).isEqualTo(whole.header());
        assertThat(join(pieced.sections())).isEqualTo(join(whole.sections()));
        assertThat(AmqpValueReader.applicationProperties(pieced.sections(), pieced.offsets()))
                .isEqualTo(AmqpValueReader.applicationProperties(whole.sections(), whole.offsets()));
        assertThat(MessageProperties.read(pieced.sections(), pieced.offsets()).to())
                .isEqualTo("/queues/q");
    }

    @Test
    @DisplayName("[M-13] no sections at all is a message without a body")
    void anEmptyMessageHasNoBody() {
        assertThat(SectionScanner.scan(List.of()).offsets()).isEqualTo(SectionOffsets.NONE);
        assertThat(SectionScanner.scan(List.of(new byte[0])).offsets()).isEqualTo(SectionOffsets.NONE);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "not a section,                  40",
        "no descriptor,                  00",
        "unknown section,                00 53 79 40",
        "descriptor of another type,     00 52 70 45",
        "descriptor beyond long,         00 80 FF FF FF FF FF FF FF 75 A0 00",
        "no value,                       00 53 77",
        "header is no list,              00 53 70 C1 01 00",
        "data is no binary,              00 53 75 A1 00",
        "properties after body,          00 53 77 40 00 53 73 45",
        "two headers,                    00 53 70 45 00 53 70 45",
        "two values,                     00 53 77 40 00 53 77 40",
        "data after sequence,            00 53 75 A0 00 00 53 76 45",
        "value after data,               00 53 75 A0 00 00 53 77 40",
        "unknown type code,              00 53 77 46",
        "binary longer than the rest,    00 53 75 A0 05 01",
        "binary of 4 GiB,                00 53 75 B0 FF FF FF FF",
        "list longer than the rest,      00 53 77 C0 7F 01 40",
        "list of size 0,                 00 53 77 C0 00",
        "count beyond size,              00 53 77 C0 02 09 40",
        "count of 4 G in a short list,   00 53 77 D0 00 00 00 05 FF FF FF FF 40",
        "list with bytes left over,      00 53 77 C0 03 01 40 40",
        "map of odd count,               00 53 77 C1 02 01 40",
        "array of 4 G nulls,             00 53 77 F0 00 00 00 05 FF FF FF FF 40",
        "array too short for its count,  00 53 77 E0 05 02 71 00 00 00",
        "array without constructor,      00 53 77 E0 01 00",
        "element runs over its list,     00 53 77 C0 03 01 A1 05 40 40 40 40 40",
    })
    @DisplayName("[D-5] malformed messages are refused")
    void malformed(String what, String hex) {
        assertMalformed(bytes(hex));
    }

    @Test
    @DisplayName("[D-5] nesting of at most 32, whatever nests")
    void nestingIsLimited() {
        assertThat(SectionScanner.scan(List.of(nested(30))).offsets().bodyKind())
                .isEqualTo(0x77);
        assertMalformed(nested(33));
        byte[] descriptors = new byte[100_000];
        assertMalformed(
                new Messages().bytes(0x00, 0x53, 0x77).bytes(descriptors).encoded());
        byte[] lists = new byte[200_000];
        for (int i = 0; i < lists.length - 9; i += 9) {
            lists[i] = (byte) 0xD0;
            System.arraycopy(new byte[] {0, 0, 0, 5, 0, 0, 0, 1}, 0, lists, i + 1, 8);
        }
        assertMalformed(new Messages().bytes(0x00, 0x53, 0x77).bytes(lists).encoded());
    }

    @Test
    @DisplayName("[D-5] at most 4096 entries in a map")
    void mapEntriesAreLimited() {
        assertThat(SectionScanner.scan(List.of(mapOf(4096))).offsets().bodyKind())
                .isEqualTo(0x77);
        assertMalformed(mapOf(4097));
    }

    @Test
    @DisplayName("[D-5] a message cut anywhere but between sections is malformed")
    void everyTruncationIsMalformed() {
        byte[] encoded = richMessage();
        SectionScanner.Sections whole = SectionScanner.scan(List.of(encoded));
        SectionOffsets offsets = whole.offsets();
        Set<Integer> boundaries = Set.of(
                whole.header(),
                whole.deliveryAnnotations(),
                offsets.messageAnnotations(),
                offsets.properties(),
                offsets.applicationProperties(),
                offsets.body(),
                offsets.footer());

        for (int length = 0; length < encoded.length; length++) {
            byte[] cut = Arrays.copyOf(encoded, length);
            if (boundaries.contains(length)) {
                assertThat(SectionScanner.scan(List.of(cut)).bareFrom()).isLessThanOrEqualTo(length);
            } else {
                assertMalformed(cut);
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    @DisplayName("[D-4], [D-5] what the scanner lets through can be read; nothing else is thrown")
    void mutatedMessagesAreReadableOrMalformed(long seed) {
        Random random = new Random(seed);
        byte[] valid = richMessage();
        int readable = 0;
        for (int i = 0; i < 10_000; i++) {
            byte[] bytes = valid.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            SectionScanner.BareMessage bare;
            try {
                bare = SectionScanner.split(Messages.pieces(bytes, 1 + random.nextInt(bytes.length)));
            } catch (MalformedMessageException expected) {
                continue;
            }
            MessageProperties.read(bare.sections(), bare.offsets());
            AmqpValueReader.applicationProperties(bare.sections(), bare.offsets());
            AmqpValueReader.messageAnnotations(bare.sections(), bare.offsets());
            SectionScanner.BareMessage stripped = BrokerAnnotations.strip(bare);
            assertThat(SectionScanner.scan(stripped.sections()).offsets()).isEqualTo(stripped.offsets());
            readable++;
        }
        assertThat(readable).isPositive();
    }

    private static byte[] richMessage() {
        AmqpValueWriter properties = new AmqpValueWriter();
        properties
                .value(UUID.fromString("00000000-0000-0001-0000-000000000002"))
                .value(new byte[] {1, 2});
        properties
                .value("/queues/q")
                .value("subject")
                .nothing()
                .value(77L)
                .symbol("text/plain")
                .nothing();
        Map<String, Object> map = new HashMap<>(Map.of("s", "text", "l", 1L << 40, "i", 300, "d", 1.5, "b", true));
        map.put("long", "x".repeat(300));
        return new Messages()
                .bytes(new MessageHeader(true, 4, 5000, false, 2).encode())
                .section(0x71, Map.of("x-opt-a", 1))
                .section(0x72, Map.of("x-opt-b", List.of(1, List.of("x", 2L)), "x-exchange", "forged"))
                .bytes(new AmqpValueWriter()
                        .descriptor(0x73)
                        .list(8, properties)
                        .toByteArray())
                .properties(map)
                .section(0x77, List.of("a", Map.of("k", List.of(1, 2, 3)), new byte[40]))
                .section(0x78, Map.of("x-opt-sum", 1))
                .encoded();
    }

    private static byte[] nested(int levels) {
        Object value = 1;
        for (int i = 0; i < levels; i++) {
            value = List.of(value);
        }
        return new Messages().section(0x77, value).encoded();
    }

    private static byte[] mapOf(int entries) {
        Map<String, Integer> map = new HashMap<>();
        for (int i = 0; i < entries; i++) {
            map.put("k" + i, i);
        }
        return new Messages().section(0x77, map).encoded();
    }

    private static void assertMalformed(byte[] bytes) {
        assertThatThrownBy(() -> SectionScanner.scan(List.of(bytes))).isInstanceOf(MalformedMessageException.class);
    }

    private static byte[] bytes(String hex) {
        return HexFormat.ofDelimiter(" ").parseHex(hex.trim());
    }

    static byte[] join(List<byte[]> pieces) {
        Messages joined = new Messages();
        pieces.forEach(joined::bytes);
        return joined.encoded();
    }
}
