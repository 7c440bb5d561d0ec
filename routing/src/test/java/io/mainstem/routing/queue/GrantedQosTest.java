package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BranchId;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.topology.Grant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** [S-7] What MQTT subscriptions granted when a message was routed is known when it is delivered, whatever came between. */
final class GrantedQosTest {
    private static final BranchId ID = BranchId.of(new byte[] {1});

    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @BeforeEach
    void session() {
        client.declare(new QueueSpec("s", true, false, false, false, Map.of("x-max-priority", 0L)));
        subscribe(1);
    }

    @AfterEach
    void close() {
        broker.close();
    }

    private void subscribe(long qos) {
        client.ask(session ->
                session.bind(new BindingSpec("amq.topic", "s", true, "t", Map.of(Grant.MQTT, true, Grant.QOS, qos))));
    }

    private void unsubscribe() {
        client.ask(session -> session.unbind(new BindingSpec("amq.topic", "s", true, "t", Map.of(Grant.MQTT, true))));
    }

    private int granted() {
        return client.consume("s").credit(1).next().grantedQos();
    }

    @Test
    void isThatOfThenNotOfNow() {
        client.publish(Messages.to("amq.topic", "t").text("a"));
        subscribe(2);
        assertThat(granted()).isEqualTo(1);
    }

    @Test
    void isTheHighestOfAllThatMatched() {
        client.ask(session ->
                session.bind(new BindingSpec("amq.topic", "s", true, "#", Map.of(Grant.MQTT, true, Grant.QOS, 2L))));
        client.publish(Messages.to("amq.topic", "t").text("a"));
        unsubscribe();
        assertThat(granted()).isEqualTo(2);
    }

    @Test
    void isKnownOfMessagesInMemory() {
        client.publish(Messages.to("amq.topic", "t").nonDurable().text("a"));
        unsubscribe();
        assertThat(granted()).isEqualTo(1);
    }

    @Test
    void isNothingForWhatCameOtherwise() {
        client.send("s", "a");
        assertThat(granted()).isEqualTo(-1);
    }

    @Test
    @DisplayName("a prepared branch was routed when its message was sent")
    void survivesPreparationAndCrash() {
        TestTransaction branch = new TestTransaction(client, ID);
        branch.publish(Messages.to("amq.topic", "t").text("a"));
        branch.prepare();
        unsubscribe();
        broker.crash();
        client = broker.client();
        client.ask(session -> session.commitPrepared(ID));
        assertThat(granted()).isEqualTo(1);
    }

    @Test
    void survivesADelayAndACrash() {
        client.publish(Messages.to("amq.topic", "t")
                .arrived(broker.nowMs())
                .deliverAt(broker.nowMs() + 10_000)
                .text("a"));
        unsubscribe();
        broker.crash();
        client = broker.client();
        broker.advanceMs(10_000);
        assertThat(granted()).isEqualTo(1);
    }
}
