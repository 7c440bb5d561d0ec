package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import io.mainstem.mqtt.raw.Received;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fields that have to be there and others that may not, what the server offers, and what it keeps. */
@MqttConformance
final class MqttFieldStatementsTest {
    private static final int CLEAN = 2;
    private static final int WILL = 4;
    private static final int PASSWORD = 0x40;
    private static final int USER = 0x80;

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {
                "MQTT-3.1.2-9",
                "MQTT-3.1.2-16",
                "MQTT-3.1.2-17",
                "MQTT-3.1.2-18",
                "MQTT-3.1.2-19",
                "MQTT-3.1.3-1",
                "MQTT-3.1.3-3"
            },
            v311 = {
                "MQTT-3.1.2-9",
                "MQTT-3.1.2-18",
                "MQTT-3.1.2-19",
                "MQTT-3.1.2-20",
                "MQTT-3.1.2-21",
                "MQTT-3.1.2-22",
                "MQTT-3.1.3-1",
                "MQTT-3.1.3-3"
            })
    void theFieldsOfConnectAreThoseItsFlagsSay(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            checkRefused(head(clients, version, CLEAN));
            checkRefused(head(clients, version, CLEAN | WILL).text("x"));
            checkRefused(head(clients, version, CLEAN | USER).text("x"));
            checkRefused(
                    head(clients, version, CLEAN | USER | PASSWORD).text("x").text("user"));
            checkRefused(head(clients, version, CLEAN).text("x").text("user"));
            checkRefused(
                    head(clients, version, CLEAN | USER).text("x").text("user").text("password"));
            if (version == 4) {
                checkRefused(head(clients, version, CLEAN | PASSWORD).text("x").text("password"));
            }
        }
    }

    /** A CONNECT that is being put together, and who is going to send it. */
    private record Head(RawMqtt client, Bytes bytes) {
        Head text(String text) {
            bytes.text(text);
            return this;
        }
    }

    private static Head head(MqttClients clients, int version, int flags) throws IOException {
        RawMqtt client = clients.socket(version);
        return new Head(client, client.connectHead(flags, 0, new Bytes()));
    }

    private static void checkRefused(Head head) throws IOException {
        head.client().sendAnyway(head.bytes().packet(0x10));
        assertThat(head.client().expectClosed()).isNotZero();
    }

    @Test
    @Statement("MQTT-1.5.7-1")
    void bothStringsOfAUserPropertyAreUtf8(InetSocketAddress broker) throws IOException {
        byte[] bad = {(byte) 0xC3, 0x28};
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt name = clients.client(5, "n");
            name.publish(0, "t", 0, new Bytes().u8(0x26).binary(bad).text("v"), new byte[0]);
            assertThat(name.expectClosed()).isEqualTo(0x81);
            RawMqtt value = clients.client(5, "v");
            value.publish(0, "t", 0, new Bytes().u8(0x26).text("n").binary(bad), new byte[0]);
            assertThat(value.expectClosed()).isEqualTo(0x81);
        }
    }

    @Test
    @Statement("MQTT-2.2.2-1")
    void noPropertiesAreALengthOfZero(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.client(5, "c");
            client.subscribe(7, clients.name("t"), 0);
            assertThat(client.expect(RawMqtt.SUBACK).rest()).containsExactly(0, 7, 0, 0);
            client.publish(clients.name("t"), 0, 0, "m");
            Received publish = client.expect(RawMqtt.PUBLISH);
            publish.text();
            assertThat(publish.rest()).containsExactly(0, 'm');
        }
    }

    @Test
    @Statement({"MQTT-3.2.2-9", "MQTT-3.2.2-10", "MQTT-3.2.2-12", "MQTT-3.2.2-13", "MQTT-4.8.2-4"})
    void everythingIsOfferedAndAnnouncedAsSuch(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.socket(5);
            client.send(client.connectHead(CLEAN | WILL | 0x10 | 0x20, 0, new Bytes())
                    .text(clients.name("w"))
                    .properties(new Bytes())
                    .text(clients.name("will"))
                    .text("")
                    .packet(0x10));
            Received connack = client.expect(RawMqtt.CONNACK);
            assertThat(connack.u16()).isZero();
            assertThat(connack.properties())
                    .doesNotContain("24=0", "24=1", "25=0", "28=0", "29=0", "2a=0")
                    .noneMatch(each -> each.equals("27=0"));
            for (int qos = 0; qos <= 2; qos++) {
                assertThat(client.subscribed(clients.name("t" + qos), qos)).isEqualTo(qos);
            }
            // A delivery of QoS 2 would have to stay with its member.
            assertThat(client.subscribed("$share/g/" + clients.name("t"), 2)).isLessThanOrEqualTo(2);
        }
    }

    @Test
    @Statement({"MQTT-4.3.2-1", "MQTT-4.3.3-1"})
    void packetIdsOfTheServerAreNotInUse(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt subscriber = clients.client(5, "s");
            RawMqtt publisher = clients.client(5, "p");
            subscriber.subscribed(clients.name("t"), 2);
            Set<Integer> underWay = new HashSet<>();
            for (int i = 1; i <= 20; i++) {
                MqttClients.publish(publisher, clients.name("t"), 1 + i % 2, i, "m" + i);
                Published got = subscriber.expectPublish();
                assertThat(got.dup()).isFalse();
                assertThat(underWay.add(got.packetId())).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(v311 = {"MQTT-3.1.2-5", "MQTT-3.1.2-7", "MQTT-4.5.0-1"})
    void whatIsPublishedMeanwhileWaitsAndWhatIsRetainedStays(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            String topic = clients.name("t");
            RawMqtt away = clients.socket(version);
            away.openKept(clients.name("s"));
            away.subscribed(topic, 2);
            away.disconnect().expectClosed();
            RawMqtt publisher = clients.client(version, "p");
            MqttClients.publish(publisher, topic, 1, 1, "one");
            MqttClients.publish(publisher, topic, 2, 2, "two");
            publisher.publish(3, topic, 3, new Bytes(), "kept".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            publisher.expectAck(RawMqtt.PUBACK, 3);
            publisher.disconnect().expectClosed();
            RawMqtt back = clients.socket(version);
            assertThat(back.openKept(clients.name("s"))).isTrue();
            List<Published> got = List.of(back.expectPublish(), back.expectPublish(), back.expectPublish());
            assertThat(got).extracting(Published::payload).containsExactly("one", "two", "kept");
            for (Published each : got) {
                MqttClients.finish(back, each);
            }
            RawMqtt late = clients.client(version, "l");
            late.subscribed(topic, 0);
            assertThat(late.expectPublish().payload()).isEqualTo("kept");
        }
    }

    @Test
    @Statement(v311 = {"MQTT-3.3.5-1", "MQTT-3.3.5-2", "MQTT-3.14.1-1", "MQTT-4.7.3-3", "MQTT-7.0.0-2"})
    void overlapRefusedTopicsLongTopicsAndFlags(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.client(4, "c");
            String topic = clients.name("t");
            client.subscribed(topic + "/#", 0);
            client.subscribed(topic + "/x", 2);
            RawMqtt publisher = clients.client(4, "p");
            MqttClients.publish(publisher, topic + "/x", 2, 1, "m");
            Published got = client.expectPublish();
            assertThat(got.qos()).isEqualTo(2);
            MqttClients.finish(client, got);

            client.subscribed("$SYS/forged", 0);
            publisher.publish("$SYS/forged", 1, 2, "no");
            publisher.expectAck(RawMqtt.PUBACK, 2);
            client.expectNothing();

            String longest = topic + "/" + "y".repeat(65_535 - topic.length() - 1);
            publisher.publish(longest, 0, 0, "long");
            assertThat(client.expectPublish().topic()).isEqualTo(longest);

            publisher.send(new byte[] {(byte) 0xE1, 0});
            assertThat(publisher.expectClosed()).isEqualTo(-1);
        }
    }
}
