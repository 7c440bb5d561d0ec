package io.mainstem.routing.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import io.mainstem.store.MetaChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Declaring: decided, then logged, then visible")
final class TopologyTest {
    private final Declared broker = new Declared();
    private final List<String> visible = new ArrayList<>();

    private Topology topology() {
        return broker.topology();
    }

    @Test
    void aPlanIsNotVisibleBeforeItIsApplied() {
        QueuePlan queue = topology().declareQueue(QueueSpec.durable("q"));

        assertThat(broker.snapshot().queue("q")).isNull();
        assertThat(queue.info().created()).isTrue();
        topology().apply(queue.plan(), () -> visible.add("q"));
        assertThat(broker.snapshot().queue("q").queueId())
                .isEqualTo(queue.info().queueId());
        assertThat(visible).containsExactly("q");
    }

    @Test
    @DisplayName(
            "an id is not given out again after a restart although the first record that was to reserve it was refused")
    void everyGroupReservesUntilOneIsLogged() {
        QueuePlan refused = topology().declareQueue(QueueSpec.durable("refused"));
        QueuePlan taken = topology().declareQueue(QueueSpec.durable("taken"));
        topology().discard(refused.plan());
        broker.apply(taken.plan());
        Plan later = topology().declareQueue(QueueSpec.durable("later")).plan();
        broker.restart();

        assertThat(later.meta()).extracting(MetaChange::key).doesNotContain(MetaKeys.QUEUE_IDS);
        assertThat(topology().declareQueue(QueueSpec.durable("next")).info().queueId())
                .isGreaterThan(taken.info().queueId());
    }

    @Test
    @DisplayName(
            "a queue with more bindings than go in one group loses them first, some at a time; so does an exchange")
    void thinning() {
        int bindings = 2 * Topology.BINDINGS_AT_A_TIME + 10;
        broker.queues("q", "other").exchange("x", ExchangeType.DIRECT).bind("x", "other", "k0");
        for (int i = 0; i < bindings; i++) {
            broker.bind("x", "q", "k" + i);
        }
        int steps = 0;
        for (Plan some = topology().thinQueue("q");
                some != null;
                some = topology().thinQueue("q")) {
            assertThat(some.meta()).hasSize(Topology.BINDINGS_AT_A_TIME);
            broker.apply(some);
            steps++;
        }
        assertThat(steps).isEqualTo(2);
        broker.restart();
        assertThat(broker.snapshot().bindingsOf("q")).hasSize(10);
        assertThat(broker.apply(topology().deleteQueue("q")).meta()).hasSize(11);

        broker.queues("q");
        for (int i = 0; i < bindings; i++) {
            broker.bind("x", "q", "k" + i);
        }
        for (Plan some = topology().thinExchange("x");
                some != null;
                some = topology().thinExchange("x")) {
            broker.apply(some);
        }
        broker.apply(topology().deleteExchange("x", false));
        broker.restart();
        assertThat(broker.snapshot().bindingsOf("q")).isEmpty();
        assertThat(broker.snapshot().bindingsOf("other")).isEmpty();
    }

    @Test
    @DisplayName("Plans build on plans that are still on their way, and become visible in their order")
    void plansBecomeVisibleInOrder() {
        Plan exchange = topology().declareExchange(exchange("x", false));
        Plan queue = topology().declareQueue(QueueSpec.durable("q")).plan();
        Plan binding = topology().bind(new BindingSpec("x", "q", true, "k", Map.of()));
        QueuePlan again = topology().declareQueue(QueueSpec.durable("q"));

        topology().apply(again.plan(), () -> visible.add("again"));
        topology().apply(binding, () -> visible.add("binding"));
        topology().apply(queue, () -> visible.add("queue"));
        assertThat(visible).isEmpty();
        topology().apply(exchange, () -> visible.add("exchange"));

        assertThat(visible).containsExactly("exchange", "queue", "binding", "again");
        assertThat(again.info().created()).isFalse();
        assertThat(broker.route("x", "k")).containsExactly("q");
    }

    @Test
    void aDiscardedPlanLeavesNothingBehind() {
        Plan refused = topology().declareQueue(QueueSpec.durable("q")).plan();
        topology().discard(refused);

        assertRefused(
                () -> topology().bind(new BindingSpec("amq.topic", "q", true, "", Map.of())), ErrorKind.NOT_FOUND);
        QueuePlan again = topology().declareQueue(QueueSpec.durable("q"));
        assertThat(again.info().created()).isTrue();
        assertThat(again.plan().meta()).extracting("key").containsExactly("queue-ids", "queue/%2F/q");
    }

    @Test
    @DisplayName("What is durable comes back from the metadata image; what is not does not")
    void durableTopologyComesBack() {
        broker.queues("q")
                .exchange("x", ExchangeType.TOPIC)
                .bind("x", "q", "a.*")
                .bind("amq.topic", "q", "#");
        broker.bind("amq.headers", "q", "", Map.of("v", BindingSpec.VOID, "b", new byte[] {1, 2}, "n", 7L));
        broker.apply(topology()
                .declareQueue(new QueueSpec("t", false, false, false, false, Map.of()))
                .plan());
        broker.bind("amq.fanout", "t", "");
        QueueInfo before = topology().declareQueue(QueueSpec.durable("q")).info();

        broker.restart();

        assertThat(topology().declareQueue(QueueSpec.durable("q")).info()).isEqualTo(before);
        assertThat(broker.route("x", "a.b")).containsExactly("q");
        assertThat(broker.snapshot().bindingsOf("q")).hasSize(3);
        assertThat(broker.snapshot().queue("t")).isNull();
        assertThat(broker.route("amq.fanout", "")).isEmpty();
    }

    @Test
    @DisplayName("A queue id is never used again, not after a delete and a restart")
    void queueIdsAreNeverReused() {
        broker.queues("q");
        int first = broker.snapshot().queue("q").queueId();
        broker.apply(topology().deleteQueue("q"));

        broker.restart();

        assertThat(broker.queues("q").snapshot().queue("q").queueId()).isGreaterThan(first);
    }

    @Test
    @DisplayName("Queue ids are unique over virtual hosts, names are not")
    void virtualHostsAreApart() {
        VirtualHosts hosts = new VirtualHosts(TopologyLimits.NONE);
        hosts.add("b");
        QueueInfo one = hosts.topology("/").declareQueue(QueueSpec.durable("q")).info();
        QueueInfo other =
                hosts.topology("b").declareQueue(QueueSpec.durable("q")).info();

        assertThat(one.queueId()).isNotEqualTo(other.queueId());
        assertThat(hosts.topology("absent")).isNull();
        broker.image.put(VirtualHosts.record("b/%").key(), new byte[] {1});
        assertThat(VirtualHosts.restore(broker.image, TopologyLimits.NONE).topology("b/%"))
                .isNotNull();
    }

    @Test
    @DisplayName("Deleting a queue removes its bindings, and autoDelete exchanges that lose their last one")
    void deletingAQueueCascades() {
        broker.queues("q", "other");
        broker.apply(topology().declareExchange(exchange("up", true)));
        broker.apply(topology().declareExchange(exchange("auto", true)));
        broker.exchange("kept", ExchangeType.TOPIC);
        broker.bindExchange("up", "auto", "")
                .bind("auto", "q", "k")
                .bind("kept", "q", "k")
                .bind("kept", "other", "k");

        Plan plan = broker.apply(topology().deleteQueue("q"));

        assertThat(plan.meta()).allMatch(change -> change.value() == null).hasSize(6);
        assertThat(broker.snapshot().exchangeExists("auto")).isFalse();
        assertThat(broker.snapshot().exchangeExists("up")).isFalse();
        assertThat(broker.route("kept", "k")).containsExactly("other");
        broker.restart();
        assertThat(broker.snapshot().exchangeExists("auto")).isFalse();
        assertThat(broker.snapshot().bindingsOf("other")).hasSize(1);
    }

    @Test
    @DisplayName("A queue declared again after a delete has no old bindings")
    void redeclaredQueueStartsUnbound() {
        broker.queues("q").bind("amq.direct", "q", "k");
        assertThat(broker.route("amq.direct", "k")).containsExactly("q");

        broker.apply(topology().deleteQueue("q"));
        broker.queues("q");

        assertThat(broker.route("amq.direct", "k")).isEmpty();
    }

    @Test
    void unbindingTheLastBindingRemovesAnAutoDeleteExchange() {
        broker.queues("q").apply(topology().declareExchange(exchange("auto", true)));
        broker.bind("auto", "q", "1").bind("auto", "q", "2");

        broker.apply(topology().unbind(new BindingSpec("auto", "q", true, "1", Map.of())));
        assertThat(broker.snapshot().exchangeExists("auto")).isTrue();
        broker.apply(topology().unbind(new BindingSpec("auto", "q", true, "2", Map.of())));

        assertThat(broker.snapshot().exchangeExists("auto")).isFalse();
    }

    @Test
    void deletingAnExchangeRemovesBindingsFromAndToIt() {
        broker.queues("q").exchange("x", ExchangeType.FANOUT);
        broker.bind("x", "q", "").bindExchange("amq.fanout", "x", "");

        assertRefused(() -> topology().deleteExchange("x", true), ErrorKind.PRECONDITION_FAILED);
        broker.apply(topology().deleteExchange("x", false));

        assertThat(broker.snapshot().bindingsOf("q")).isEmpty();
        assertThat(broker.image.keySet()).containsExactlyInAnyOrder("queue-ids", "queue/%2F/q");
    }

    @Test
    @DisplayName("[R-2] binding twice and unbinding what is not bound change nothing; numbers compare by value")
    void bindingIsIdempotent() {
        broker.queues("q").bind("amq.headers", "q", "", Map.of("n", 1L));

        assertThat(topology()
                        .bind(new BindingSpec("amq.headers", "q", true, "", Map.of("n", 1)))
                        .isEmpty())
                .isTrue();
        assertThat(topology()
                        .unbind(new BindingSpec("amq.headers", "q", true, "", Map.of("n", "1")))
                        .isEmpty())
                .isTrue();
        assertThat(topology()
                        .unbind(new BindingSpec("amq.headers", "q", true, "", Map.of("n", 1)))
                        .isEmpty())
                .isFalse();
    }

    @Test
    @DisplayName("Declaring again with other properties names the first that differs, wanted and found")
    void inequivalentDeclarationsAreRefused() {
        broker.queues("q").exchange("x", ExchangeType.TOPIC);

        assertThatThrownBy(() -> topology().declareQueue(new QueueSpec("q", false, false, false, false, Map.of())))
                .hasMessageContaining("MS-0306")
                .hasMessageContaining("queue 'q' in virtual host '/': durable wanted false, found true");
        assertThatThrownBy(() ->
                        topology().declareQueue(new QueueSpec("q", true, false, false, false, Map.of("x-expires", 5L))))
                .hasMessageContaining("argument 'x-expires' wanted 5, found absent");
        assertThatThrownBy(() -> topology()
                        .declareExchange(new ExchangeSpec("x", ExchangeType.DIRECT, true, false, false, Map.of())))
                .hasMessageContaining("type wanted DIRECT, found TOPIC");
        assertThat(topology()
                        .declareExchange(exchange("amq.topic", ExchangeType.TOPIC))
                        .isEmpty())
                .isTrue();
    }

    @ParameterizedTest(name = "[A-4] ''{0}''")
    @ValueSource(
            strings = {"", "a\nb", "a\rb", "a\0", "/queues/a", "/exchanges/", "/topics/x", "queue://a", "temp-topic://a"
            })
    @DisplayName("[A-4] names that nothing may have")
    void illegalNames(String name) {
        assertRefused(() -> topology().declareQueue(QueueSpec.durable(name)), ErrorKind.INVALID_ARGUMENT);
    }

    @Test
    @DisplayName("[A-4] a name has 1 to 255 bytes, not characters, and is case-sensitive")
    void nameLengthIsInBytes() {
        assertRefused(
                () -> topology().declareQueue(QueueSpec.durable("\u20AC".repeat(86))), ErrorKind.INVALID_ARGUMENT);
        broker.queues("\u20AC".repeat(85), "x".repeat(255), "X".repeat(255));

        broker.restart();

        assertThat(broker.snapshot().queues()).isEqualTo(3);
    }

    @Test
    @DisplayName("[A-4] amq. and the default exchange are the broker's own")
    void reservedNames() {
        broker.queues("q");
        assertRefused(() -> topology().declareQueue(QueueSpec.durable("amq.q")), ErrorKind.ACCESS_REFUSED);
        assertRefused(() -> topology().declareExchange(exchange("amq.x", false)), ErrorKind.ACCESS_REFUSED);
        assertRefused(() -> topology().declareExchange(exchange("", false)), ErrorKind.ACCESS_REFUSED);
        assertRefused(() -> topology().deleteExchange("amq.topic", false), ErrorKind.ACCESS_REFUSED);
        assertRefused(() -> topology().deleteExchange("", false), ErrorKind.ACCESS_REFUSED);
        assertRefused(() -> topology().bind(new BindingSpec("", "q", true, "k", Map.of())), ErrorKind.ACCESS_REFUSED);
        assertRefused(
                () -> topology().bind(new BindingSpec("amq.topic", "", false, "k", Map.of())),
                ErrorKind.ACCESS_REFUSED);
        broker.apply(topology()
                .declareQueue(new QueueSpec("amq.sub:1", true, false, false, true, Map.of()))
                .plan());
        assertThat(broker.route("", "amq.sub:1")).containsExactly("amq.sub:1");
    }

    @Test
    @DisplayName("[A-1] binding keys: at most two '#', 128 words, 65535 bytes")
    void bindingKeyLimits() {
        broker.queues("q");
        broker.bind("amq.topic", "q", "#.a.#").bind("amq.topic", "q", "a" + ".a".repeat(127));

        for (String key : List.of("#.#.#", "a" + ".a".repeat(128), "a".repeat(65536))) {
            assertRefused(
                    () -> topology().bind(new BindingSpec("amq.topic", "q", true, key, Map.of())),
                    ErrorKind.INVALID_ARGUMENT);
        }
    }

    @Test
    @DisplayName("Arguments of the wrong type or range are refused by name")
    void illegalArguments() {
        broker.queues("q");
        assertRefused(() -> topology().declareQueue(queue(Map.of("x-max-priority", 256L))), ErrorKind.INVALID_ARGUMENT);
        assertRefused(() -> topology().declareQueue(queue(Map.of("x-message-ttl", "5"))), ErrorKind.INVALID_ARGUMENT);
        assertRefused(() -> topology().declareQueue(queue(Map.of("o", new Object()))), ErrorKind.INVALID_ARGUMENT);
        assertRefused(
                () -> topology().bind(new BindingSpec("amq.headers", "q", true, "", Map.of("x-match", "some"))),
                ErrorKind.INVALID_ARGUMENT);
    }

    @Test
    void whatIsNotThereIsNamed() {
        assertThatThrownBy(() -> topology().deleteQueue("gone"))
                .hasMessageContaining("MS-0303")
                .hasMessageContaining("'gone'");
        assertThatThrownBy(() -> topology().deleteExchange("gone", false)).hasMessageContaining("MS-0302");
        assertRefused(() -> topology().bind(new BindingSpec("gone", "q", true, "", Map.of())), ErrorKind.NOT_FOUND);
    }

    private static QueueSpec queue(Map<String, Object> arguments) {
        return new QueueSpec("n", true, false, false, false, arguments);
    }

    private static ExchangeSpec exchange(String name, boolean autoDelete) {
        return new ExchangeSpec(name, ExchangeType.DIRECT, true, autoDelete, false, Map.of());
    }

    private static ExchangeSpec exchange(String name, ExchangeType type) {
        return new ExchangeSpec(name, type, true, false, false, Map.of());
    }

    private static void assertRefused(ThrowingCallable call, ErrorKind kind) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BrokerException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(kind));
    }
}
