package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import io.mainstem.routing.access.AccessPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shared subscriptions [S-4], over a socket. */
final class SharedTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @DisplayName("each message goes to one member of the group, and to those who subscribe by themselves")
    void membersTakeTurns(int version) throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt one = new RawMqtt(server.address(), version);
                RawMqtt two = new RawMqtt(server.address(), version);
                RawMqtt alone = new RawMqtt(server.address(), version);
                RawMqtt publisher = new RawMqtt(server.address(), version)) {
            one.open("1", true);
            two.open("2", true);
            alone.open("3", true);
            publisher.open("p", true);
            assertThat(one.subscribed("$share/g/t/+", 1)).isEqualTo(1);
            assertThat(two.subscribed("$share/g/t/+", 1)).isEqualTo(1);
            assertThat(alone.subscribed("t/+", 0)).isZero();
            for (int i = 1; i <= 4; i++) {
                publisher.publish("t/x", 1, i, "m" + i);
                publisher.expectAck(RawMqtt.PUBACK, i);
                assertThat(alone.expectPublish().payload()).isEqualTo("m" + i);
            }
            assertThat(one.expectPublish().payload())
                    .isNotEqualTo(two.expectPublish().payload());
            assertThat(one.expectPublish().payload())
                    .isNotEqualTo(two.expectPublish().payload());
            one.expectNothing();
            two.expectNothing();
        }
    }

    @Test
    @DisplayName(
            "[MQTT-4.8.2-5] what a member has not acknowledged goes to another; a kept member is one after a crash")
    void anotherMemberTakesOver() throws IOException {
        TestServer server = new TestServer(folder);
        try (RawMqtt one = new RawMqtt(server.address(), 5);
                RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            one.openKept("1");
            one.subscribed("$share/g/t", 1);
            publisher.open("p", true);
            publisher.publish("t", 1, 1, "m");
            publisher.expectAck(RawMqtt.PUBACK, 1);
            one.expectPublish();
        }
        server.crash();
        try (TestServer again = new TestServer(folder);
                RawMqtt two = new RawMqtt(again.address(), 5)) {
            two.openKept("2");
            two.subscribed("$share/g/t", 1);
            Published taken = two.expectPublish();
            assertThat(taken.payload()).isEqualTo("m");
            two.ack(RawMqtt.PUBACK, taken.packetId());
            two.disconnect();
            two.expectClosed();
            try (RawMqtt one = new RawMqtt(again.address(), 5);
                    RawMqtt publisher = new RawMqtt(again.address(), 5)) {
                assertThat(one.openKept("1")).isTrue();
                publisher.open("p", true);
                publisher.publish("t", 1, 2, "after");
                publisher.expectAck(RawMqtt.PUBACK, 2);
                assertThat(one.expectPublish().payload()).isEqualTo("after");
            }
        }
    }

    @Test
    @DisplayName("a kept session that may not be a member any more goes on without; it can subscribe again (MS-0620)")
    void lostMembership() throws IOException {
        AtomicReference<AccessPolicy> policy = new AtomicReference<>(AccessPolicy.OPEN);
        try (TestServer server = new TestServer(folder, TestServer.Setup.DEFAULT.with(policy::get))) {
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                client.openKept("c");
                client.subscribed("$share/g/secret", 1);
                client.subscribed("own", 1);
                client.disconnect();
                client.expectClosed();
            }
            policy.set(RightsTest.policy("deny all mqtt-topic secret", "allow all"));
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(client.openKept("c")).isTrue();
                client.publish("own", 0, 0, "mine");
                assertThat(client.expectPublish().payload()).isEqualTo("mine");
                assertThat(client.subscribed("$share/g/secret", 1)).isEqualTo(0x87);
                policy.set(AccessPolicy.OPEN);
                client.publish("secret", 1, 1, "unseen");
                client.expectAck(RawMqtt.PUBACK, 1);
                client.expectNothing();
                assertThat(client.subscribed("$share/g/secret", 1)).isEqualTo(1);
                assertThat(client.expectPublish().payload()).isEqualTo("unseen");
            }
        }
    }

    @Test
    @DisplayName("[S-12] shared and queue subscriptions count as filters of the session: 0x97 beyond the limit")
    void theyAreLimited() throws IOException {
        MqttLimits two = new MqttLimits(4 << 20, 1000, 1000, 32, 2, 0xFFFF_FFFFL, 256 << 10, 100, 1 << 20);
        try (TestServer server = new TestServer(folder, two);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.openKept("c");
            assertThat(client.subscribed("$share/g/a", 1)).isEqualTo(1);
            assertThat(client.subscribed("b", 1)).isEqualTo(1);
            assertThat(client.subscribed("$share/g/c", 1)).isEqualTo(0x97);
            assertThat(client.subscribed("$queues/q", 1)).isEqualTo(0x97);
            assertThat(client.subscribed("d", 1)).isEqualTo(0x97);
            assertThat(client.subscribed("$share/g/a", 0)).isZero();
            client.unsubscribe(5, "$share/g/a");
            client.expect(RawMqtt.UNSUBACK);
            assertThat(client.subscribed("$share/g/c", 1)).isEqualTo(1);
        }
    }

    @Test
    @DisplayName(
            "[MQTT-4.8.2-1] a malformed share name is refused with 0x8F; no local on a shared one closes with 0x82")
    void malformed() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            assertThat(client.subscribed("$share//t", 1)).isEqualTo(0x8F);
            assertThat(client.subscribed("$share/g+/t", 1)).isEqualTo(0x8F);
            assertThat(client.subscribed("$share/g", 1)).isEqualTo(0x8F);
            client.subscribe(1, "$share/g/t", 4);
            assertThat(client.expectClosed()).isEqualTo(0x82);
        }
    }
}
