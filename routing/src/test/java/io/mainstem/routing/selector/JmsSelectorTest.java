package io.mainstem.routing.selector;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.message.Death;
import io.mainstem.routing.message.Message;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Message selectors of Jakarta Messaging 3.1, 3.8.1")
final class JmsSelectorTest {
    private static final Published MESSAGE = Published.message()
            .with("color", "red")
            .with("n", 7)
            .with("big", Long.MAX_VALUE)
            .with("x", 2.5)
            .with("yes", true)
            .with("no", false)
            .with("digits", "2")
            .with("quote", "it's")
            .with("wild", "10% off_")
            .with("content-length", 12)
            .with("nothing", null)
            .with("$_ä", 1);

    private static boolean matches(String selector) {
        Selector compiled = Selector.compile(Dialect.JMS, selector);
        return compiled != null && compiled.matches(MESSAGE.routed());
    }

    @ParameterizedTest
    @DisplayName("3.8.1.1 literals, identifiers, operators and their precedence")
    @ValueSource(
            strings = {
                "color = 'red'",
                "'red' = color",
                "quote = 'it''s'",
                "n = 7 AND x = 2.5",
                "n = 7. and n = 7.0 aNd n = 70e-1 AND n = 7L AND n = 7d",
                "n = 0x7 AND n = 07 AND n = +7 AND -n = -7 AND - -n = 7",
                "x = .25E1 AND x > -57.9E2",
                "big = 9223372036854775807 AND -big > -9223372036854775808",
                "n + 1 * 2 = 9 AND (n + 1) * 2 = 16",
                "n - 2 - 1 = 4 AND n / 2 = 3 AND n / 2.0 = 3.5",
                "color = 'red' OR color = 'blue' AND n = 0",
                "NOT color = 'blue' AND n = 7",
                "NOT (color = 'red' AND n = 8)",
                "NOT NOT yes",
                "yes AND NOT no",
                "yes = TRUE AND no = false AND yes <> no",
                "TRUE",
                "$_ä = 1",
                "\"content-length\" = 12",
                "\"color\" = 'red'",
                "n BETWEEN 7 AND 7 AND n NOT BETWEEN 8 AND 9",
                "n + 1 BETWEEN x * 2 AND 9",
                "color IN ('blue', 'red') AND color NOT IN ('blue')",
                "color LIKE 'r_d' AND color LIKE '%' AND color LIKE '%e%' AND color NOT LIKE '_'",
                "wild LIKE '10!% off!_' ESCAPE '!' AND wild NOT LIKE '10!_%' ESCAPE '!'",
                "nothing IS NULL AND absent IS NULL AND color IS NOT NULL",
                "n >= 7 AND n <= 7 AND n > 6 AND n < 8 AND n <> 6",
            })
    void matching(String selector) {
        assertThat(matches(selector)).as(selector).isTrue();
    }

    @ParameterizedTest
    @DisplayName("3.8.1.2 NULL: comparison, arithmetic, LIKE, IN and BETWEEN of NULL are unknown, and so is their NOT")
    @ValueSource(
            strings = {
                "absent = 1",
                "absent <> 1",
                "NOT absent = 1",
                "absent + 1 = 1",
                "NOT (absent + 1 = 1)",
                "absent LIKE '%'",
                "absent NOT LIKE '%'",
                "absent IN ('a')",
                "absent NOT IN ('a')",
                "absent BETWEEN 1 AND 2",
                "absent NOT BETWEEN 1 AND 2",
                "n BETWEEN absent AND 9",
                "absent",
                "NOT absent",
                "absent = absent",
                "absent AND yes",
                "absent OR no",
                "n / 0 = 1",
                "NOT (n / 0 = 1)",
            })
    void unknown(String selector) {
        assertThat(matches(selector)).as(selector).isFalse();
    }

    @Test
    @DisplayName("3.8.1.2 tables 3-4 and 3-5: false AND unknown is false, true OR unknown is true")
    void threeValuedLogic() {
        assertThat(matches("NOT (no AND absent)")).isTrue();
        assertThat(matches("NOT (absent AND no)")).isTrue();
        assertThat(matches("yes OR absent")).isTrue();
        assertThat(matches("absent OR yes")).isTrue();
        assertThat(matches("NOT (yes AND absent)")).isFalse();
        assertThat(matches("NOT (no OR absent)")).isFalse();
    }

    @ParameterizedTest
    @DisplayName("3.8.1.3 values of unlike type compare as false, and nothing is converted")
    @ValueSource(
            strings = {
                "digits = 2",
                "digits <> 2",
                "digits > 1",
                "n = '7'",
                "yes = 'true'",
                "yes <> 1",
                "color > digits",
                "yes > no",
                "n LIKE '7'",
                "n IN ('7')",
                "n NOT LIKE '7'",
                "n NOT IN ('7')",
                "color NOT BETWEEN 1 AND 2",
                "color",
                "NOT color",
                "color + 1 = 1",
            })
    void unlikeTypes(String selector) {
        assertThat(matches(selector)).as(selector).isFalse();
    }

    @Test
    @DisplayName("what the broker noted can be asked for by the names that a consumer reads it by")
    void brokerNotes() {
        Message plain = Published.message().build();
        Message dead = new Message(
                plain.envelope()
                        .deadLettered(
                                "dlx",
                                "dead",
                                List.of(
                                        new Death("orders", "expired", 3, 1, 2, "", List.of("orders"), -1, 0),
                                        new Death("older", "rejected", 1, 1, 1, "", List.of("older"), -1, 0))),
                plain.sections());
        String notes = "JMS_MAINSTEM_DEATH_REASON = 'expired' AND JMS_MAINSTEM_DEATH_QUEUE = 'orders'"
                + " AND JMS_MAINSTEM_DEATH_COUNT = 3 AND JMS_MAINSTEM_EXCHANGE = 'dlx'"
                + " AND JMS_MAINSTEM_ROUTING_KEY = 'dead' AND JMS_MAINSTEM_INGRESS_TIME = 1000000";
        Selector selector = Selector.compile(Dialect.JMS, notes);

        assertThat(selector).isNotNull();
        assertThat(selector.matches(MessageFields.routed(dead))).isTrue();
        assertThat(selector.matches(MessageFields.routed(plain))).isFalse();
        assertThat(Selector.compile(Dialect.JMS, "JMS_MAINSTEM_DEATH_REASON IS NULL")
                        .matches(MessageFields.routed(plain)))
                .isTrue();
    }

    @Test
    @DisplayName("3.8.1.3 NOT of such a comparison is true")
    void negatedUnlikeTypes() {
        assertThat(matches("NOT digits = 2")).isTrue();
        assertThat(matches("NOT n LIKE '7'")).isTrue();
        assertThat(matches("NOT n IN ('7')")).isTrue();
    }

    @Test
    @DisplayName("3.8.1 an empty selector is none")
    void emptySelector() {
        assertThat(Selector.compile(Dialect.JMS, "")).isNull();
        assertThat(Selector.compile(Dialect.JMS, " \t\n")).isNull();
    }

    @Test
    @DisplayName("3.8.1.1 names differ by case, keywords do not")
    void caseOfNames() {
        assertThat(matches("COLOR = 'red'")).isFalse();
        assertThat(matches("color like 'r%' And Not no oR False")).isTrue();
    }

    @Test
    @DisplayName("mapping 7: the standard headers, with their defaults")
    void headers() {
        Published message = Published.message()
                .property("message-id", "ID:1")
                .property("correlation-id", "order 7")
                .property("subject", "invoice")
                .property("user-id", "bob".getBytes(StandardCharsets.UTF_8))
                .property("group-id", "g")
                .property("group-sequence", 3L)
                .annotated("x-opt-app-id", "till")
                .durable()
                .priority(12);
        for (String selector : List.of(
                "JMSMessageID = 'ID:1'",
                "JMSCorrelationID = 'order 7'",
                "JMSType = 'invoice'",
                "JMSPriority = 9",
                "JMSDeliveryMode = 'PERSISTENT'",
                "JMSTimestamp = 0",
                "JMSXUserID = 'bob' AND JMSXGroupID = 'g' AND JMSXGroupSeq = 3 AND JMSXAppID = 'till'",
                "JMSXDeliveryCount IS NULL AND JMSRedelivered IS NULL")) {
            assertThat(compiled(selector).matches(message.routed()))
                    .as(selector)
                    .isTrue();
        }
        assertThat(compiled("JMSPriority = 4 AND JMSDeliveryMode = 'NON_PERSISTENT' AND JMSMessageID IS NULL")
                        .matches(Published.message().routed()))
                .isTrue();
        assertThat(compiled("JMSXDeliveryCount = 3 AND JMSRedelivered").matches(message.queued(2)))
                .isTrue();
    }

    @Test
    @DisplayName("mapping 4.8: ids that are no strings have their JMS text; binary is no string")
    void idsInJmsText() {
        Map<String, Object> byText = Map.of(
                "ID:AMQP_UUID:00000000-0000-0001-0000-000000000002",
                new UUID(1, 2),
                "ID:AMQP_ULONG:42",
                42L,
                "ID:AMQP_BINARY:00FF",
                new byte[] {0, (byte) 0xff},
                "ID:AMQP_NO_PREFIX:plain",
                "plain",
                "ID:AMQP_STRING:ID:AMQP_UUID:x",
                "ID:AMQP_UUID:x",
                "ID:plain",
                "ID:plain");
        byText.forEach((text, id) -> {
            MessageFields message =
                    Published.message().property("message-id", id).routed();
            assertThat(compiled("JMSMessageID = '" + text + "'").matches(message))
                    .as(text)
                    .isTrue();
        });
        MessageFields binary =
                Published.message().property("correlation-id", new byte[] {'a'}).routed();
        assertThat(compiled("JMSCorrelationID = 'a'").matches(binary)).isFalse();
        assertThat(compiled("JMSCorrelationID = 'ID:AMQP_BINARY:61'").matches(binary))
                .isTrue();
    }

    @Test
    @DisplayName("mapping 7: annotations only by m.")
    void annotations() {
        MessageFields message = Published.message()
                .annotated("x-opt-place", "bath")
                .annotated("place", 1)
                .routed();

        assertThat(compiled("\"m.x-opt-place\" = 'bath' AND m.place = 1").matches(message))
                .isTrue();
        assertThat(compiled("place IS NULL AND \"x-opt-place\" IS NULL").matches(message))
                .isTrue();
    }

    private static Selector compiled(String selector) {
        Selector compiled = Selector.compile(Dialect.JMS, selector);
        assertThat(compiled).isNotNull();
        return compiled;
    }
}
