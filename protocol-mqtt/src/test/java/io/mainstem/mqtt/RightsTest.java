package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions of users whose rights change, over a socket. */
final class RightsTest {
    @TempDir
    Path folder;

    @Test
    @DisplayName("a kept session goes on without the filters its user may not read any more")
    void lostRightsCostTheirFilters() throws IOException {
        AtomicReference<AccessPolicy> policy =
                new AtomicReference<>(policy("allow all mqtt-topic a/#", "allow all mqtt-topic b/#"));
        try (TestServer server = new TestServer(folder, TestServer.Setup.DEFAULT.with(policy::get))) {
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                client.openKept("c");
                assertThat(client.subscribed("a/1", 1)).isEqualTo(1);
                assertThat(client.subscribed("b/1", 1)).isEqualTo(1);
            }
            policy.set(policy("allow all mqtt-topic a/#", "allow write mqtt-topic b/#"));
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(client.openKept("c")).isTrue();
                client.publish("b/1", 1, 1, "not any more");
                client.publish("a/1", 1, 2, "still");
                client.expectAnswer(RawMqtt.PUBACK);
                client.expectAnswer(RawMqtt.PUBACK);
                assertThat(client.expectPublish().payload()).isEqualTo("still");
            }
            policy.set(policy("allow write mqtt-topic a/#"));
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(client.openKept("c")).isTrue();
                assertThat(client.subscribed("a/1", 1)).isEqualTo(0x87);
            }
        }
    }

    @Test
    @DisplayName(
            "ADR 0073: what was queued in a kept session, and what is published meanwhile, does not reach who lost the right")
    void lostRightsCostWhatWaits() throws IOException {
        AtomicReference<AccessPolicy> policy = new AtomicReference<>(policy("allow all mqtt-topic #"));
        try (TestServer server = new TestServer(folder, TestServer.Setup.DEFAULT.with(policy::get));
                RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            publisher.open("p", true);
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                client.openKept("c");
                assertThat(client.subscribed("a/1", 1)).isEqualTo(1);
                assertThat(client.subscribed("b/1", 1)).isEqualTo(1);
            }
            publisher.publish("b/1", 1, 1, "before");
            publisher.expectAnswer(RawMqtt.PUBACK);

            policy.set(policy("deny read mqtt-topic b/#", "allow all mqtt-topic #"));
            publisher.publish("b/1", 1, 2, "after");
            publisher.expectAnswer(RawMqtt.PUBACK);
            publisher.publish("a/1", 1, 3, "open");
            publisher.expectAnswer(RawMqtt.PUBACK);

            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(client.openKept("c")).isTrue();
                assertThat(client.expectPublish().payload()).isEqualTo("open");
                client.expectNothing();
            }
        }
    }

    @Test
    @DisplayName("a denied topic leaves wildcards open: live and retained messages of it are left out")
    void aHoleInAWildcard() throws IOException {
        AccessPolicy policy = policy("deny read mqtt-topic test/x", "allow all mqtt-topic #");
        try (TestServer server = new TestServer(folder, TestServer.Setup.DEFAULT.with(() -> policy));
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            RetainedTest.retain(client, "test/x", 1, "retained and closed");
            assertThat(client.subscribed("#", 1)).isEqualTo(1);
            assertThat(client.subscribed("test/x", 1)).isEqualTo(0x87);
            assertThat(client.subscribed("$share/g/#", 1)).isEqualTo(0x87);
            client.publish("test/x", 1, 2, "closed");
            client.expectAnswer(RawMqtt.PUBACK);
            client.publish("test/y", 1, 3, "open");
            client.expectAnswer(RawMqtt.PUBACK);
            assertThat(client.expectPublish().payload()).isEqualTo("open");
            client.expectNothing();
        }
    }

    @Test
    @DisplayName("a delayed will is published only if its user still may when it is due")
    void lostRightsCostADelayedWill() throws IOException {
        AtomicReference<AccessPolicy> policy = new AtomicReference<>(policy("allow all"));
        try (TestServer server = new TestServer(folder, TestServer.Setup.DEFAULT.with(policy::get));
                RawMqtt watcher = new RawMqtt(server.address(), 5)) {
            watcher.open("w", true);
            watcher.subscribed("#", 0);
            try (RawMqtt forbidden = new RawMqtt(server.address(), 5)) {
                openWithWill(forbidden, "gone");
                policy.set(policy("deny write mqtt-topic gone/#", "allow all"));
            }
            // Due later than the other one.
            try (RawMqtt permitted = new RawMqtt(server.address(), 5)) {
                openWithWill(permitted, "there");
            }

            assertThat(watcher.expectPublish().topic()).isEqualTo("there/c");
        }
    }

    /** Its will is due a second after the connection is lost. */
    private static void openWithWill(RawMqtt client, String topic) throws IOException {
        client.send(client.connectHead(2 | 4, 0, new Bytes().u8(0x11).u32(60))
                .text(topic)
                .properties(new Bytes().u8(0x18).u32(1))
                .text(topic + "/c")
                .text("will")
                .packet(0x10));
        client.expect(RawMqtt.CONNACK);
    }

    @Test
    @DisplayName("a shared subscription that is not permitted leaves no queue behind")
    void refusedGroupsLeaveNothing() throws IOException {
        try (TestServer server =
                new TestServer(folder, TestServer.Setup.DEFAULT.with(() -> policy("allow all mqtt-topic a/#")))) {
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                client.openKept("c");
                assertThat(client.subscribed("$share/g/b/1", 1)).isEqualTo(0x87);
                assertThat(client.subscribed("$share/g/a/1", 1)).isEqualTo(1);
            }
            assertThat(server.queueNames())
                    .anyMatch(name -> name.contains("a%2F1"))
                    .noneMatch(name -> name.contains("b%2F1"));
        }
    }

    static AccessPolicy policy(String... rules) {
        return AccessPolicy.of(Map.of(
                AccessPolicy.ANONYMOUS,
                List.of(rules).stream().map(AccessRule::parse).toList()));
    }
}
