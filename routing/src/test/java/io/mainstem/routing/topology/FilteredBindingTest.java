package io.mainstem.routing.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.Messages;
import io.mainstem.routing.selector.BindingFilter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("[S-11] Bindings with a filter")
final class FilteredBindingTest {
    private static final Map<String, Object> RED = Map.of(BindingFilter.JMS_SELECTOR, "color = 'red'");
    private static final Map<String, Object> BLUE = Map.of(BindingFilter.JMS_SELECTOR, "color = 'blue'");

    private final Declared broker = new Declared().queues("q1", "q2", "q3");

    private static Message message(String color) {
        return new Messages().properties(Map.of("color", color)).message();
    }

    private Set<String> route(String color) {
        return broker.route(message(color), "amq.topic", "t");
    }

    @Test
    @DisplayName("let through what their selector matches, message by message, for one and the same key")
    void selector() {
        broker.bind("amq.topic", "q1", "t", RED)
                .bind("amq.topic", "q2", "t", BLUE)
                .bind("amq.topic", "q3", "t");

        assertThat(route("red")).containsExactlyInAnyOrder("q1", "q3");
        assertThat(route("blue")).containsExactlyInAnyOrder("q2", "q3");
        assertThat(route("green")).containsExactly("q3");
        assertThat(route("red")).containsExactlyInAnyOrder("q1", "q3");
    }

    @Test
    @DisplayName("of one queue: any of them is enough, and the queue gets one copy")
    void anyOfOneQueue() {
        broker.bind("amq.topic", "q1", "t", RED).bind("amq.topic", "q1", "#", BLUE);

        assertThat(route("red")).containsExactly("q1");
        assertThat(route("blue")).containsExactly("q1");
        assertThat(route("green")).isEmpty();

        broker.bind("amq.topic", "q1", "*");

        assertThat(route("green")).containsExactly("q1");
    }

    @Test
    @DisplayName("with no-local: nothing that the same client has published")
    void noLocal() {
        Message own = message("red");
        broker.bind(
                        "amq.topic",
                        "q1",
                        "t",
                        Map.of(BindingFilter.NOT_FROM, own.envelope().publisherId()))
                .bind("amq.topic", "q2", "t", Map.of(BindingFilter.NOT_FROM, "another"));

        assertThat(broker.route(own, "amq.topic", "t")).containsExactly("q2");
    }

    @Test
    @DisplayName("[A-3] what a filter holds back goes to the alternate")
    void alternate() {
        broker.exchange("ae", ExchangeType.FANOUT)
                .bind("ae", "q3", "")
                .exchange("e", ExchangeType.TOPIC, Map.of("alternate-exchange", "ae"))
                .bind("e", "q1", "t", RED);

        assertThat(broker.route(message("red"), "e", "t")).containsExactly("q1");
        assertThat(broker.route(message("blue"), "e", "t")).containsExactly("q3");
    }

    @Test
    @DisplayName("between exchanges filter, too")
    void betweenExchanges() {
        broker.exchange("red only", ExchangeType.FANOUT)
                .bind("red only", "q1", "")
                .bindExchange("amq.topic", "red only", "t", RED);

        assertThat(route("red")).containsExactly("q1");
        assertThat(route("blue")).isEmpty();
    }

    @Test
    @DisplayName("[S-2] are told apart by their filter, and survive a restart")
    void identity() {
        broker.bind("amq.topic", "q1", "t", RED).bind("amq.topic", "q1", "t", BLUE);
        assertThat(broker.snapshot().bindingsOf("q1")).hasSize(2);

        broker.restart();

        assertThat(broker.snapshot().bindingsOf("q1"))
                .hasSize(2)
                .allSatisfy(binding -> assertThat(
                                BindingFilter.of(binding.arguments()).selector())
                        .isNotNull());
        assertThat(route("red")).containsExactly("q1");
        assertThat(route("green")).isEmpty();
    }

    @Test
    @DisplayName("whose selector cannot be understood are refused with the place")
    void refused() {
        assertThatThrownBy(() -> broker.bind("amq.topic", "q1", "t", Map.of(BindingFilter.JMS_SELECTOR, "color =")))
                .isInstanceOfSatisfying(
                        BrokerException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.INVALID_ARGUMENT))
                .hasMessageContaining("MS-0351")
                .hasMessageContaining("character 8");
    }

    @Test
    @DisplayName("of a later version that cannot be understood let nothing through, and do not stop the start")
    void notUnderstoodAfterRestart() {
        broker.bind("amq.topic", "q1", "t", Map.of(BindingFilter.JMS_SELECTOR, "color = 'red'"))
                .bind("amq.topic", "q2", "t");
        broker.image.replaceAll((key, value) -> key.startsWith("binding/")
                ? new String(value, StandardCharsets.ISO_8859_1)
                        .replace("color = 'red'", "color ~ 'red'")
                        .getBytes(StandardCharsets.ISO_8859_1)
                : value);

        broker.restart();

        assertThat(route("red")).containsExactly("q2");
    }

    @Test
    @DisplayName("[F-1] that ask for a constant are found by it: thousands of others cost nothing")
    void index() {
        Map<String, Object> arguments = new HashMap<>();
        for (int i = 0; i < 2_000; i++) {
            arguments.put(BindingFilter.JMS_SELECTOR, "n > 0 AND color = 'c" + i + "'");
            broker.bind("amq.topic", i % 2 == 0 ? "q1" : "q2", "t", arguments);
        }

        assertThat(route("c0")).isEmpty();
        Message one =
                new Messages().properties(Map.of("color", "c1999", "n", 1)).message();
        assertThat(broker.route(one, "amq.topic", "t")).containsExactly("q2");
        Message number = new Messages().properties(Map.of("color", 1)).message();
        assertThat(broker.route(number, "amq.topic", "t")).isEmpty();
    }
}
