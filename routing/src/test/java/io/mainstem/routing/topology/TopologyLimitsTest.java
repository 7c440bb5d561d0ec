package io.mainstem.routing.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.QueueSpec;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A virtual host has no more queues, exchanges and bindings than there is memory for. */
final class TopologyLimitsTest {
    private final Topology topology = new VirtualHosts(new TopologyLimits(10, 10, 12)).add("/");

    private Plan apply(Plan plan) {
        topology.apply(plan, () -> {});
        return plan;
    }

    private void queue(String name) {
        apply(topology.declareQueue(QueueSpec.durable(name)).plan());
    }

    private static BindingSpec binding(String queue, String key) {
        return new BindingSpec("amq.topic", queue, true, key, Map.of());
    }

    private static void refused(ThrowingCallable call, String named, String key) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BrokerException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.RESOURCE_LIMIT))
                .hasMessageContaining("MS-0329")
                .hasMessageContaining("'" + named + "'")
                .hasMessageContaining("fix:")
                .hasMessageContaining(key);
    }

    @Test
    @DisplayName("one queue too many is refused by name; what is there goes on, and room comes back with a delete")
    void queues() {
        for (int i = 0; i < 10; i++) {
            queue("q" + i);
        }

        refused(() -> topology.declareQueue(QueueSpec.durable("one-more")), "one-more", "shard.queues-max");
        refused(
                () -> topology.declareSubscription(QueueSpec.durable("sub"), binding("sub", "a.*")),
                "sub",
                "shard.queues-max");
        assertThat(topology.declareQueue(QueueSpec.durable("q3")).info().created())
                .isFalse();
        apply(topology.bind(binding("q3", "a.#")));

        apply(topology.deleteQueue("q4"));
        queue("one-more");
    }

    @Test
    @DisplayName("issue 12 line 61: a user makes no more than its share; what goes makes room, others have theirs")
    void shares() {
        Topology shared = new VirtualHosts(new TopologyLimits(10, 10, 20, 30, () -> false)).add("/");
        for (int i = 0; i < 3; i++) {
            shared.apply(shared.declareQueue(QueueSpec.durable("q" + i), "anna").plan(), () -> {});
        }

        refused(
                () -> shared.declareQueue(QueueSpec.durable("q3"), "anna"),
                "q3",
                "user 'anna' has made 3 in virtual host '/' (limit: 3)");
        assertThat(shared.declareQueue(QueueSpec.durable("q2"), "anna").info().created())
                .isFalse();
        QueuePlan undone = shared.declareQueue(QueueSpec.durable("b"), "ben");
        shared.discard(undone.plan());
        for (int i = 0; i < 3; i++) {
            shared.declareQueue(QueueSpec.durable("b" + i), "ben");
        }
        shared.deleteQueue("q0");
        shared.declareQueue(QueueSpec.durable("q3"), "anna");
        for (int i = 0; i < 6; i++) {
            shared.bind(binding("q2", "k" + i), "anna");
        }
        refused(() -> shared.bind(binding("q2", "one more"), "anna"), "q2", "shard.user-share-percent");
        for (int i = 0; i < 3; i++) {
            shared.declareQueue(QueueSpec.durable("nobody" + i), null);
        }
        refused(() -> shared.declareQueue(QueueSpec.durable("x"), null), "x", "user 'anonymous'");
    }

    @Test
    @DisplayName("issue 12 line 61: while the heap is short no queue is made, and everything else goes on")
    void heapShort() {
        AtomicBoolean isShort = new AtomicBoolean();
        Topology full = new VirtualHosts(new TopologyLimits(10, 10, 20, 100, isShort::get)).add("/");
        full.declareQueue(QueueSpec.durable("q"));
        isShort.set(true);

        assertThatThrownBy(() -> full.declareQueue(QueueSpec.durable("more")))
                .isInstanceOfSatisfying(
                        BrokerException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.RESOURCE_LIMIT))
                .hasMessageContaining("MS-0349")
                .hasMessageContaining("'more'");
        full.declareQueue(QueueSpec.durable("q"));
        full.bind(binding("q", "a"));
        full.deleteQueue("q");
        isShort.set(false);
        full.declareQueue(QueueSpec.durable("more"));
    }

    @Test
    @DisplayName("a subscription that takes the place of another needs no room more")
    void replacedSubscription() {
        for (int i = 0; i < 9; i++) {
            queue("q" + i);
        }
        apply(topology.declareSubscription(QueueSpec.durable("sub"), binding("sub", "a"))
                .plan());

        assertThat(topology.declareSubscription(QueueSpec.durable("sub"), binding("sub", "b"))
                        .info()
                        .created())
                .isTrue();
    }

    @Test
    @DisplayName("what is decided and not on disk yet counts")
    void plannedOnes() {
        for (int i = 0; i < 10; i++) {
            topology.declareQueue(QueueSpec.durable("q" + i));
        }

        refused(() -> topology.declareQueue(QueueSpec.durable("one-more")), "one-more", "shard.queues-max");
    }

    @Test
    @DisplayName("exchanges and bindings likewise; a binding that exists is no new one")
    void exchangesAndBindings() {
        int there = Exchange.PREDECLARED.size();
        for (int i = there; i < 10; i++) {
            apply(topology.declareExchange(exchange("x" + i)));
        }
        refused(() -> topology.declareExchange(exchange("one-more")), "one-more", "shard.exchanges-max");

        queue("q");
        for (int i = 0; i < 12; i++) {
            apply(topology.bind(binding("q", "k" + i)));
        }
        refused(() -> topology.bind(binding("q", "one-more")), "q", "shard.bindings-max");
        assertThat(topology.bind(binding("q", "k3")).meta()).isEmpty();
    }

    @Test
    @DisplayName("by default half of the heap has room for all queues")
    void byHeap() {
        assertThat(TopologyLimits.forHeap(256L << 20).queuesMax()).isBetween(90_000, 100_000);
        assertThat(TopologyLimits.forHeap(64L << 30).queuesMax()).isEqualTo(1_000_000);
    }

    private static ExchangeSpec exchange(String name) {
        return new ExchangeSpec(name, ExchangeType.DIRECT, true, false, false, Map.of());
    }
}
