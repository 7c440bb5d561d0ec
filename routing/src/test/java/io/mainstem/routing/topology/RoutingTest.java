package io.mainstem.routing.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.Messages;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Where a publish goes")
final class RoutingTest {
    private final Declared broker = new Declared().queues("q1", "q2", "q3");

    @Test
    @DisplayName("The default exchange leads to the queue named by the key")
    void defaultExchange() {
        assertThat(broker.route("", "q1")).containsExactly("q1");
        assertThat(broker.route("", "q1", "q2", "q1")).containsExactlyInAnyOrder("q1", "q2");
        assertThat(broker.route("", "absent")).isEmpty();
    }

    @Test
    @DisplayName("[A-1] direct: the key is equal byte for byte")
    void directExchange() {
        broker.bind("amq.direct", "q1", "k").bind("amq.direct", "q2", "k").bind("amq.direct", "q3", "K");

        assertThat(broker.route("amq.direct", "k")).containsExactlyInAnyOrder("q1", "q2");
        assertThat(broker.route("amq.direct", "")).isEmpty();
    }

    @Test
    @DisplayName("[A-1] fanout: all")
    void fanoutExchange() {
        broker.bind("amq.fanout", "q1", "x").bind("amq.fanout", "q2", "");

        assertThat(broker.route("amq.fanout", "anything")).containsExactlyInAnyOrder("q1", "q2");
    }

    @Test
    @DisplayName("[A-3] a queue gets a message once however many bindings and keys match")
    void oncePerQueue() {
        broker.bind("amq.topic", "q1", "a.#").bind("amq.topic", "q1", "#.b").bind("amq.topic", "q1", "a.b");

        assertThat(broker.snapshot()
                        .route("amq.topic", List.of("a.b", "a"), Messages.empty())
                        .targets())
                .hasSize(1);
    }

    @Test
    @DisplayName("[A-3], [S-7] the matched bindings of a subscription are told, once each")
    void matchedSubscriptionsAreKept() {
        Map<String, Object> mqtt = Map.of("mqtt", true);
        broker.bind("amq.topic", "q1", "a.#", mqtt).bind("amq.topic", "q1", "#.b", mqtt);
        broker.bind("amq.topic", "q1", "#");

        RouteResult result = broker.snapshot().route("amq.topic", List.of("a.b"), Messages.empty());

        assertThat(result.targets()).hasSize(1);
        assertThat(result.targets().get(0).subscriptions())
                .extracting(BindingSpec::key)
                .containsExactlyInAnyOrder("a.#", "#.b");
    }

    @Test
    @DisplayName("[A-6] an MQTT binding that begins with a wildcard hides keys that begin with '$'; others do not")
    void dollarKeysAreHiddenFromLeadingMqttWildcards() {
        Map<String, Object> mqtt = Map.of("mqtt", true);
        broker.bind("amq.topic", "q1", "#", mqtt).bind("amq.topic", "q2", "$app.#", mqtt);
        broker.bind("amq.topic", "q3", "#");

        assertThat(broker.route("amq.topic", "$app.x")).containsExactlyInAnyOrder("q2", "q3");
        assertThat(broker.route("amq.topic", "app.x")).containsExactlyInAnyOrder("q1", "q3");
    }

    @Test
    @DisplayName("[A-7] a key without an MQTT topic name passes MQTT bindings by; alone, it is unroutable")
    void unmappableKeysPassMqttBindingsBy() {
        broker.bind("amq.topic", "q1", "#", Map.of("mqtt", true));

        assertThat(broker.route("amq.topic", "stock.*.nyse")).isEmpty();
        assertThat(broker.route("amq.topic", "")).isEmpty();
    }

    @Test
    @DisplayName(
            "[A-7] each such message is counted, also where another queue gets it; one no MQTT binding matches is not")
    void unmappableMessagesAreCounted() {
        broker.bind("amq.topic", "q1", "a.#", Map.of("mqtt", true)).bind("amq.topic", "q2", "#");

        assertThat(broker.route("amq.topic", "a.*")).containsExactly("q2");
        assertThat(broker.route("amq.topic", "a.*")).containsExactly("q2");
        assertThat(broker.route("amq.topic", "b.*")).containsExactly("q2");
        assertThat(broker.route("amq.topic", "a.b")).containsExactlyInAnyOrder("q1", "q2");
        assertThat(broker.topology().unmappable()).isEqualTo(2);
    }

    @Test
    @DisplayName("[A-6] [A-7] a key with $ that no MQTT binding may see is none that MQTT subscribers miss")
    void hiddenKeysAreNotUnmappable() {
        broker.bind("amq.topic", "q1", "#", Map.of("mqtt", true)).bind("amq.topic", "q2", "#");

        assertThat(broker.route("amq.topic", "$app.*")).containsExactly("q2");
        assertThat(broker.route("amq.topic", "$app.x")).containsExactly("q2");
        assertThat(broker.topology().unmappable()).isZero();
    }

    @Test
    @DisplayName("[A-3] the alternate exchange gets what matched nothing, and only that")
    void alternateExchange() {
        broker.exchange("orders", ExchangeType.DIRECT, Map.of("alternate-exchange", "amq.fanout"));
        broker.bind("orders", "q1", "known").bind("amq.fanout", "q2", "");

        assertThat(broker.route("orders", "known")).containsExactly("q1");
        assertThat(broker.route("orders", "unknown")).containsExactly("q2");
        assertThat(broker.route("orders", "unknown", "known")).containsExactly("q1");
    }

    @Test
    @DisplayName("[A-3] alternates in a cycle end; a missing one leads nowhere")
    void alternateCyclesAreCut() {
        broker.exchange("a", ExchangeType.DIRECT, Map.of("alternate-exchange", "b"));
        broker.exchange("b", ExchangeType.DIRECT, Map.of("alternate-exchange", "a"));
        broker.exchange("c", ExchangeType.DIRECT, Map.of("alternate-exchange", "absent"));

        assertThat(broker.route("a", "k")).isEmpty();
        assertThat(broker.route("c", "k")).isEmpty();
        assertThat(broker.bind("b", "q1", "k").route("a", "k")).containsExactly("q1");
    }

    @Test
    @DisplayName("The default exchange as alternate follows queues as they come and go")
    void alternateMayBeTheDefaultExchange() {
        broker.exchange("a", ExchangeType.DIRECT, Map.of("alternate-exchange", ""));
        assertThat(broker.route("a", "late")).isEmpty();

        broker.queues("late");

        assertThat(broker.route("a", "late")).containsExactly("late");
    }

    @Test
    @DisplayName("Exchanges bound in a cycle end, and every queue on the way is reached once")
    void bindingCyclesAreCut() {
        broker.exchange("x", ExchangeType.TOPIC).exchange("y", ExchangeType.FANOUT);
        broker.bindExchange("x", "y", "a.#").bindExchange("y", "x", "");
        broker.bind("x", "q1", "a.b").bind("y", "q1", "").bind("y", "q2", "");

        assertThat(broker.route("x", "a.b")).containsExactlyInAnyOrder("q1", "q2");
        assertThat(broker.route("y", "b")).containsExactlyInAnyOrder("q1", "q2");
    }

    @Test
    @DisplayName("[A-2] x-match all, any, void, empty arguments, typed values")
    void headersExchange() {
        Map<String, Object> wanted = Map.of("kind", "report", "pages", 3L);
        broker.bind("amq.headers", "q1", "", wanted);
        broker.bind("amq.headers", "q2", "", with(wanted, "x-match", "any"));
        broker.bind("amq.headers", "q3", "", Map.of("urgent", BindingSpec.VOID));
        Message both =
                new Messages().properties(Map.of("kind", "report", "pages", 3)).message();
        Message textual = new Messages()
                .properties(Map.of("kind", "report", "pages", "3"))
                .message();
        Message urgent = new Messages().properties(Map.of("urgent", false)).message();

        assertThat(broker.route(both, "amq.headers", "k")).containsExactlyInAnyOrder("q1", "q2");
        assertThat(broker.route(textual, "amq.headers", "k")).containsExactly("q2");
        assertThat(broker.route(urgent, "amq.headers", "k")).containsExactly("q3");
        assertThat(broker.route("amq.headers", "k")).isEmpty();
    }

    @Test
    @DisplayName("[A-2] empty arguments match with all, not with any")
    void emptyHeaderArguments() {
        broker.bind("amq.match", "q1", "", Map.of()).bind("amq.match", "q2", "", Map.of("x-match", "any"));

        assertThat(broker.route("amq.match", "k")).containsExactly("q1");
    }

    @Test
    @DisplayName("[A-2] x- names count only with all-with-x and any-with-x, and are looked up in annotations, too")
    void headersWithX() {
        broker.bind("amq.headers", "q1", "", Map.of("x-a", "1", "b", "2"));
        broker.bind("amq.headers", "q2", "", Map.of("x-match", "all-with-x", "x-a", "1", "b", "2"));
        Message annotated = new Messages()
                .section(0x72, Map.of("x-a", "1"))
                .properties(Map.of("b", "2"))
                .message();
        Message plain = new Messages().properties(Map.of("b", "2")).message();

        assertThat(broker.route(annotated, "amq.headers", "k")).containsExactlyInAnyOrder("q1", "q2");
        assertThat(broker.route(plain, "amq.headers", "k")).containsExactly("q1");
    }

    @Test
    @DisplayName("A route through a headers exchange is worked out for every message, not remembered")
    void headersRoutesAreNotCached() {
        broker.bindExchange("amq.direct", "amq.headers", "k").bind("amq.headers", "q1", "", Map.of("a", "1"));
        Message matching = new Messages().properties(Map.of("a", "1")).message();

        assertThat(broker.route("amq.direct", "k")).isEmpty();
        assertThat(broker.route(matching, "amq.direct", "k")).containsExactly("q1");
        assertThat(broker.route("amq.direct", "k")).isEmpty();
    }

    @Test
    @DisplayName("A remembered route ends with the next bind or unbind; old snapshots keep theirs")
    void cachedRoutesFollowTheTopology() {
        broker.bind("amq.direct", "q1", "k");
        RoutingSnapshot before = broker.snapshot();
        assertThat(broker.route("amq.direct", "k")).containsExactly("q1");

        broker.bind("amq.direct", "q2", "k");

        assertThat(broker.route("amq.direct", "k")).containsExactlyInAnyOrder("q1", "q2");
        assertThat(Declared.names(before.route("amq.direct", List.of("k"), Messages.empty())))
                .containsExactly("q1");
        assertThat(broker.route("amq.direct", "k")).containsExactlyInAnyOrder("q1", "q2");
    }

    @Test
    @DisplayName("An absent exchange is an error to clients, and leads dead letters nowhere [T-3]")
    void absentExchange() {
        assertThatThrownBy(() -> broker.route("absent", "k")).isInstanceOfSatisfying(BrokerException.class, refusal -> {
            assertThat(refusal.kind()).isEqualTo(ErrorKind.NOT_FOUND);
            assertThat(refusal).hasMessageContaining("MS-0302").hasMessageContaining("'absent'");
        });
        assertThat(broker.snapshot()
                        .routeFromBroker("absent", List.of("k"), Messages.empty())
                        .unroutable())
                .isTrue();
    }

    @Test
    @DisplayName("Clients may not publish to an internal exchange; bindings and the broker may")
    void internalExchange() {
        broker.apply(broker.topology()
                .declareExchange(new ExchangeSpec("in", ExchangeType.FANOUT, true, false, true, Map.of())));
        broker.bind("in", "q1", "").bindExchange("amq.fanout", "in", "");

        assertThatThrownBy(() -> broker.route("in", "k"))
                .isInstanceOfSatisfying(
                        BrokerException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.ACCESS_REFUSED));
        assertThat(broker.route("amq.fanout", "k")).containsExactly("q1");
        assertThat(Declared.names(broker.snapshot().routeFromBroker("in", List.of("k"), Messages.empty())))
                .containsExactly("q1");
    }

    @Test
    @DisplayName("x-max-priority limits the lanes of a queue")
    void maximumPriority() {
        QueueSpec spec = new QueueSpec("p", true, false, false, false, Map.of("x-max-priority", 5L));
        broker.apply(broker.topology().declareQueue(spec).plan());

        assertThat(broker.snapshot().queue("p").maxPriority()).isEqualTo(5);
        assertThat(broker.snapshot().queue("q1").maxPriority()).isEqualTo(9);
    }

    private static Map<String, Object> with(Map<String, Object> arguments, String name, Object value) {
        Map<String, Object> more = new HashMap<>(arguments);
        more.put(name, value);
        return more;
    }
}
