package io.mainstem.routing.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("[M-8], [A-16] Annotations of the broker")
final class BrokerAnnotationsTest {
    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "x-opt-deaths",
                "x-death",
                "x-first-death-queue",
                "x-last-death-reason",
                "x-exchange",
                "x-routing-key",
                "x-acquired-count",
                "x-delivery-count",
                "x-opt-ingress-time",
                "x-opt-mqtt-user-props",
                "x-opt-amqp091-headers"
            })
    @DisplayName("[M-8] keys that clients may not set are taken off, and no others")
    void ownedKeysAreStripped(String owned) {
        Map<String, Object> annotations = new LinkedHashMap<>();
        annotations.put("x-opt-mine", 1);
        annotations.put(owned, "forged");
        annotations.put("x-opt-too", "kept");
        byte[] encoded =
                new Messages().section(0x72, annotations).section(0x77, "body").encoded();

        SectionScanner.BareMessage stripped =
                BrokerAnnotations.strip(SectionScanner.split(Messages.pieces(encoded, 5)));

        annotations.remove(owned);
        byte[] expected =
                new Messages().section(0x72, annotations).section(0x77, "body").encoded();
        assertThat(SectionScannerTest.join(stripped.sections())).isEqualTo(expected);
        assertThat(SectionScanner.scan(stripped.sections()).offsets()).isEqualTo(stripped.offsets());
    }

    @Test
    @DisplayName("[D-1] a message without such keys stays the same object")
    void othersAreUntouched() {
        SectionScanner.BareMessage message = SectionScanner.split(List.of(new Messages()
                .section(0x72, Map.of("x-opt-mine", 1, "death", 2))
                .section(0x77, "body")
                .encoded()));

        assertThat(BrokerAnnotations.strip(message)).isSameAs(message);
    }

    @Test
    void aSectionOfOwnedKeysOnlyGoes() {
        SectionScanner.BareMessage stripped = BrokerAnnotations.strip(SectionScanner.split(List.of(new Messages()
                .section(0x72, Map.of("x-death", 1))
                .section(0x77, "body")
                .encoded())));

        assertThat(SectionScannerTest.join(stripped.sections()))
                .isEqualTo(new Messages().section(0x77, "body").encoded());
        assertThat(stripped.offsets()).isEqualTo(new SectionOffsets(-1, -1, -1, 0, -1, 0x77));
    }

    @Test
    @DisplayName("[A-16] a delivery says where it was published; stored annotations keep their bytes")
    void extraAnnotationsAreAppended() {
        byte[] numericKey = {0x53, 0x07, 0x41};
        byte[] stored = new AmqpValueWriter()
                .descriptor(0x72)
                .map(2, new AmqpValueWriter().raw(numericKey).symbol("x-opt-a").value("old"))
                .toByteArray();
        Message message = new Messages().bytes(stored).section(0x77, "body").message();
        SectionOffsets offsets = message.envelope().offsets();

        byte[] section = BrokerAnnotations.encode(message.sections(), offsets, Map.of("x-opt-a", "new"));

        assertThat(section)
                .isEqualTo(new AmqpValueWriter()
                        .descriptor(0x72)
                        .map(
                                2,
                                new AmqpValueWriter()
                                        .raw(numericKey)
                                        .symbol("x-opt-a")
                                        .value("new"))
                        .toByteArray());
        assertThat(offsets.afterAnnotations((int) message.sectionBytes())).isEqualTo(stored.length);
    }

    @Test
    void noAnnotationsAreNoSection() {
        assertThat(BrokerAnnotations.encode(List.of(), SectionOffsets.NONE, Map.of()))
                .isEmpty();
        assertThat(BrokerAnnotations.encode(List.of(), SectionOffsets.NONE, Map.of("x-exchange", "e")))
                .isEqualTo(
                        new Messages().section(0x72, Map.of("x-exchange", "e")).encoded());
    }

    @Test
    @DisplayName("[T-3] deaths are an array of maps, newest first")
    void deathsAreReadable() {
        List<Map<String, Object>> deaths = BrokerAnnotations.deaths(List.of(
                new Death("q", "rejected", 2, 1, 2, "x", List.of("k"), 9, 1),
                new Death("p", "expired", 1, 1, 1, "", List.of("q"), -1, 0)));

        Object read = AmqpValueReader.decode(new AmqpValueWriter().value(deaths).toByteArray());

        assertThat(read).asInstanceOf(InstanceOfAssertFactories.LIST).hasSize(2);
        assertThat(read.toString())
                .startsWith("[{queue=q, reason=rejected, count=2")
                .contains("ttl=9");
    }
}
