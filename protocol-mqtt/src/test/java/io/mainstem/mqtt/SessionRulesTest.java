package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mapping 2: what a session is, how long it stays, and when its will is due. */
final class SessionRulesTest {
    private static final String QUEUE = "amq.mqtt:c";
    private static final long NEVER = 0xFFFF_FFFFL;

    @TempDir
    Path folder;

    private static Bytes expiry(long seconds) {
        return new Bytes().u8(0x11).u32(seconds);
    }

    private static void leave(TestServer server, long expirySeconds) throws IOException {
        try (RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", false, expiry(expirySeconds));
            client.subscribed("t", 1);
            client.disconnect();
            client.expectClosed();
        }
    }

    @Test
    @DisplayName(
            "[S-3] one queue for all filters of a session: overlapping ones give one copy, in the order of publishing")
    void oneQueue() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.openKept("c");
            client.subscribed("a/#", 0);
            client.subscribed("a/+", 2);
            client.subscribed("b", 1);
            assertThat(server.queueNames()).containsExactly(QUEUE);
            for (int i = 1; i <= 6; i++) {
                client.publish(i % 2 == 0 ? "a/x" : "b", 1, i, "m" + i);
            }
            for (int i = 1; i <= 6; i++) {
                client.expectAnswer(RawMqtt.PUBACK);
            }
            for (int i = 1; i <= 6; i++) {
                assertThat(client.expectPublish().payload()).isEqualTo("m" + i);
            }
            client.expectNothing();
        }
    }

    @Test
    @DisplayName("[S-5] expiry 0: the session ends with its connection")
    void endsWithItsConnection() throws IOException {
        try (TestServer server = new TestServer(folder)) {
            leave(server, 0);
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> server.queueNames().isEmpty());
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(client.openKept("c")).isFalse();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("[S-5] a session that nobody came back to ends when it expires, also behind a crash")
    void expires(boolean crash) throws IOException {
        TestServer server = new TestServer(folder);
        leave(server, 5);
        assertThat(server.queueNames()).containsExactly(QUEUE);
        if (crash) {
            server.crash();
            server = new TestServer(folder);
        }
        try (TestServer same = server) {
            await().atMost(Duration.ofMinutes(1)).until(() -> same.queueNames().isEmpty());
            try (RawMqtt client = new RawMqtt(same.address(), 5)) {
                assertThat(client.openKept("c")).isFalse();
            }
        }
    }

    @Test
    @DisplayName("[S-5] a session that never expires is there behind a crash, with what came meanwhile")
    void staysForEver() throws IOException {
        TestServer server = new TestServer(folder);
        leave(server, NEVER);
        try (RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            publisher.open("p", true);
            publisher.publish("t", 2, 1, "kept");
            publisher.expectAck(RawMqtt.PUBREC, 1);
        }
        server.crash();
        try (TestServer again = new TestServer(folder);
                RawMqtt client = new RawMqtt(again.address(), 5)) {
            assertThat(client.open("c", false, expiry(NEVER))).isTrue();
            assertThat(client.expectPublish().payload()).isEqualTo("kept");
        }
    }

    @Test
    @DisplayName("[S-5] DISCONNECT shortens what CONNECT has said")
    void disconnectChangesIt() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", false, expiry(NEVER));
            client.subscribed("t", 1);
            client.send(new Bytes().u8(0).properties(expiry(0)).packet(0xE0));
            client.expectClosed();
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> server.queueNames().isEmpty());
        }
    }

    @Test
    @DisplayName("[S-5] a will is due with the end of its session, however long its delay")
    void willAtTheEndOfTheSession() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt watcher = new RawMqtt(server.address(), 5)) {
            watcher.open("w", true);
            watcher.subscribed("will", 1);
            withWill(server, 1, 3600).close();
            assertThat(watcher.expectPublish().payload()).isEqualTo("gone");
        }
    }

    @Test
    @DisplayName(
            "[MQTT-3.1.2-8] [S-5] the will of a client that was connected when the broker was killed is published, once")
    void willBehindACrash() throws IOException {
        TestServer server = new TestServer(folder);
        try (RawMqtt watcher = new RawMqtt(server.address(), 5)) {
            watcher.openKept("w");
            watcher.subscribed("will", 1);
        }
        RawMqtt client = withWill(server, 3600, 0);
        server.crash();
        client.close();
        try (TestServer again = new TestServer(folder);
                RawMqtt watcher = new RawMqtt(again.address(), 5)) {
            assertThat(watcher.openKept("w")).isTrue();
            Published will = watcher.expectPublish();
            assertThat(will.payload()).isEqualTo("gone");
            watcher.ack(RawMqtt.PUBACK, will.packetId());
            watcher.expectNothing();
        }
        try (TestServer third = new TestServer(folder);
                RawMqtt watcher = new RawMqtt(third.address(), 5)) {
            assertThat(watcher.openKept("w")).isTrue();
            watcher.expectNothing();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "[MQTT-3.1.3-9] [S-5] a will that waits when the broker stops is published when it is due, and not if its"
                    + " client comes back before")
    void delayedWillsBehindARestart(boolean crash) throws IOException {
        TestServer server = new TestServer(folder);
        try (RawMqtt watcher = new RawMqtt(server.address(), 5)) {
            watcher.openKept("w");
            watcher.subscribed("will", 1);
        }
        withWill(server, "due", 3600, 3).close();
        withWill(server, "back", 3600, 3600).close();
        // Both have gone when nobody but them was connected, and the broker has noticed it.
        await().atMost(Duration.ofSeconds(10)).until(() -> server.connections() == 0);
        if (crash) {
            server.crash();
        } else {
            server.close();
        }
        try (TestServer again = new TestServer(folder);
                RawMqtt watcher = new RawMqtt(again.address(), 5);
                RawMqtt back = new RawMqtt(again.address(), 5)) {
            assertThat(back.openKept("back")).isTrue();
            assertThat(watcher.openKept("w")).isTrue();
            Published will = watcher.expectPublish();
            assertThat(will.payload()).isEqualTo("due");
            watcher.ack(RawMqtt.PUBACK, will.packetId());
            back.disconnect();
            back.expectClosed();
            watcher.expectNothing();
        }
    }

    private static RawMqtt withWill(TestServer server, long expirySeconds, long delaySeconds) throws IOException {
        return withWill(server, "gone", expirySeconds, delaySeconds);
    }

    /** A client whose will says its id. */
    private static RawMqtt withWill(TestServer server, String id, long expirySeconds, long delaySeconds)
            throws IOException {
        RawMqtt client = new RawMqtt(server.address(), 5);
        client.send(client.connectHead(4 | 8, 0, expiry(expirySeconds))
                .text(id)
                .properties(new Bytes().u8(0x18).u32(delaySeconds))
                .text("will")
                .text(id)
                .packet(0x10));
        client.expect(RawMqtt.CONNACK);
        return client;
    }
}
