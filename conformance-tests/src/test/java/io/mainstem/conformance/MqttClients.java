package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Raw clients of one test: closed with it, each test with names of its own. */
final class MqttClients implements AutoCloseable {
    private final InetSocketAddress broker;
    private final List<RawMqtt> open = new ArrayList<>();
    private final String prefix = "c" + UUID.randomUUID().toString().substring(0, 8);

    MqttClients(InetSocketAddress broker) {
        this.broker = broker;
    }

    /** A name nobody else uses: client id or topic. */
    String name(String base) {
        return prefix + base;
    }

    /** Connected to the socket, nothing sent. */
    RawMqtt socket(int version) throws IOException {
        RawMqtt client = new RawMqtt(broker, version);
        open.add(client);
        return client;
    }

    /** With a clean session of its own. */
    RawMqtt client(int version, String id) throws IOException {
        RawMqtt client = socket(version);
        client.open(name(id), true);
        return client;
    }

    RawMqtt client(String id, Bytes connectProperties) throws IOException {
        RawMqtt client = socket(5);
        client.open(name(id), true, connectProperties);
        return client;
    }

    /** Publishes and completes the exchange. */
    static void publish(RawMqtt client, String topic, int qos, int id, String payload) throws IOException {
        client.publish(topic, qos, id, payload);
        if (qos == 1) {
            client.expectAnswer(RawMqtt.PUBACK);
        } else if (qos == 2) {
            client.expectAnswer(RawMqtt.PUBREC);
            client.ack(RawMqtt.PUBREL, id);
            client.expectAnswer(RawMqtt.PUBCOMP);
        }
    }

    /** Completes the exchange of a delivery. */
    static void finish(RawMqtt client, Published published) throws IOException {
        if (published.qos() == 1) {
            client.ack(RawMqtt.PUBACK, published.packetId());
        } else if (published.qos() == 2) {
            client.ack(RawMqtt.PUBREC, published.packetId());
            assertThat(client.expectAck(RawMqtt.PUBREL, published.packetId())).isZero();
            client.ack(RawMqtt.PUBCOMP, published.packetId());
        }
    }

    @Override
    public void close() throws IOException {
        for (RawMqtt client : open) {
            client.close();
        }
    }
}
