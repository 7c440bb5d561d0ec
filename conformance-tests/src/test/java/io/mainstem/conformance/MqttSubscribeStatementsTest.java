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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** MQTT 5.0, 3.8 to 3.11, 4.7, 4.8: subscriptions. */
@MqttConformance
final class MqttSubscribeStatementsTest {
    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {
                "MQTT-2.2.1-6",
                "MQTT-3.8.4-1",
                "MQTT-3.8.4-2",
                "MQTT-3.8.4-5",
                "MQTT-3.8.4-6",
                "MQTT-3.8.4-7",
                "MQTT-3.9.3-1",
                "MQTT-3.9.3-2",
                "MQTT-4.7.1-1",
                "MQTT-4.7.1-2"
            },
            v311 = {
                "MQTT-2.3.1-7",
                "MQTT-3.8.4-1",
                "MQTT-3.8.4-2",
                "MQTT-3.8.4-4",
                "MQTT-3.8.4-5",
                "MQTT-3.9.3-1",
                "MQTT-3.9.3-2",
                "MQTT-4.7.1-2",
                "MQTT-4.7.1-3"
            })
    void oneCodeForEachFilterInOrder(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.client(version, "c");
            Bytes body = new Bytes().u16(0xABCD);
            if (version == 5) {
                body.properties(new Bytes());
            }
            String base = clients.name("t");
            client.send(body.text(base + "/0")
                    .u8(0)
                    .text(base + "/#/bad")
                    .u8(1)
                    .text(base + "/1")
                    .u8(1)
                    .text("a+")
                    .u8(0)
                    .text(base + "/2")
                    .u8(2)
                    .packet(0x82));
            Received suback = client.expect(RawMqtt.SUBACK);
            assertThat(suback.u16()).isEqualTo(0xABCD);
            if (version == 5) {
                suback.properties();
            }
            byte refused = (byte) (version == 5 ? 0x8F : 0x80);
            assertThat(suback.rest()).containsExactly(0, refused, 1, refused, 2);
        }
    }

    @ParameterizedTest
    @CsvSource({"4, 0, 0", "4, 1, 0", "4, 2, 1", "5, 0, 2", "5, 1, 2", "5, 2, 2", "5, 2, 1"})
    @Statement(
            value = "MQTT-3.8.4-8",
            v311 = {"MQTT-3.8.4-6"})
    void theLesserQosCounts(int version, int granted, int published, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.client(version, "c");
            assertThat(client.subscribed(clients.name("t"), granted)).isEqualTo(granted);
            RawMqtt publisher = clients.client(version, "p");
            MqttClients.publish(publisher, clients.name("t"), published, 1, "m");
            assertThat(client.expectPublish().qos()).isEqualTo(Math.min(granted, published));
        }
    }

    @Test
    @Statement({"MQTT-3.3.4-2", "MQTT-3.3.4-3", "MQTT-3.3.4-4", "MQTT-3.3.4-5"})
    void overlappingFiltersGiveOneCopyWithAllIdentifiers(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.client(5, "c");
            String topic = clients.name("t");
            client.subscribed(topic + "/#", 0, new Bytes().u8(0x0B).varint(1));
            client.subscribed(topic + "/+", 2, new Bytes().u8(0x0B).varint(268_435_455));
            client.subscribed(topic + "/x", 1);
            RawMqtt publisher = clients.client(5, "p");
            MqttClients.publish(publisher, topic + "/x", 2, 1, "m");
            Published got = client.expectPublish();
            assertThat(got.qos()).isEqualTo(2);
            assertThat(got.properties()).containsExactlyInAnyOrder("0b=1", "0b=268435455");
            client.expectNothing();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = "MQTT-3.8.4-3",
            v311 = {"MQTT-3.8.4-3"})
    void subscribingAgainReplacesTheOptions(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.client(version, "c");
            RawMqtt publisher = clients.client(version, "p");
            String topic = clients.name("t");
            client.subscribed(topic, 2);
            client.subscribed(topic, 0);
            MqttClients.publish(publisher, topic, 2, 1, "m");
            assertThat(client.expectPublish().qos()).isZero();
            client.subscribed(topic, 1);
            MqttClients.publish(publisher, topic, 2, 2, "n");
            assertThat(client.expectPublish().qos()).isEqualTo(1);
            client.expectNothing();
        }
    }

    @Test
    @Statement({"MQTT-3.8.3-3", "MQTT-3.8.3-4"})
    void noLocal(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.client(5, "c");
            RawMqtt other = clients.client(5, "o");
            String topic = clients.name("t");
            client.subscribed(topic, 4 | 1);
            MqttClients.publish(client, topic, 1, 1, "own");
            client.expectNothing();
            MqttClients.publish(other, topic, 0, 0, "other");
            assertThat(client.expectPublish().payload()).isEqualTo("other");
            client.subscribe(1, "$share/g/" + topic, 4);
            assertThat(client.expectClosed()).isEqualTo(0x82);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {
                "MQTT-3.10.4-1",
                "MQTT-3.10.4-2",
                "MQTT-3.10.4-3",
                "MQTT-3.10.4-4",
                "MQTT-3.10.4-5",
                "MQTT-3.10.4-6",
                "MQTT-3.11.3-1",
                "MQTT-3.11.3-2"
            },
            v311 = {"MQTT-3.10.4-1", "MQTT-3.10.4-2", "MQTT-3.10.4-3", "MQTT-3.10.4-4", "MQTT-3.10.4-5", "MQTT-3.10.4-6"
            })
    void unsubscribing(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.client(version, "c");
            String topic = clients.name("t");
            client.subscribed(topic, 2);
            RawMqtt publisher = clients.client(version, "p");
            MqttClients.publish(publisher, topic, 2, 1, "under way");
            Published underWay = client.expectPublish();
            Bytes body = new Bytes().u16(300);
            if (version == 5) {
                body.properties(new Bytes());
            }
            client.send(body.text(topic.toUpperCase(java.util.Locale.ROOT))
                    .text(topic)
                    .packet(0xA2));
            Received unsuback = client.expect(RawMqtt.UNSUBACK);
            assertThat(unsuback.u16()).isEqualTo(300);
            if (version == 5) {
                unsuback.properties();
                assertThat(unsuback.rest()).containsExactly(0x11, 0);
            } else {
                assertThat(unsuback.remaining()).isZero();
            }
            MqttClients.publish(publisher, topic, 1, 2, "too late");
            MqttClients.finish(client, underWay);
            client.expectNothing();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "sport/#, sport, true",
        "sport/#, sport/a/b, true",
        "+/b, /b, true",
        "/+, /b, true",
        "+, /b, false",
        "sport/+, sport, false",
        "sport/+, sport/, true",
        "#, $x/y, false",
        "+/y, $x/y, false",
        "$x/#, $x/y, true",
        "a/b, A/b, false",
        "a//b, a//b, true",
        "a/+/b, a//b, true",
        "a.b/+, a.b/c, true",
        "a/+, a.b, false",
        "a*/+, a*/c, true"
    })
    @Statement(
            value = {"MQTT-4.7.2-1", "MQTT-4.7.3-3", "MQTT-4.7.3-4"},
            v311 = {"MQTT-3.8.3-2", "MQTT-4.7.2-1", "MQTT-4.7.3-4"})
    void filtersMatchLevelByLevel(String filter, String topic, boolean matches, InetSocketAddress broker)
            throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.client(4, "c");
            RawMqtt publisher = clients.client(4, "p");
            String unique = clients.name("");
            client.subscribed(filter, 0);
            publisher.publish(topic, 0, 0, unique);
            publisher.expectNothing();
            client.subscribed(unique, 0);
            publisher.publish(unique, 0, 0, "end");
            boolean seen = false;
            for (String payload = client.expectPublish().payload(); !payload.equals("end"); ) {
                seen |= payload.equals(unique);
                payload = client.expectPublish().payload();
            }
            assertThat(seen).isEqualTo(matches);
        }
    }

    @Test
    @Statement({"MQTT-4.8.2-1", "MQTT-4.8.2-2", "MQTT-4.8.2-3", "MQTT-4.8.2-5", "MQTT-4.8.2-6"})
    void sharedSubscriptions(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            String topic = clients.name("t");
            RawMqtt one = clients.client(5, "1");
            RawMqtt two = clients.client(5, "2");
            RawMqtt publisher = clients.client(5, "p");
            assertThat(one.subscribed("$share/" + clients.name("g") + "/" + topic, 1))
                    .isEqualTo(1);
            assertThat(two.subscribed("$share/" + clients.name("g") + "/" + topic, 0))
                    .isZero();
            for (String malformed : new String[] {"$share//" + topic, "$share/a+/" + topic, "$share/a", "$share/a/"}) {
                RawMqtt wrong = clients.client(5, "w");
                wrong.subscribe(1, malformed, 1);
                assertThat(wrong.expectClosed()).isEqualTo(0x81);
            }
            MqttClients.publish(publisher, topic, 1, 1, "a");
            MqttClients.publish(publisher, topic, 1, 2, "b");
            Published first = one.expectPublish();
            Published second = two.expectPublish();
            assertThat(first.qos()).isEqualTo(1);
            assertThat(second.qos()).isZero();
            assertThat(first.payload()).isNotEqualTo(second.payload());
            one.close();
            assertThat(two.expectPublish().payload()).isEqualTo(first.payload());
        }
    }
}
