package io.mainstem.routing.topology;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts messages that MQTT subscriptions would have got if their routing key were a topic name [A-7]. Thread: any. */
final class UnmappableKeys {
    private static final Logger LOG = LoggerFactory.getLogger(UnmappableKeys.class);
    private static final int SHOWN_MAX = 80;

    private final LongAdder count = new LongAdder();
    private final AtomicBoolean told = new AtomicBoolean();

    void add(String exchange, List<String> keys) {
        count.increment();
        if (!told.get() && told.compareAndSet(false, true)) {
            String key = keys.stream()
                    .filter(each -> !TopicNames.mappable(each))
                    .findFirst()
                    .orElse("");
            LOG.warn(
                    "MS-0396 unmappable exchange={} routing-key=\"{}\" MQTT subscribers do not get such messages; logged"
                            + " once, counted from now on fix: publish with keys that are not empty and hold no * and #",
                    exchange,
                    key.substring(0, Math.min(SHOWN_MAX, key.length()))
                            .replace('\n', ' ')
                            .replace('\r', ' '));
        }
    }

    long count() {
        return count.sum();
    }
}
