package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.queue.ShardSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the broker tells of itself. */
final class SysTopicsTest {
    private static final TestServer.Setup EVERY_SECOND = TestServer.Setup.DEFAULT.with(Options.sysInterval(1));

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @DisplayName("who subscribes gets the last values at once, marked as retained, and each again when it changes")
    void values(int version) throws IOException {
        try (TestServer server = new TestServer(folder, EVERY_SECOND);
                RawMqtt watcher = new RawMqtt(server.address(), version);
                RawMqtt other = new RawMqtt(server.address(), version)) {
            watcher.open("watcher", true);
            assertThat(watcher.subscribed("$SYS/broker/#", 1)).isEqualTo(1);
            Map<String, String> first = until(watcher, "$SYS/broker/version", "mainstem version test");
            assertThat(first).containsKeys("$SYS/broker/uptime", "$SYS/broker/clients/connected");

            other.openKept("other");
            other.publish("somewhere", 0, 0, "12345");
            Map<String, String> later = until(watcher, "$SYS/broker/clients/connected", "2");
            assertThat(later).doesNotContainKey("$SYS/broker/version");
            until(watcher, "$SYS/broker/publish/bytes/received", "5");

            other.disconnect();
            other.expectClosed();
            until(watcher, "$SYS/broker/clients/disconnected", "1");
        }
    }

    @Test
    @DisplayName("retained messages, subscriptions and bytes are counted")
    void counts() throws IOException {
        try (TestServer server = new TestServer(folder, EVERY_SECOND);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            client.publish(3, "kept", 1, new Bytes(), new byte[10]);
            client.expectAck(RawMqtt.PUBACK, 1);
            client.subscribed("$SYS/broker/retained messages/count", 0);
            until(client, "$SYS/broker/retained messages/count", "1");
            client.subscribed("$SYS/broker/subscriptions/count", 0);
            until(client, "$SYS/broker/subscriptions/count", "2");
        }
    }

    @Test
    @DisplayName(
            "[MQTT-4.7.2-1] $SYS needs a permission that names it, and no filter that begins with a wildcard matches it")
    void permission() throws IOException {
        AccessPolicy all = RightsTest.policy("allow all mqtt-topic #");
        AccessPolicy named = RightsTest.policy("allow read mqtt-topic $SYS/broker/clients/#", "allow all mqtt-topic #");
        try (TestServer server = new TestServer(folder.resolve("all"), EVERY_SECOND.with(() -> all));
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            assertThat(client.subscribed("$SYS/#", 0)).isEqualTo(0x87);
            assertThat(client.subscribed("#", 0)).isZero();
            assertThat(client.subscribed("+/broker/version", 0)).isZero();
            client.expectNothing();
        }
        try (TestServer server = new TestServer(folder.resolve("named"), EVERY_SECOND.with(() -> named));
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            assertThat(client.subscribed("$SYS/#", 0)).isEqualTo(0x87);
            assertThat(client.subscribed("$SYS/broker/clients/+", 0)).isZero();
            until(client, "$SYS/broker/clients/connected", "1");
        }
    }

    @Test
    @DisplayName("values do not wait for a client that is away")
    void nothingWaits() throws IOException {
        try (TestServer server = new TestServer(folder, TestServer.Setup.DEFAULT);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.openKept("c");
            client.subscribed("$SYS/broker/version", 2);
            until(client, "$SYS/broker/version", "mainstem version test");
            client.disconnect();
            client.expectClosed();
            assertThat(server.messagesIn("amq.mqtt:c")).isZero();
        }
    }

    @Test
    @DisplayName("QoS 0 that is dropped for a slow reader counts as dropped")
    void droppedForSlowReaders() throws IOException {
        ShardSettings small = new ShardSettings(1 << 20, 1 << 20, 64 << 10, 256 << 20, 0, 1 << 20);
        try (TestServer server = new TestServer(folder, EVERY_SECOND.with(small));
                RawMqtt slow = new RawMqtt(server.address(), 4);
                RawMqtt publisher = new RawMqtt(server.address(), 4);
                RawMqtt watcher = new RawMqtt(server.address(), 4)) {
            slow.open("slow", true);
            slow.subscribed("flood", 0);
            publisher.open("p", true);
            String payload = "x".repeat(64 << 10);
            for (int i = 0; i < 400; i++) {
                publisher.publish("flood", 0, 0, payload);
            }
            publisher.publish("other", 1, 1, "fence");
            publisher.expectAck(RawMqtt.PUBACK, 1);
            watcher.open("w", true);
            watcher.subscribed("$SYS/broker/publish/messages/dropped", 0);
            String dropped = "0";
            while (dropped.equals("0")) {
                dropped = watcher.expectPublish().payload();
            }
            assertThat(Integer.parseInt(dropped)).isPositive();
        }
    }

    @Test
    @DisplayName("[A-7] messages of AMQP whose key is no topic name are counted as unmappable")
    void unmappable() throws IOException {
        try (TestServer server = new TestServer(folder, EVERY_SECOND);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            client.subscribed("stock/#", 1);
            server.publish(ForeignMessageTest.text("amq.topic", "stock.*.nyse", "unseen"));
            server.publish(ForeignMessageTest.text("amq.topic", "stock.x", "seen"));
            assertThat(client.expectPublish().payload()).isEqualTo("seen");
            client.subscribed("$SYS/broker/publish/messages/unmappable", 0);
            until(client, "$SYS/broker/publish/messages/unmappable", "1");
        }
    }

    /** Reads until a topic has this value; returns all that came. */
    private static Map<String, String> until(RawMqtt client, String topic, String value) throws IOException {
        Map<String, String> seen = new HashMap<>();
        while (!value.equals(seen.get(topic))) {
            RawMqtt.Published got = client.expectPublish();
            assertThat(got.topic()).startsWith("$SYS/broker/");
            seen.put(got.topic(), got.payload());
        }
        return seen;
    }
}
