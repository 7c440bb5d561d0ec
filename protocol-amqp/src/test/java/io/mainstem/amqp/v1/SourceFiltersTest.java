package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.selector.Dialect;
import io.mainstem.routing.selector.Selector;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.DescribedType;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnknownDescribedType;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Filters of a source")
final class SourceFiltersTest {
    private static final long SELECTOR = 0x0000468C00000004L;
    private static final long NO_LOCAL = 0x0000468C00000003L;
    private static final long SQL = 0x120;
    private static final long PROPERTIES = 0x173;
    private static final long APPLICATION_PROPERTIES = 0x174;

    private final Map<Symbol, Object> filters = new LinkedHashMap<>();

    private static DescribedType filter(long code, Object value) {
        return new UnknownDescribedType(UnsignedLong.valueOf(code), value);
    }

    private static DescribedType filter(String name, Object value) {
        return new UnknownDescribedType(Symbol.valueOf(name), value);
    }

    private SourceFiltersTest with(String key, Object filter) {
        filters.put(Symbol.valueOf(key), filter);
        return this;
    }

    private SourceFilters understood() {
        Source source = new Source();
        source.setFilter(filters);
        return SourceFilters.of(source);
    }

    private String sql(Object properties, Object applicationProperties) {
        filters.clear();
        if (properties != null) {
            with("p", filter(PROPERTIES, properties));
        }
        if (applicationProperties != null) {
            with("a", filter(APPLICATION_PROPERTIES, applicationProperties));
        }
        Selector selector = understood().selector();
        return selector == null ? "" : selector.text();
    }

    private void refused(String text) {
        assertThatThrownBy(this::understood)
                .isInstanceOfSatisfying(
                        AmqpException.class,
                        refusal -> assertThat(
                                        (Object) refusal.toErrorCondition().getCondition())
                                .isEqualTo(AmqpError.INVALID_FIELD))
                .hasMessageContaining(text);
    }

    @Test
    @DisplayName("[J-6] are recognised by descriptor, code or name, whatever their key")
    void byDescriptor() {
        with("whatever", filter(SELECTOR, "a = 1"));
        assertThat(understood().selector()).isEqualTo(Selector.compile(Dialect.JMS, "a = 1"));

        filters.clear();
        with("selector", filter("apache.org:selector-filter:string", "a = 2"));
        assertThat(understood().selector()).isEqualTo(Selector.compile(Dialect.JMS, "a = 2"));

        filters.clear();
        with("sql-filter", filter("amqp:sql-filter", "p.subject = 'x'"));
        assertThat(understood().selector()).isEqualTo(Selector.compile(Dialect.SQL, "p.subject = 'x'"));

        filters.clear();
        with("x", filter(SQL, "a % 2 = 0"));
        assertThat(understood().selector()).isEqualTo(Selector.compile(Dialect.SQL, "a % 2 = 0"));
    }

    @Test
    @DisplayName("[J-5] that are not honoured are not answered")
    void onlyHonoured() {
        Object selector = filter(SELECTOR, "a = 1");
        with("selector", selector)
                .with("stream", filter("rabbitmq:stream-filter", "x"))
                .with("plain", "a = 2")
                .with("local", filter(NO_LOCAL, List.of()));

        assertThat(understood().honoured().keySet())
                .containsExactlyInAnyOrder(Symbol.valueOf("selector"), Symbol.valueOf("local"));
        assertThat(understood().noLocal()).isTrue();
        assertThat(understood().ofQueue().honoured()).containsOnly(Map.entry(Symbol.valueOf("selector"), selector));
        assertThat(understood().ofQueue().noLocal()).isFalse();
        assertThat(SourceFilters.of(new Source()).honoured()).isEmpty();
    }

    @Test
    @DisplayName("filtex 4.2.4: properties filter")
    void properties() {
        Map<Symbol, Object> wanted = new LinkedHashMap<>();
        wanted.put(Symbol.valueOf("subject"), "it's");
        wanted.put(Symbol.valueOf("message-id"), new UUID(1, 2));
        wanted.put(Symbol.valueOf("correlation-id"), UnsignedLong.valueOf(7));
        wanted.put(Symbol.valueOf("user-id"), new Binary(new byte[] {0, (byte) 0xab}));
        wanted.put(Symbol.valueOf("content-type"), Symbol.valueOf("text/plain"));
        wanted.put(Symbol.valueOf("creation-time"), Date.from(Instant.ofEpochMilli(1234)));
        wanted.put(Symbol.valueOf("group-sequence"), UnsignedInteger.MAX_VALUE);
        wanted.put(Symbol.valueOf("to"), null);

        assertThat(sql(wanted, null))
                .isEqualTo("p.subject = 'it''s' AND p.message_id = UUID('00000000-0000-0001-0000-000000000002')"
                        + " AND p.correlation_id = 7 AND p.user_id = 0x00ab AND p.content_type = 'text/plain'"
                        + " AND p.creation_time = 1234 AND p.group_sequence = 4294967295");
    }

    @Test
    @DisplayName("filtex 4.2.5: application-properties filter")
    void applicationProperties() {
        Map<String, Object> wanted = new LinkedHashMap<>();
        wanted.put("odd [name]", "x");
        wanted.put("there", null);
        wanted.put("flag", true);
        wanted.put("ratio", 0.5f);
        wanted.put("count", (byte) -3);

        assertThat(sql(null, wanted))
                .isEqualTo(
                        "[odd [name]]] = 'x' AND EXISTS([there]) AND [flag] = TRUE AND [ratio] = 0.5 AND [count] = -3");
    }

    @Test
    @DisplayName("filtex 4.1.1: &p: prefix, &s: suffix, && for an ampersand")
    void affixes() {
        assertThat(sql(Map.of(Symbol.valueOf("subject"), "&p:a'b"), null)).isEqualTo("p.subject LIKE 'a''b%'");
        assertThat(sql(null, Map.of("k", "&s:10%!_"))).isEqualTo("[k] LIKE '%10!%!!!_' ESCAPE '!'");
        assertThat(sql(null, Map.of("k", "&&p:x"))).isEqualTo("[k] = '&p:x'");

        with("a", filter(APPLICATION_PROPERTIES, Map.of("k", "&x:y")));
        refused("&p:, &s: or &&");
    }

    @Test
    @DisplayName("filtex 7.1: 16 fields in both property filters, even the longest, are not too many")
    void sixteenFields() {
        Map<Symbol, Object> properties = new LinkedHashMap<>();
        for (String name : List.of(
                "message-id",
                "to",
                "subject",
                "reply-to",
                "correlation-id",
                "content-type",
                "content-encoding",
                "group-id",
                "reply-to-group-id")) {
            properties.put(Symbol.valueOf(name), "&p:_");
        }
        Map<String, Object> application = new LinkedHashMap<>();
        for (int i = 0; i < 16; i++) {
            application.put("k" + i, "&s:_");
        }
        assertThat(sql(properties, application)).contains("[k15]");

        application.put("one more", 1);
        filters.clear();
        with("a", filter(APPLICATION_PROPERTIES, application));
        refused("17 fields (expected: 1 to 16)");
    }

    @Test
    @DisplayName("that cannot be understood are invalid fields, with what was expected")
    void refusals() {
        with("s", filter(SELECTOR, "a = "));
        refused("character 5: found end of text, expected a value");
        filters.clear();
        with("s", filter(SELECTOR, 7));
        refused("as a string");
        filters.clear();
        with("s", filter(SELECTOR, "a = 1")).with("q", filter(SQL, "a = 1"));
        refused("use one of them");
        filters.clear();
        with("s", filter(SELECTOR, "a = 1")).with("t", filter(SELECTOR, "a = 2"));
        refused("two filters");
        filters.clear();
        with("p", filter(PROPERTIES, Map.of(Symbol.valueOf("colour"), "x")));
        refused("field 'colour'");
        filters.clear();
        with("p", filter(PROPERTIES, List.of("x")));
        refused("as a map");
        filters.clear();
        with("p", filter(APPLICATION_PROPERTIES, Map.of("k", List.of())));
        refused("field 'k'");
    }
}
