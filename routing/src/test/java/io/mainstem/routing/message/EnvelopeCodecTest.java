package io.mainstem.routing.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("[D-3] The envelope in the log")
final class EnvelopeCodecTest {
    private static final Envelope FULL = new Envelope(
            "orders",
            List.of("eu.new", "cc", ""),
            true,
            9,
            1_790_000_000_123L,
            4_294_967_296L,
            1_790_000_000_456L,
            1_790_000_000_789L,
            "client-\u20AC",
            "alice",
            Envelope.Origin.MQTT_5,
            2,
            true,
            new SectionOffsets(0, 12, 40, 130, 70_000, 0x75),
            List.of(
                    new Death("q", "rejected", 3, 1, 2, "x", List.of("a", "b"), 5, 2),
                    new Death("", "expired", 1, 0, -1, "", List.of(), -1, 0)));

    @Test
    void everyFieldComesBack() {
        assertThat(EnvelopeCodec.decode(EnvelopeCodec.encode(FULL))).isEqualTo(FULL);
    }

    @Test
    void absentFieldsComeBackAbsent() {
        Envelope plain = Messages.envelope(SectionOffsets.NONE);

        assertThat(EnvelopeCodec.decode(EnvelopeCodec.encode(plain))).isEqualTo(plain);
    }

    @Test
    @DisplayName("The bytes are a stored contract")
    void bytesAreStable() {
        Envelope envelope = Messages.envelope(new SectionOffsets(-1, 0, -1, 5, -1, 0x77));

        // version 1, flags durable, kinds: body 0x77; arrival 1; exchange "", one key "", publisher "";
        // offsets + 1: absent, 0, absent, 5, absent
        assertThat(HexFormat.of().formatHex(EnvelopeCodec.encode(envelope)))
                .isEqualTo("01" + "01" + "60" + "01" + "00" + "0100" + "00" + "0001000600");
    }

    @Test
    void everyTruncationIsMalformed() {
        byte[] bytes = EnvelopeCodec.encode(FULL);

        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> EnvelopeCodec.decode(cut)).isInstanceOf(MalformedMessageException.class);
        }
        assertThatThrownBy(() -> EnvelopeCodec.decode(Arrays.copyOf(bytes, bytes.length + 1)))
                .isInstanceOf(MalformedMessageException.class);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void mutatedBytesAreAnEnvelopeOrMalformed(long seed) {
        Random random = new Random(seed);
        byte[] valid = EnvelopeCodec.encode(FULL);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = valid.clone();
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                EnvelopeCodec.decode(bytes);
            } catch (MalformedMessageException expected) {
                assertThat(expected).hasMessageContaining("MS-0301");
            }
        }
    }
}
