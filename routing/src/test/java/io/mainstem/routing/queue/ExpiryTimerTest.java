package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.topology.TopologyLimits;
import io.mainstem.routing.topology.VirtualHosts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When a queue is looked at for what expires [T-4]. */
final class ExpiryTimerTest {
    private final ExpiryTimer timer = new ExpiryTimer();
    private final List<String> fired = new ArrayList<>();
    private final MessageQueue first = queue("first", 1);
    private final MessageQueue second = queue("second", 2);

    private static MessageQueue queue(String name, int id) {
        QueueSpec spec = QueueSpec.durable(name);
        return new MessageQueue(
                new VirtualHosts(TopologyLimits.NONE).add("/"),
                new QueueInfo(spec, id, true),
                QueueOptions.of(spec),
                null);
    }

    private void fireAt(long nowMs) {
        timer.fire(nowMs, 100, queue -> fired.add(queue.name()));
    }

    @Test
    @DisplayName("messages that expire the sooner the later they come leave one entry a queue")
    void fallingTimesToLive() {
        for (long atMs = 100_000; atMs > 10; atMs--) {
            timer.enter(first, atMs);
            timer.enter(second, atMs);
        }

        assertThat(timer.size()).isEqualTo(2);
        assertThat(timer.nextMs()).isEqualTo(11);
        fireAt(10);
        assertThat(fired).isEmpty();
        fireAt(11);
        assertThat(fired).containsExactly("first", "second");
        assertThat(timer.nextMs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void theEarliestTimeCountsAndIsForgottenOnceItHasCome() {
        timer.enter(first, 20);
        timer.enter(second, 15);
        timer.enter(first, 30);
        fireAt(15);
        assertThat(fired).containsExactly("second");

        timer.enter(second, 40);
        fireAt(39);
        fireAt(40);

        assertThat(fired).containsExactly("second", "first", "second");
    }
}
