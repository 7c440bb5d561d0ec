package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import io.mainstem.mqtt.raw.Received;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** MQTT 5.0, 3.1, 3.2, 3.12, 3.14: opening and ending a connection. */
@MqttConformance
final class MqttConnectStatementsTest {
    private static final int WILL = 4;
    private static final int CLEAN = 2;

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    @Statement(
            value = {"MQTT-3.1.0-1", "MQTT-3.2.0-1", "MQTT-3.2.0-2", "MQTT-3.1.4-5", "MQTT-3.2.2-8", "MQTT-4.9.0-1"},
            v311 = {"MQTT-3.1.0-1", "MQTT-3.2.0-1", "MQTT-3.1.4-4", "MQTT-3.12.4-1"})
    void theFirstPacketIsConnectAndItsAnswerConnack(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.client(version, "a");
            client.expectNothing();
            RawMqtt wrong = clients.socket(version);
            wrong.sendAnyway(new byte[] {(byte) 0xC0, 0});
            wrong.expectClosed();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {"MQTT-3.1.0-2", "MQTT-4.13.1-1"},
            v311 = {"MQTT-3.1.0-2", "MQTT-4.8.0-1"})
    void aSecondConnectEndsTheConnection(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.client(version, "a");
            client.connect(clients.name("a"), true, new Bytes());
            assertThat(client.expectClosed()).isEqualTo(version == 5 ? 0x82 : -1);
        }
    }

    @Test
    @Statement(
            value = {"MQTT-3.1.2-1", "MQTT-3.1.2-2", "MQTT-3.2.2-6", "MQTT-3.2.2-7", "MQTT-3.1.4-6"},
            v311 = {"MQTT-3.1.2-1", "MQTT-3.1.2-2", "MQTT-3.1.4-5", "MQTT-3.2.2-4", "MQTT-3.2.2-5", "MQTT-3.2.2-6"})
    void otherProtocolsAndVersionsAreRefused(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt six = clients.socket(5);
            six.sendAnyway(new Bytes().text("MQTT").u8(6, 2, 0, 0, 0).text("x").packet(0x10));
            Received refused = six.expect(RawMqtt.CONNACK);
            assertThat(refused.u8()).isZero();
            assertThat(refused.u8()).isEqualTo(0x84);
            assertThat(six.expectClosed()).isEqualTo(-1);
            RawMqtt two = clients.socket(4);
            two.sendAnyway(new Bytes().text("MQTT").u8(2, 2, 0, 0).text("x").packet(0x10));
            assertThat(two.expectClosed()).isEqualTo(1);
            RawMqtt other = clients.socket(4);
            other.sendAnyway(new Bytes().text("HTTP").u8(4, 2, 0, 0).text("x").packet(0x10));
            other.expectClosed();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {"MQTT-3.1.2-3", "MQTT-3.1.2-11", "MQTT-3.1.2-12", "MQTT-3.1.2-13", "MQTT-3.1.4-1", "MQTT-2.1.3-1"},
            v311 = {
                "MQTT-3.1.2-3",
                "MQTT-3.1.2-11",
                "MQTT-3.1.2-13",
                "MQTT-3.1.2-14",
                "MQTT-3.1.2-15",
                "MQTT-3.1.4-1",
                "MQTT-2.2.2-1",
                "MQTT-2.2.2-2"
            })
    void connectFlagsAreChecked(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            for (int flags : new int[] {CLEAN | 1, CLEAN | 8, CLEAN | 0x20, CLEAN | WILL | 0x18}) {
                RawMqtt client = clients.socket(version);
                Bytes connect = client.connectHead(flags, 0, new Bytes()).text(clients.name("f"));
                if ((flags & WILL) != 0) {
                    (version == 5 ? connect.properties(new Bytes()) : connect)
                            .text("t")
                            .text("p");
                }
                client.sendAnyway(connect.packet(0x10));
                client.expectClosed();
            }
            RawMqtt flagged = clients.socket(version);
            flagged.sendAnyway(
                    flagged.connectHead(CLEAN, 0, new Bytes()).text("x").packet(0x11));
            flagged.expectClosed();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {
                "MQTT-3.1.2-4",
                "MQTT-3.1.2-5",
                "MQTT-3.1.2-6",
                "MQTT-3.1.2-23",
                "MQTT-3.1.3-2",
                "MQTT-3.1.4-4",
                "MQTT-3.2.2-1",
                "MQTT-3.2.2-2",
                "MQTT-3.2.2-3",
                "MQTT-4.1.0-1",
                "MQTT-4.1.0-2"
            },
            v311 = {
                "MQTT-3.1.2-4",
                "MQTT-3.1.2-6",
                "MQTT-3.1.3-2",
                "MQTT-3.1.4-3",
                "MQTT-3.2.2-1",
                "MQTT-3.2.2-2",
                "MQTT-3.2.2-3",
                "MQTT-4.1.0-1",
                "MQTT-4.1.0-2"
            })
    void cleanStartAndSessionPresent(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt first = clients.socket(version);
            assertThat(first.openKept(clients.name("s"))).isFalse();
            assertThat(first.subscribed(clients.name("t"), 1)).isEqualTo(1);
            first.close();
            RawMqtt second = clients.socket(version);
            assertThat(second.openKept(clients.name("s"))).isTrue();
            MqttClients.publish(second, clients.name("t"), 1, 1, "still subscribed");
            MqttClients.finish(second, second.expectPublish());
            second.close();
            RawMqtt clean = clients.socket(version);
            assertThat(clean.open(clients.name("s"), true)).isFalse();
            MqttClients.publish(clean, clients.name("t"), 1, 1, "no more");
            clean.expectNothing();
            clean.disconnect();
            clean.expectClosed();
            assertThat(clients.socket(version).openKept(clients.name("s"))).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {"MQTT-3.1.2-7", "MQTT-3.1.2-8", "MQTT-3.1.2-10", "MQTT-3.1.2-14", "MQTT-3.1.2-15", "MQTT-3.14.4-3"
            },
            v311 = {"MQTT-3.1.2-8", "MQTT-3.1.2-10", "MQTT-3.1.2-12", "MQTT-3.1.2-16", "MQTT-3.1.2-17", "MQTT-3.14.4-3"
            })
    void wills(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            String topic = clients.name("will");
            RawMqtt watcher = clients.client(version, "w");
            watcher.subscribed(topic, 1);
            withWill(clients, version, "polite", topic, 0).disconnect().expectClosed();
            watcher.expectNothing();
            withWill(clients, version, "rude", topic, 8).close();
            Published will = watcher.expectPublish();
            assertThat(will.payload()).isEqualTo("gone");
            assertThat(will.qos()).isEqualTo(1);
            MqttClients.finish(watcher, will);
            assertThat(clients.client(version, "late").subscribed(topic, 0)).isZero();
            withWill(clients, version, "kept", topic, 0x20).close();
            assertThat(watcher.expectPublish().retain()).isFalse();
            RawMqtt later = clients.client(version, "later");
            later.subscribed(topic, 0);
            assertThat(later.expectPublish().retain()).isTrue();
        }
    }

    private static RawMqtt withWill(MqttClients clients, int version, String id, String topic, int flags)
            throws IOException {
        RawMqtt client = clients.socket(version);
        Bytes connect = client.connectHead(CLEAN | WILL | flags, 0, new Bytes()).text(clients.name(id));
        if (version == 5) {
            connect.properties(new Bytes());
        }
        client.send(connect.text(topic).text("gone").packet(0x10));
        assertThat(client.expect(RawMqtt.CONNACK).size()).isPositive();
        return client;
    }

    @Test
    @Statement({"MQTT-3.1.3-9", "MQTT-3.1.3-10", "MQTT-3.14.2-1"})
    void aDelayedWillIsCancelledByAReconnectInTime(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            String topic = clients.name("will");
            RawMqtt watcher = clients.client(5, "w");
            watcher.subscribed(topic, 0);
            delayedWill(clients, topic, 60).close();
            RawMqtt back = clients.socket(5);
            assertThat(back.openKept(clients.name("d"))).isTrue();
            watcher.expectNothing();
            back.disconnect().expectClosed();
            RawMqtt again = delayedWill(clients, topic, 1);
            again.send(new byte[] {(byte) 0xE0, 1, 4});
            again.expectClosed();
            Published will = watcher.expectPublish();
            assertThat(will.payload()).isEqualTo("gone");
            assertThat(will.properties()).containsSubsequence("26=z:1", "26=a:2", "26=z:3");
        }
    }

    private static RawMqtt delayedWill(MqttClients clients, String topic, int seconds) throws IOException {
        RawMqtt client = clients.socket(5);
        client.send(client.connectHead(WILL, 0, new Bytes().u8(0x11).u32(3600))
                .text(clients.name("d"))
                .properties(new Bytes()
                        .u8(0x18)
                        .u32(seconds)
                        .user("z", "1")
                        .user("a", "2")
                        .user("z", "3"))
                .text(topic)
                .text("gone")
                .packet(0x10));
        client.expect(RawMqtt.CONNACK);
        return client;
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {"MQTT-3.1.2-22", "MQTT-3.2.2-22", "MQTT-3.12.4-1"},
            v311 = {"MQTT-3.1.2-24"})
    void silenceForOneAndAHalfKeepAlivesEndsTheConnection(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.socket(version);
            long from = System.nanoTime();
            client.send(client.connectHead(CLEAN, 1, new Bytes())
                    .text(clients.name("k"))
                    .packet(0x10));
            client.expect(RawMqtt.CONNACK);
            assertThat(client.expectClosed()).isEqualTo(version == 5 ? 0x8D : -1);
            assertThat(System.nanoTime() - from).isGreaterThan(1_400_000_000L);
        }
    }

    @Test
    @Statement(
            value = {
                "MQTT-3.1.3-4",
                "MQTT-3.1.3-5",
                "MQTT-3.1.3-6",
                "MQTT-3.1.3-7",
                "MQTT-3.1.3-8",
                "MQTT-3.2.2-16",
                "MQTT-3.1.2-28"
            },
            v311 = {"MQTT-3.1.3-5", "MQTT-3.1.3-6", "MQTT-3.1.3-8", "MQTT-3.1.3-9"})
    void clientIdentifiers(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            String one = assigned(clients.socket(5));
            assertThat(one).isNotEmpty().isNotEqualTo(assigned(clients.socket(5)));
            RawMqtt kept = clients.socket(4);
            kept.connect("", false, new Bytes());
            assertThat(kept.expectClosed()).isEqualTo(2);
            assertThat(clients.socket(4).open("", true)).isFalse();
            assertThat(clients.socket(4).open("0123456789abcdefABCDEFG", true)).isFalse();
            assertThat(clients.socket(5).open("\uD83D\uDE00/+# ".repeat(20), true))
                    .isFalse();
        }
    }

    private static String assigned(RawMqtt client) throws IOException {
        client.connect("", true, new Bytes());
        Received connack = client.expect(RawMqtt.CONNACK);
        connack.u16();
        return connack.properties().stream()
                .filter(each -> each.startsWith("12="))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {"MQTT-3.1.4-3", "MQTT-3.14.0-1", "MQTT-3.14.4-1", "MQTT-3.14.4-2"},
            v311 = {"MQTT-3.1.4-2"})
    void takeover(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt first = clients.client(version, "same");
            RawMqtt second = clients.client(version, "same");
            assertThat(first.expectClosed()).isEqualTo(version == 5 ? 0x8E : -1);
            second.expectNothing();
        }
    }

    @Test
    @Statement({"MQTT-3.1.4-2", "MQTT-4.12.0-1", "MQTT-4.12.0-6"})
    void anUnknownAuthenticationMethodIsRefused(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.socket(5);
            client.connect(clients.name("a"), true, new Bytes().u8(0x15).text("NO-SUCH-METHOD"));
            assertThat(client.expectClosed()).isEqualTo(0x8C);
            RawMqtt late = clients.client(5, "b");
            late.send(new byte[] {(byte) 0xF0, 0});
            assertThat(late.expectClosed()).isEqualTo(0x82);
        }
    }

    @Test
    @Statement({"MQTT-3.14.1-1", "MQTT-3.14.2-2"})
    void disconnectIsChecked(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt flagged = clients.client(5, "a");
            flagged.send(new byte[] {(byte) 0xE1, 0});
            assertThat(flagged.expectClosed()).isEqualTo(0x81);
            RawMqtt longer = clients.client(5, "b");
            longer.send(
                    new Bytes().u8(0).properties(new Bytes().u8(0x11).u32(10)).packet(0xE0));
            assertThat(longer.expectClosed()).isEqualTo(0x82);
        }
    }
}
