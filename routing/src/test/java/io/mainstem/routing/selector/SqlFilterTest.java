package io.mainstem.routing.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.MalformedMessageException;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.SectionOffsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("SQL filters of the AMQP Filter Expressions, and tag lists")
final class SqlFilterTest {
    private static final Published MESSAGE = Published.message()
            .with("n", 7)
            .with("odd name]", "x")
            .with("text", "beta")
            .with("nothing", null)
            .with("raw", new byte[] {0, (byte) 0xff})
            .annotated("x-place", "bath")
            .property("message-id", new UUID(1, 2))
            .property("subject", "Aa")
            .property("group-sequence", 3L)
            .durable();

    private static Selector compiled(String sql) {
        Selector selector = Selector.compile(Dialect.SQL, sql);
        assertThat(selector).isNotNull();
        return selector;
    }

    @ParameterizedTest
    @DisplayName("what they have beyond JMS selectors")
    @ValueSource(
            strings = {
                "n != 8 AND n % 4 = 3 AND -n % 4 = -3",
                "text > 'alpha' AND text < 'gamma' AND text BETWEEN 'a' AND 'c'",
                "text = \"beta\"",
                "[odd name]]] = 'x' AND a.[odd name]]] = 'x' AND application_properties.n = 7",
                "raw = 0x00ff AND raw <> 0x00",
                "n IN (1, 7) AND text IN ('alpha', 'beta') AND n NOT IN (1, 'x', TRUE)",
                "p.subject = 'Aa' AND properties.subject = 'Aa' AND p.group_sequence = 3",
                "p.message_id = UUID('00000000-0000-0001-0000-000000000002')",
                "p.to IS NULL AND p.creation_time IS NULL",
                "h.durable AND h.priority = 4 AND header.delivery_count = 2 AND h.ttl IS NULL",
                "m.[x-place] = 'bath' AND message_annotations.[x-place] LIKE 'b%'",
                "EXISTS(n) AND EXISTS(nothing) AND NOT EXISTS(absent) AND EXISTS(p.subject) AND nothing IS NULL",
                "UTC() = 2000000",
                "n = 07",
            })
    void matching(String sql) {
        assertThat(compiled(sql).matches(MESSAGE.queued(2))).as(sql).isTrue();
    }

    @ParameterizedTest
    @DisplayName("what is refused")
    @ValueSource(
            strings = {"p.colour = 1", "x.n = 1", "raw = 0x0", "NOW() = 1", "raw > 0x00", "n = UUID('x')", "EXISTS(1)"})
    void refused(String sql) {
        assertThatThrownBy(() -> Selector.compile(Dialect.SQL, sql)).isInstanceOf(SelectorException.class);
    }

    @Test
    @DisplayName("[F-1] only sections that are named are decoded")
    void namedSectionsOnly() {
        Envelope good = MESSAGE.build().envelope();
        Message broken = new Message(
                new Envelope(
                        "",
                        List.of("q"),
                        true,
                        -1,
                        1,
                        -1,
                        0,
                        0,
                        "",
                        null,
                        good.origin(),
                        0,
                        false,
                        new SectionOffsets(0, 0, 0, -1, -1, 0),
                        List.of()),
                List.of(new byte[] {(byte) 0xff}));

        assertThat(compiled("h.durable").matches(MessageFields.routed(broken))).isTrue();
        assertThat(compiled("h.durable OR n = 1").matches(MessageFields.routed(broken)))
                .isTrue();
        assertThatThrownBy(() -> compiled("n = 1").matches(MessageFields.routed(broken)))
                .isInstanceOf(MalformedMessageException.class);
    }

    @Test
    @DisplayName("[F-2] tags are compared as text: those with equal hash codes are two")
    void tags() {
        assertThat("Aa".hashCode()).isEqualTo("BB".hashCode());
        assertThat(TagList.compile("x || Aa").matches(MESSAGE.routed())).isTrue();
        assertThat(TagList.compile("BB").matches(MESSAGE.routed())).isFalse();
        assertThat(TagList.compile("it's || BB").matches(MESSAGE.routed())).isFalse();
        assertThat(TagList.compile("*")).isNull();
        assertThat(TagList.compile("A || *")).isNull();
        assertThat(TagList.compile("")).isNull();
    }
}
