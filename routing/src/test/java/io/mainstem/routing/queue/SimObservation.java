package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.DelayedPage;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.QueueStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All that a broker at rest has ready in its queues, in their order, and all that waits for its time. */
final class SimObservation {
    private final Map<String, Map<String, Delivery>> ready = new HashMap<>();
    private final Map<String, QueueStatus> status = new HashMap<>();
    private final List<Long> waiting = new ArrayList<>();

    /** Looks at everything. */
    static SimObservation of(SteppedBroker broker, BrokerSession session) {
        SimObservation seen = new SimObservation();
        List<String> there = SimTopology.QUEUES.stream()
                .filter(queue -> session.queue(queue) != null)
                .toList();
        Map<String, Browser> browsers = new LinkedHashMap<>();
        for (String queue : there) {
            Browser browser = new Browser();
            browsers.put(queue, browser);
            ConsumerSpec spec = new ConsumerSpec("browser", false, true, false, 0, Outcome.RELEASED);
            session.consume(queue, spec, browser).thenAccept(browser::begin);
        }
        session.flush();
        broker.settle();
        session.flush();
        broker.settle();
        browsers.forEach((queue, browser) -> seen.ready.put(queue, browser.end(queue)));
        session.flush();
        session.status(there)
                .thenAccept(all ->
                        all.forEach(one -> seen.status.put(one.queue().spec().name(), one)));
        session.delayedMessages("", 100_000).thenAccept(seen::waits);
        session.flush();
        broker.settle();
        return seen;
    }

    private void waits(DelayedPage delayed) {
        delayed.messages().forEach(one -> waiting.add(one.deliverAtMs()));
    }

    /** False if the broker has failed while it was looked at. */
    boolean complete(int queues) {
        return status.size() == queues;
    }

    boolean hasQueue(String queue) {
        return ready.containsKey(queue);
    }

    /** Ready messages by their text, in the queue's order. */
    Map<String, Delivery> ready(String queue) {
        return ready.getOrDefault(queue, Map.of());
    }

    @Nullable
    QueueStatus status(String queue) {
        return status.get(queue);
    }

    /** When the messages are due that wait for it. */
    Set<Long> waiting() {
        Set<Long> each = new HashSet<>(waiting);
        assertThat(waiting).as("none waits twice").hasSameSizeAs(each);
        return each;
    }

    @Override
    public String toString() {
        Map<String, Object> texts = new LinkedHashMap<>();
        ready.forEach((queue, messages) -> texts.put(queue, messages.keySet()));
        return texts + " waiting " + waiting + " status " + status.values();
    }

    private static final class Browser implements DeliverySink {
        private final List<Delivery> shown = new ArrayList<>();
        private @Nullable ConsumerHandle handle;

        void begin(ConsumerHandle attached) {
            handle = attached;
            attached.limit(1_000_000, true);
        }

        Map<String, Delivery> end(String queue) {
            if (handle != null) {
                handle.close();
            }
            Map<String, Delivery> all = new LinkedHashMap<>();
            for (Delivery delivery : shown) {
                String text = SimModel.text(delivery);
                assertThat(all.put(text, delivery))
                        .as("twice in " + queue + ": " + text)
                        .isNull();
            }
            return all;
        }

        @Override
        public void onDeliveries(List<Delivery> deliveries) {
            shown.addAll(deliveries);
        }

        @Override
        public void onDrained(long limit) {
            // All is there then; the test waits for rest instead.
        }

        @Override
        public void onCancelled(ErrorKind why, String text) {
            // The broker has failed: the test sees that.
        }
    }
}
