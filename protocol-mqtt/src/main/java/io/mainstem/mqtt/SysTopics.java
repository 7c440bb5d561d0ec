package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Version;
import io.mainstem.routing.Broker;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.message.Message;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the broker tells of itself below {@code $SYS/broker/}, as users of Mosquitto know it: a value is published when it
 * has changed, and who subscribes gets the last ones at once. They lie in no log, and cost a look at some counters as
 * long as nobody subscribes.
 *
 * <p>Thread: {@link #refresh} that of the sessions; {@link #deliver} any.
 */
final class SysTopics {
    private static final String ROOT = "$SYS";
    private static final String BROKER = ROOT + "/broker/";
    /** No client has this id. */
    private static final PublishIngress.Publisher SELF =
            new PublishIngress.Publisher(Version.V3_1_1, "", null, TopicMapping.EXACT);

    private final Broker owner;
    private final Statistics statistics;
    private final Sessions sessions;
    private final InstantSource clock;
    private final long startMs;
    private volatile Map<String, String> last = Map.of();

    /** Collects values by their topics. */
    static final class Values {
        private final Map<String, String> byTopic = new TreeMap<>();

        void put(String name, long value) {
            put(name, Long.toString(value));
        }

        void put(String name, String value) {
            byTopic.put(BROKER + name, value);
        }
    }

    SysTopics(Broker owner, Statistics statistics, Sessions sessions, InstantSource clock) {
        this.owner = owner;
        this.statistics = statistics;
        this.sessions = sessions;
        this.clock = clock;
        this.startMs = clock.millis();
    }

    /** Publishes what has changed since the last time. */
    void refresh() {
        Map<String, String> before = last;
        Map<String, String> now = values();
        last = now;
        BrokerSession broker = sessions.broker();
        now.forEach((topic, value) -> {
            if (!value.equals(before.get(topic))) {
                broker.publish(message(topic, value), 0, (tag, result) -> {});
            }
        });
        broker.flush();
    }

    private Map<String, String> values() {
        Values values = new Values();
        values.put("version", "mainstem version " + owner.version());
        values.put("uptime", (clock.millis() - startMs) / 1000 + " seconds");
        int known = sessions.known();
        values.put("clients/total", known);
        values.put("clients/disconnected", Math.max(0, known - statistics.connectedNow()));
        values.put("clients/expired", sessions.expired());
        statistics.addTo(values);
        values.put("publish/messages/dropped", statistics.dropped() + owner.messagesDropped());
        values.put("publish/messages/unmappable", statistics.unmappable() + owner.messagesUnmappable());
        values.put("subscriptions/count", sessions.broker().topology().bindingCount());
        values.put("retained messages/count", sessions.retained().count());
        values.put("retained messages/bytes", sessions.retained().bytes());
        Runtime runtime = Runtime.getRuntime();
        values.put("heap/current", runtime.totalMemory() - runtime.freeMemory());
        return values.byTopic;
    }

    /** Gives a session the last values of one of its filters; takes effect with the next flush. */
    void deliver(BrokerSession broker, String queue, Subscription subscription) {
        if (!subscription.filter().startsWith(ROOT)) {
            return;
        }
        last.forEach((topic, value) -> {
            if (SubscriptionSet.matches(subscription.filter(), topic)) {
                Message copy = Retained.copy(message(topic, value), subscription);
                broker.publishTo(queue, copy, 0, (tag, result) -> {});
            }
        });
    }

    private Message message(String topic, String value) {
        return PublishIngress.message(
                SELF,
                PublishIngress.Place.of(topic, null),
                0,
                false,
                Properties.NONE,
                value.getBytes(StandardCharsets.US_ASCII),
                clock.millis());
    }
}
