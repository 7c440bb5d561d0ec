package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** MQTT 5.0, 3.3 to 3.7, 4.3 to 4.6, 4.9: messages. */
@MqttConformance
final class MqttPublishStatementsTest {
    @ParameterizedTest
    @CsvSource({"4, 0", "4, 1", "4, 2", "5, 0", "5, 1", "5, 2"})
    @Statement(
            value = {
                "MQTT-3.3.4-1",
                "MQTT-2.2.1-4",
                "MQTT-2.2.1-5",
                "MQTT-3.3.2-3",
                "MQTT-4.3.1-1",
                "MQTT-4.3.2-2",
                "MQTT-4.3.2-3",
                "MQTT-4.3.2-4",
                "MQTT-4.3.3-2",
                "MQTT-4.3.3-3",
                "MQTT-4.3.3-4",
                "MQTT-4.3.3-8",
                "MQTT-4.3.3-9",
                "MQTT-4.3.3-11",
                "MQTT-4.5.0-1",
                "MQTT-3.4.2-1",
                "MQTT-3.5.2-1",
                "MQTT-3.6.2-1",
                "MQTT-3.7.2-1"
            },
            v311 = {
                "MQTT-2.3.1-4",
                "MQTT-2.3.1-6",
                "MQTT-3.3.2-3",
                "MQTT-3.3.4-1",
                "MQTT-4.3.1-1",
                "MQTT-4.3.2-1",
                "MQTT-4.3.2-2",
                "MQTT-4.3.3-1",
                "MQTT-4.3.3-2"
            })
    void exchangesOfEachQos(int version, int qos, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt subscriber = clients.client(version, "s");
            RawMqtt publisher = clients.client(version, "p");
            String topic = clients.name("t");
            subscriber.subscribed(topic, 2);
            for (int i = 0; i < 3; i++) {
                MqttClients.publish(publisher, topic, qos, 7, "m" + i);
                Published got = subscriber.expectPublish();
                assertThat(got.payload()).isEqualTo("m" + i);
                assertThat(got.topic()).isEqualTo(topic);
                assertThat(got.qos()).isEqualTo(qos);
                assertThat(got.packetId() > 0).isEqualTo(qos > 0);
                MqttClients.finish(subscriber, got);
            }
            subscriber.expectNothing();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {"MQTT-4.3.3-10", "MQTT-4.3.3-12", "MQTT-4.3.3-13", "MQTT-3.3.1-3", "MQTT-4.3.2-5"},
            v311 = {"MQTT-3.3.1-3", "MQTT-4.3.2-2", "MQTT-4.3.3-2"})
    void aPublishOfQos2IsTakenOnceUntilItIsReleased(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt subscriber = clients.client(version, "s");
            RawMqtt publisher = clients.client(version, "p");
            String topic = clients.name("t");
            subscriber.subscribed(topic, 0);
            publisher.publish(topic, 2, 9, "once");
            publisher.expectAck(RawMqtt.PUBREC, 9);
            publisher.publish(8 | 4, topic, 9, new Bytes(), "once".getBytes(StandardCharsets.UTF_8));
            publisher.expectAck(RawMqtt.PUBREC, 9);
            assertThat(subscriber.expectPublish().dup()).isFalse();
            subscriber.expectNothing();
            publisher.ack(RawMqtt.PUBREL, 9).expectAck(RawMqtt.PUBCOMP, 9);
            MqttClients.publish(publisher, topic, 2, 9, "next");
            assertThat(subscriber.expectPublish().payload()).isEqualTo("next");
            publisher.publish(topic, 1, 4, "same id, another message");
            publisher.expectAck(RawMqtt.PUBACK, 4);
            publisher.publish(8 | 2, topic, 4, new Bytes(), "again".getBytes(StandardCharsets.UTF_8));
            publisher.expectAck(RawMqtt.PUBACK, 4);
            assertThat(subscriber.expectPublish().payload()).isEqualTo("same id, another message");
            assertThat(subscriber.expectPublish().payload()).isEqualTo("again");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {"MQTT-4.4.0-1", "MQTT-3.3.1-1", "MQTT-4.3.3-5", "MQTT-4.3.3-6", "MQTT-4.3.3-7", "MQTT-4.6.0-6"},
            v311 = {"MQTT-3.3.1-1", "MQTT-4.3.3-1", "MQTT-4.4.0-1", "MQTT-4.6.0-1"})
    void whatWasUnderWayGoesOnWithTheNextConnection(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            String topic = clients.name("t");
            RawMqtt publisher = clients.client(version, "p");
            RawMqtt first = clients.socket(version);
            first.openKept(clients.name("s"));
            first.subscribed(topic, 2);
            MqttClients.publish(publisher, topic, 1, 1, "one");
            MqttClients.publish(publisher, topic, 2, 2, "two");
            MqttClients.publish(publisher, topic, 2, 3, "three");
            Published one = first.expectPublish();
            Published two = first.expectPublish();
            Published three = first.expectPublish();
            first.ack(RawMqtt.PUBREC, two.packetId());
            first.expectAck(RawMqtt.PUBREL, two.packetId());
            first.close();
            RawMqtt second = clients.socket(version);
            assertThat(second.openKept(clients.name("s"))).isTrue();
            second.expectAck(RawMqtt.PUBREL, two.packetId());
            for (Published before : List.of(one, three)) {
                Published again = second.expectPublish();
                assertThat(again.dup()).isTrue();
                assertThat(again.packetId()).isEqualTo(before.packetId());
                assertThat(again.payload()).isEqualTo(before.payload());
                MqttClients.finish(second, again);
            }
            second.ack(RawMqtt.PUBCOMP, two.packetId());
            second.expectNothing();
        }
    }

    @Test
    @Statement("MQTT-4.4.0-2")
    void anErrorEndsADeliveryOfQos2(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.client(5, "c");
            client.subscribed(clients.name("t"), 2);
            MqttClients.publish(client, clients.name("t"), 2, 1, "no");
            Published got = client.expectPublish();
            client.send(new Bytes().u16(got.packetId()).u8(0x97).packet(0x50));
            client.expectNothing();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {"MQTT-4.6.0-2", "MQTT-4.6.0-3", "MQTT-4.6.0-5", "MQTT-3.3.4-10", "MQTT-4.9.0-3"},
            v311 = {"MQTT-4.6.0-2", "MQTT-4.6.0-3", "MQTT-4.6.0-4", "MQTT-4.6.0-5", "MQTT-4.6.0-6"})
    void everythingKeepsItsOrder(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt subscriber = clients.client(version, "s");
            RawMqtt publisher = clients.client(version, "p");
            String topic = clients.name("t");
            subscriber.subscribed(topic, 2);
            int count = 100;
            for (int i = 1; i <= count; i++) {
                publisher.publish(i % 3 == 0 ? clients.name("nobody") : topic, i % 2 == 0 ? 2 : 1, i, "m" + i);
            }
            for (int i = 1; i <= count; i++) {
                publisher.expectAck(i % 2 == 0 ? RawMqtt.PUBREC : RawMqtt.PUBACK, i);
            }
            for (int i = 2; i <= count; i += 2) {
                publisher.ack(RawMqtt.PUBREL, i);
            }
            for (int i = 2; i <= count; i += 2) {
                publisher.expectAck(RawMqtt.PUBCOMP, i);
            }
            Set<Integer> ids = new HashSet<>();
            for (int i = 1; i <= count; i++) {
                if (i % 3 != 0) {
                    Published got = subscriber.expectPublish();
                    assertThat(got.payload()).isEqualTo("m" + i);
                    assertThat(ids.add(got.packetId())).isTrue();
                }
            }
        }
    }

    @Test
    @Statement({"MQTT-3.3.4-9", "MQTT-4.9.0-2"})
    void noMoreIsUnderWayThanTheClientsReceiveMaximum(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt subscriber = clients.client("s", new Bytes().u8(0x21).u16(2));
            RawMqtt publisher = clients.client(5, "p");
            String topic = clients.name("t");
            subscriber.subscribed(topic, 2);
            for (int i = 1; i <= 4; i++) {
                MqttClients.publish(publisher, topic, 1 + i % 2, i, "m" + i);
            }
            Published one = subscriber.expectPublish();
            Published two = subscriber.expectPublish();
            subscriber.expectNothing();
            MqttClients.finish(subscriber, one);
            Published three = subscriber.expectPublish();
            assertThat(three.payload()).isEqualTo("m3");
            subscriber.expectNothing();
            MqttClients.finish(subscriber, two);
            assertThat(subscriber.expectPublish().payload()).isEqualTo("m4");
        }
    }

    @Test
    @Statement({
        "MQTT-3.3.2-4",
        "MQTT-3.3.2-15",
        "MQTT-3.3.2-16",
        "MQTT-3.3.2-17",
        "MQTT-3.3.2-18",
        "MQTT-3.3.2-20",
        "MQTT-3.3.2-7"
    })
    void propertiesArriveAsTheyWereSent(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt subscriber = clients.client(5, "s");
            RawMqtt publisher = clients.client(5, "p");
            String topic = clients.name("t.x/*y");
            subscriber.subscribed(topic, 1);
            Bytes properties = new Bytes()
                    .u8(0x01, 1)
                    .u8(0x02)
                    .u32(100)
                    .u8(0x03)
                    .text("text/plain; name=\u00fc")
                    .u8(0x08)
                    .text("reply.here/*")
                    .u8(0x09)
                    .binary(new byte[] {0, 1, (byte) 0xFF})
                    .user("b", "1")
                    .user("a", "2")
                    .user("b", "")
                    .u8(0x23, 0, 1);
            long from = System.nanoTime();
            publisher.publish(2, topic, 1, properties, "text".getBytes(StandardCharsets.UTF_8));
            Published got = subscriber.expectPublish();
            long waited = (System.nanoTime() - from) / 1_000_000_000;
            assertThat(got.topic()).isEqualTo(topic);
            assertThat(got.properties())
                    .contains("01=1", "03=text/plain; name=\u00fc", "08=reply.here/*", "09=0001ff")
                    .containsSubsequence("26=b:1", "26=a:2", "26=b:")
                    .noneMatch(each -> each.startsWith("23="));
            assertThat(secondsLeft(got)).isBetween((int) (100 - waited - 1), 100);
        }
    }

    @Test
    @Statement({"MQTT-3.3.2-5", "MQTT-3.3.2-6"})
    void messagesExpireWhileTheyWait(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            String topic = clients.name("t");
            RawMqtt away = clients.socket(5);
            away.openKept(clients.name("s"));
            away.subscribed(topic, 1);
            away.disconnect().expectClosed();
            RawMqtt publisher = clients.client(5, "p");
            long from = System.nanoTime();
            publish(publisher, topic, 1, "short");
            publish(publisher, topic, 60, "long");
            await().pollDelay(Duration.ofMillis(1100)).until(() -> true);
            RawMqtt back = clients.socket(5);
            assertThat(back.openKept(clients.name("s"))).isTrue();
            Published left = back.expectPublish();
            assertThat(left.payload()).isEqualTo("long");
            long waited = (System.nanoTime() - from) / 1_000_000_000;
            assertThat(secondsLeft(left)).isBetween((int) (60 - waited - 1), 59);
        }
    }

    private static int secondsLeft(Published published) {
        return published.properties().stream()
                .filter(each -> each.startsWith("02="))
                .mapToInt(each -> Integer.parseInt(each.substring("02=".length())))
                .findFirst()
                .orElseThrow();
    }

    private static void publish(RawMqtt client, String topic, int expirySeconds, String payload) throws IOException {
        client.publish(2, topic, 1, new Bytes().u8(0x02).u32(expirySeconds), payload.getBytes(StandardCharsets.UTF_8));
        client.expectAck(RawMqtt.PUBACK, 1);
    }

    @Test
    @Statement({"MQTT-3.1.2-26", "MQTT-3.1.2-27", "MQTT-3.3.2-11", "MQTT-3.3.2-12"})
    void topicAliases(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt aliased = clients.client("s", new Bytes().u8(0x22).u16(1));
            RawMqtt plain = clients.client(5, "q");
            RawMqtt publisher = clients.client(5, "p");
            String topic = clients.name("t");
            aliased.subscribed(topic + "/#", 0);
            plain.subscribed(topic + "/#", 0);
            publisher.publish(0, topic + "/1", 0, new Bytes().u8(0x23, 0, 1), new byte[] {'1'});
            publisher.publish(0, "", 0, new Bytes().u8(0x23, 0, 1), new byte[] {'2'});
            publisher.publish(topic + "/3", 0, 0, "3");
            Published one = aliased.expectPublish();
            Published two = aliased.expectPublish();
            Published three = aliased.expectPublish();
            assertThat(one.properties()).containsExactly("23=1");
            assertThat(two.topic()).isEmpty();
            assertThat(two.properties()).containsExactly("23=1");
            assertThat(three.topic()).isEqualTo(topic + "/3");
            assertThat(three.properties()).isEmpty();
            for (int i = 0; i < 3; i++) {
                assertThat(plain.expectPublish().properties()).isEmpty();
            }
            publisher.publish(0, "", 0, new Bytes().u8(0x23, 0xFF, 0xFF), new byte[0]);
            assertThat(publisher.expectClosed()).isEqualTo(0x94);
        }
    }

    @Test
    @Statement({"MQTT-3.1.2-24", "MQTT-3.1.2-25"})
    void messagesTheClientIsTooSmallForAreLeftOut(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt small = clients.client("s", new Bytes().u8(0x27).u32(100));
            RawMqtt publisher = clients.client(5, "p");
            String topic = clients.name("t");
            small.subscribed(topic, 1);
            MqttClients.publish(publisher, topic, 1, 1, "x".repeat(200));
            MqttClients.publish(publisher, topic, 1, 2, "fits");
            assertThat(small.expectPublish().payload()).isEqualTo("fits");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {"MQTT-3.3.1-5", "MQTT-3.3.1-6", "MQTT-3.3.1-7", "MQTT-3.3.1-8", "MQTT-3.3.1-12", "MQTT-3.8.4-4"},
            v311 = {
                "MQTT-3.3.1-5",
                "MQTT-3.3.1-6",
                "MQTT-3.3.1-7",
                "MQTT-3.3.1-8",
                "MQTT-3.3.1-9",
                "MQTT-3.3.1-10",
                "MQTT-3.3.1-11",
                "MQTT-3.3.1-12"
            })
    void retainedMessages(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt publisher = clients.client(version, "p");
            RawMqtt subscriber = clients.client(version, "s");
            String topic = clients.name("t");
            retain(publisher, topic, "old");
            retain(publisher, topic, "new");
            MqttClients.publish(publisher, topic, 1, 1, "passing");
            for (int i = 0; i < 2; i++) {
                subscriber.subscribed(topic, 0);
                Published got = subscriber.expectPublish();
                assertThat(got.payload()).isEqualTo("new");
                assertThat(got.retain()).isTrue();
            }
            retain(publisher, topic, "");
            Published cleared = subscriber.expectPublish();
            assertThat(cleared.payload()).isEmpty();
            assertThat(cleared.retain()).isFalse();
            subscriber.subscribed(topic, 0);
            subscriber.expectNothing();
        }
    }

    @Test
    @Statement({"MQTT-3.3.1-9", "MQTT-3.3.1-10", "MQTT-3.3.1-11", "MQTT-3.3.1-13"})
    void retainHandlingAndRetainAsPublished(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt publisher = clients.client(5, "p");
            RawMqtt subscriber = clients.client(5, "s");
            String topic = clients.name("t");
            retain(publisher, topic, "kept");
            subscriber.subscribed(topic, 0x20);
            subscriber.expectNothing();
            subscriber.subscribed(topic, 0x10);
            subscriber.expectNothing();
            subscriber.subscribed(topic, 0x08);
            assertThat(subscriber.expectPublish().payload()).isEqualTo("kept");
            retain(publisher, topic, "live");
            assertThat(subscriber.expectPublish().retain()).isTrue();
            subscriber.unsubscribe(3, topic).expect(RawMqtt.UNSUBACK);
            subscriber.subscribed(topic, 0x10);
            assertThat(subscriber.expectPublish().payload()).isEqualTo("live");
        }
    }

    private static void retain(RawMqtt client, String topic, String payload) throws IOException {
        client.publish(3, topic, 99, new Bytes(), payload.getBytes(StandardCharsets.UTF_8));
        client.expectAck(RawMqtt.PUBACK, 99);
    }
}
