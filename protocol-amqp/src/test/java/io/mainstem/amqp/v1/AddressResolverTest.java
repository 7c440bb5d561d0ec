package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.amqp.v1.wire.AmqpException;
import java.util.List;
import java.util.Set;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Address strings: [A-4], [A-9] to [A-12] and the table of mapping 1.4. */
final class AddressResolverTest {
    @ParameterizedTest
    @DisplayName("[A-9] (3), [A-10]: paths are split, then decoded once; plus stays plus")
    @CsvSource({
        "/queues/q, q",
        "/queues/a%2Fb%20c, a/b c",
        "/queues/a%252Fb, a%2Fb",
        "/queues/a+b, a+b",
        "/queues/%C3%BC, ü",
        "/queues/amq.default, amq.default",
    })
    void queuePaths(String address, String queue) {
        assertThat(resolve(address, Address.Kind.TOPIC)).isEqualTo(new Address.QueueNode(queue, false));
    }

    @ParameterizedTest
    @CsvSource({
        "/exchanges/logs, logs, ''",
        "/exchanges/logs/, logs, ''",
        "/exchanges/orders/eu.new, orders, eu.new",
        "/exchanges/amq.topic/site%2F1.temp, amq.topic, site/1.temp",
    })
    void exchangePaths(String address, String exchange, String key) {
        assertThat(resolve(address, null)).isEqualTo(new Address.ExchangeNode(exchange, key));
    }

    @ParameterizedTest
    @DisplayName("[A-11]: levels are MQTT's; the swap makes them a key")
    @CsvSource({
        "/topics/a/b, a.b",
        "/topics/site.1/temp, site/1.temp",
        "/topics//a//b/, .a..b.",
        "/topics/x/*/y, x.+.y",
        "/topics/x/+/%23, x.*.#",
    })
    void topicPaths(String address, String key) {
        assertThat(resolve(address, null)).isEqualTo(new Address.TopicNode(key));
    }

    @ParameterizedTest
    @DisplayName("[A-10]: RabbitMQ's list of bad v2 addresses, but for the plain name, which names a queue here")
    @ValueSource(
            strings = {
                "/topic/mytopic",
                "/amq/queue/myqueue",
                "/queue",
                "",
                "\0",
                "/",
                "//",
                "/queues",
                "/queues/",
                "/queue/",
                "/exchanges",
                "/exchanges/",
                "/exchanges//",
                "/exchanges//mykey",
                "/exchanges/amq.default",
                "/exchanges/amq.default/",
                "/exchanges/amq.default/mykey",
                "/ex/\u270B",
                "/exchange",
                "/exchange/",
                "/exchange/amq.default",
                "/exchange//key/",
                "/exchange//key/mykey",
                "/exchange/amq.default/key/",
                "/exchange/amq.default/key/mykey",
                "/queues/missing%encoding",
                "/queues/missing/encoding",
                "/queues/\u270B",
                "/exchanges/missing%encoding",
                "/exchanges/missing/encoding/routingkey",
                "/exchanges/exchange/missing%encoding",
                "/exchanges/\u270B",
            })
    void badV2Addresses(String address) {
        malformed(address);
    }

    @ParameterizedTest
    @DisplayName("[A-10]: refused")
    @ValueSource(
            strings = {
                "/queues",
                "/queues/",
                "/queues//",
                "/queues/a/b",
                "/queues/a b",
                "/queues/ü",
                "/queues/%",
                "/queues/%2",
                "/queues/%zz",
                "/queues/%FF",
                "/queues/%00",
                "/queues/a%0A",
                "/exchanges",
                "/exchanges/",
                "/exchanges//key",
                "/exchanges/a/b/c",
                "/exchanges/amq.default",
                "/exchanges/amq.default/key",
                "/exchanges/a?b",
                "/exchanges/a#b",
                "/topics",
                "/topics/a%2Fb",
                "",
                "queue://",
                "a\nb",
            })
    void malformed(String address) {
        assertThatThrownBy(() -> resolve(address, null))
                .isInstanceOfSatisfying(
                        AmqpException.class,
                        refused -> assertThat((Object) refused.condition()).isEqualTo(AmqpError.INVALID_FIELD));
    }

    @Test
    @DisplayName("[A-4]: names are 1 to 255 bytes of UTF-8")
    void nameLength() {
        assertThat(resolve("ü".repeat(127), null)).isEqualTo(new Address.QueueNode("ü".repeat(127), true));
        assertThatThrownBy(() -> resolve("ü".repeat(128), null)).hasMessageContaining("256");
    }

    @Test
    @DisplayName("[A-9] (4), (6), (8): URI prefix before capability before plain queue; plain names are raw")
    void plainNames() {
        assertThat(resolve("a%2Fb", null)).isEqualTo(new Address.QueueNode("a%2Fb", true));
        assertThat(resolve("a.b", Address.Kind.TOPIC)).isEqualTo(new Address.TopicNode("a.b"));
        assertThat(resolve("topic://a.b", Address.Kind.QUEUE)).isEqualTo(new Address.TopicNode("a.b"));
        assertThat(resolve("queue://q", Address.Kind.TOPIC)).isEqualTo(new Address.QueueNode("q", true));
        assertThat(resolve("http://q", null)).isEqualTo(new Address.QueueNode("http://q", true));
        assertThat(resolve("temp-queue://amq.tmp:x", null)).isEqualTo(new Address.QueueNode("amq.tmp:x", false));
    }

    @Test
    @DisplayName("[A-15]: names of the broker's own are never made by using them")
    void reservedNames() {
        assertThat(resolve("amq.x", null)).isEqualTo(new Address.QueueNode("amq.x", false));
    }

    @ParameterizedTest
    @DisplayName("[A-12]: only whole words are wildcards")
    @CsvSource({"a.*.b, true", "#, true", "a.#, true", "a*.b, false", "a.b#, false", "a, false"})
    void wildcards(String key, boolean wildcard) {
        assertThat(AddressResolver.hasWildcardWord(key)).isEqualTo(wildcard);
    }

    @Test
    @DisplayName("[A-9] (8): a name that begins with '/' is a queue only if something says so")
    void slashNames() {
        assertThat(resolve("/orders/eu", Address.Kind.QUEUE)).isEqualTo(new Address.QueueNode("/orders/eu", true));
        assertThat(resolve("/orders/eu", Address.Kind.TOPIC)).isEqualTo(new Address.TopicNode("/orders/eu"));
        malformed("/orders/eu");
    }

    @ParameterizedTest
    @DisplayName("[A-9] (2): nodes of other brokers are not offered, and not taken for queues")
    @ValueSource(strings = {"$cbs", "$management"})
    void nodesOfOthers(String address) {
        assertThatThrownBy(() -> resolve(address, Address.Kind.QUEUE))
                .isInstanceOfSatisfying(
                        AmqpException.class,
                        refused -> assertThat((Object) refused.condition()).isEqualTo(AmqpError.NOT_IMPLEMENTED))
                .hasMessageContaining("fix:");
    }

    @Test
    @DisplayName("[A-9] (5): the listener's prefixes come before the capability, and after URI prefixes")
    void configuredPrefixes() {
        AddressResolver prefixed = new AddressResolver(
                new AmqpOptions("node", Set.of(), "jms.queue.", "jms.topic.", List.of()), (topic, queue) -> false);
        assertThat(prefixed.resolve("jms.queue.q", Address.Kind.TOPIC)).isEqualTo(new Address.QueueNode("q", true));
        assertThat(prefixed.resolve("jms.topic.a.b", null)).isEqualTo(new Address.TopicNode("a.b"));
        assertThat(prefixed.resolve("queue://jms.topic.a", null)).isEqualTo(new Address.QueueNode("jms.topic.a", true));
        assertThat(prefixed.resolve("q", null)).isEqualTo(new Address.QueueNode("q", true));
        assertThat(resolve("jms.queue.q", null)).isEqualTo(new Address.QueueNode("jms.queue.q", true));
    }

    @Test
    @DisplayName("[A-9] (7): Artemis' address::queue is the queue, if it is bound there")
    void fullyQualified() {
        AddressResolver artemis = new AddressResolver(
                new AmqpOptions("node", Set.of(AmqpOptions.Compatibility.ARTEMIS), "", "", List.of()),
                (topic, queue) -> topic.equals("news") && queue.equals("mine"));
        assertThat(artemis.resolve("news::mine", null)).isEqualTo(new Address.QueueNode("mine", false));
        assertThat(artemis.resolve("mine::mine", null)).isEqualTo(new Address.QueueNode("mine", false));
        assertThatThrownBy(() -> artemis.resolve("other::mine", null))
                .isInstanceOfSatisfying(
                        AmqpException.class,
                        refused -> assertThat((Object) refused.condition()).isEqualTo(AmqpError.NOT_FOUND));
        assertThat(resolve("news::mine", null)).isEqualTo(new Address.QueueNode("news::mine", true));
    }

    private static Address resolve(String address, Address.Kind kind) {
        return new AddressResolver(AmqpOptions.DEFAULT, (topic, queue) -> false).resolve(address, kind);
    }
}
