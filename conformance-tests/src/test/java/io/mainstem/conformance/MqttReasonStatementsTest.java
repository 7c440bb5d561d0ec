package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.Received;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** MQTT 5.0: reason strings and user properties of the server, which a client may not want, or be too small for. */
@MqttConformance
final class MqttReasonStatementsTest {
    /** Holds every packet that is needed, and no reason string. */
    private static final int SMALL = 40;

    private static final int REASON_STRING = 0x1F;

    private static RawMqtt small(MqttClients clients) throws IOException {
        return clients.client("s", new Bytes().u8(0x27).u32(SMALL));
    }

    private static void checkFits(Received packet) {
        assertThat(packet.size() + 2).isLessThanOrEqualTo(SMALL);
    }

    @Test
    @Statement({"MQTT-3.2.2-19", "MQTT-3.2.2-20"})
    void connack(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.socket(5);
            client.send(client.connectHead(6, 0, new Bytes().u8(0x27).u32(SMALL))
                    .text(clients.name("s"))
                    .properties(new Bytes())
                    .text("no/#")
                    .text("will")
                    .packet(0x10));
            Received connack = client.expect(RawMqtt.CONNACK);
            checkFits(connack);
            connack.u8();
            assertThat(connack.u8()).isGreaterThanOrEqualTo(0x80);
        }
    }

    @Test
    @Statement({
        "MQTT-3.4.2-2",
        "MQTT-3.4.2-3",
        "MQTT-3.5.2-2",
        "MQTT-3.5.2-3",
        "MQTT-3.6.2-2",
        "MQTT-3.6.2-3",
        "MQTT-3.7.2-2",
        "MQTT-3.7.2-3"
    })
    void acknowledgements(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = small(clients);
            client.publish("$SYS/no", 1, 1, "m");
            checkFits(client.expect(RawMqtt.PUBACK));
            client.publish("$SYS/no", 2, 2, "m");
            checkFits(client.expect(RawMqtt.PUBREC));
            client.ack(RawMqtt.PUBREC, 77);
            checkFits(client.expect(RawMqtt.PUBREL));
            client.ack(RawMqtt.PUBREL, 78);
            checkFits(client.expect(RawMqtt.PUBCOMP));
        }
    }

    @Test
    @Statement({"MQTT-3.9.2-1", "MQTT-3.9.2-2", "MQTT-3.11.2-1", "MQTT-3.11.2-2"})
    void subackAndUnsuback(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = small(clients);
            client.subscribe(1, "a/#/b", 0);
            checkFits(client.expect(RawMqtt.SUBACK));
            client.unsubscribe(2, "a/#/b");
            checkFits(client.expect(RawMqtt.UNSUBACK));
        }
    }

    @Test
    @Statement({"MQTT-3.14.2-3", "MQTT-3.14.2-4"})
    void disconnect(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = small(clients);
            client.publish("a/+", 0, 0, "m");
            checkFits(client.expect(RawMqtt.DISCONNECT));
        }
    }

    @Test
    @Statement("MQTT-3.1.2-29")
    void noProblemInformationInAcknowledgementsForWhoWantsNone(InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.client("s", new Bytes().u8(0x17, 0));
            client.subscribe(1, "a/#/b", 0);
            Received suback = client.expect(RawMqtt.SUBACK);
            suback.u16();
            assertThat(suback.properties()).noneMatch(MqttReasonStatementsTest::isProblemInformation);
            client.publish("$SYS/no", 1, 1, "m");
            Received puback = client.expect(RawMqtt.PUBACK);
            puback.u16();
            if (puback.remaining() > 1) {
                puback.u8();
                assertThat(puback.properties()).noneMatch(MqttReasonStatementsTest::isProblemInformation);
            }
        }
    }

    private static boolean isProblemInformation(String property) {
        return property.startsWith(String.format("%02x=", REASON_STRING)) || property.startsWith("26=");
    }
}
