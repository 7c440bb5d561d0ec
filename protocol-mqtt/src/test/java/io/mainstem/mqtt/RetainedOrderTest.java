package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import io.mainstem.mqtt.raw.Received;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a new subscriber gets of topics whose retained message changes at the same moment [S-10]. */
final class RetainedOrderTest {
    private static final int RETAIN = 1;
    private static final int QOS_1 = 2;
    private static final int ROUNDS = 40;

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"0, x, false", "1, x, false", "0, +, false", "1, +, false", "1, #, true", "0, x, true"})
    @DisplayName(
            "[MQTT-3.3.1-9] PUBLISH and SUBSCRIBE in one write: the message of the PUBLISH comes, once, and no older one")
    void inOneWrite(int qos, String filter, boolean kept) throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt publisher = new RawMqtt(server.address(), 5);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            publisher.open("p", true);
            client.open("c", !kept, kept ? new Bytes().u8(0x11).u32(3600) : new Bytes());
            for (int i = 1; i <= ROUNDS; i++) {
                retain(publisher, "t" + i + "/x", i, "old");
                publisher.expectAck(RawMqtt.PUBACK, i);
                client.hold();
                retain(client, "t" + i + "/x", i, "new");
                client.subscribe(1000 + i, "t" + i + "/" + filter, qos).sendHeld();
            }
            assertThat(seen(publisher, client, "new"))
                    .allSatisfy(
                            (topic, payloads) -> assertThat(payloads).as(topic).containsExactly("new"));
        }
    }

    @ParameterizedTest
    @CsvSource({"0", "1"})
    @DisplayName(
            "[MQTT-3.3.1-9] PUBLISH and SUBSCRIBE by two connections at once: the last message comes in the end, and none behind a newer one")
    void atOnce(int qos) throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt publisher = new RawMqtt(server.address(), 5);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            publisher.open("p", true);
            client.open("c", true);
            client.subscribed("before", qos);
            for (int i = 1; i <= ROUNDS; i++) {
                String topic = "t/" + i;
                retain(publisher, topic, 1, "1");
                publisher.expectAck(RawMqtt.PUBACK, 1);
                client.subscribe(i, topic, qos);
                for (int value = 2; value <= 5; value++) {
                    retain(publisher, topic, value, String.valueOf(value));
                }
                for (int value = 2; value <= 5; value++) {
                    publisher.expectAck(RawMqtt.PUBACK, value);
                }
            }
            assertThat(seen(publisher, client, "5"))
                    .allSatisfy((topic, payloads) -> assertThat(payloads)
                            .as(topic)
                            .isSorted()
                            .doesNotHaveDuplicates()
                            .endsWith("5"));
        }
    }

    @ParameterizedTest
    @CsvSource({"0", "1"})
    @DisplayName(
            "[MQTT-3.3.1-9] the same with the first SUBSCRIBE of a session: the last message comes, whatever its QoS")
    void firstSubscriptionAtOnce(int qos) throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            publisher.open("p", true);
            for (int i = 1; i <= ROUNDS; i++) {
                try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                    client.open("c" + i, true);
                    client.subscribe(1, "t/" + i, qos);
                    for (int value = 1; value <= 9; value++) {
                        publisher.publish(RETAIN, "t/" + i, 0, new Bytes(), new byte[] {(byte) ('0' + value)});
                    }
                    String last = "";
                    while (!last.equals("9")) {
                        Received next = client.next();
                        last = next.type() == RawMqtt.PUBLISH
                                ? client.published(next).payload()
                                : last;
                    }
                }
            }
        }
    }

    @Test
    @DisplayName(
            "[S-10] a retained message that waits for the client is left out when a newer one has come behind or before it")
    void supersededWhileItWaits() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt publisher = new RawMqtt(server.address(), 5);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            publisher.open("p", true);
            for (int i = 1; i <= 3; i++) {
                retain(publisher, "t/" + i, i, "old");
                publisher.expectAck(RawMqtt.PUBACK, i);
            }
            client.open("c", true, new Bytes().u8(0x21).u16(1));
            client.subscribed("t/#", 1);
            Published first = client.expectPublish();
            assertThat(first.topic()).isEqualTo("t/1");
            retain(publisher, "t/2", 4, "new");
            retain(publisher, "t/3", 5, "");
            publisher.expectAck(RawMqtt.PUBACK, 4);
            publisher.expectAck(RawMqtt.PUBACK, 5);
            client.ack(RawMqtt.PUBACK, first.packetId());
            Published second = client.expectPublish();
            assertThat(second)
                    .returns("t/2", Published::topic)
                    .returns("new", Published::payload)
                    .returns(false, Published::retain);
            client.ack(RawMqtt.PUBACK, second.packetId());
            assertThat(client.expectPublish()).returns("t/3", Published::topic).returns("", Published::payload);
            client.expectNothing();
        }
    }

    private static void retain(RawMqtt client, String topic, int id, String payload) throws IOException {
        client.publish(QOS_1 | RETAIN, topic, id, new Bytes(), payload.getBytes(StandardCharsets.UTF_8));
    }

    /** Payloads by topic, in their order, until the last one of each topic has come, and whatever comes behind. */
    private static Map<String, List<String>> seen(RawMqtt publisher, RawMqtt client, String last) throws IOException {
        Map<String, List<String>> seen = new TreeMap<>();
        while (seen.values().stream()
                        .filter(payloads -> payloads.contains(last))
                        .count()
                < ROUNDS) {
            see(client, seen);
        }
        retain(publisher, "end", 1000, "end");
        publisher.expectAck(RawMqtt.PUBACK, 1000);
        client.subscribe(2000, "end", 1);
        while (!seen.containsKey("end")) {
            see(client, seen);
        }
        seen.remove("end");
        return seen;
    }

    private static void see(RawMqtt client, Map<String, List<String>> seen) throws IOException {
        Received next = client.next();
        if (next.type() == RawMqtt.PUBLISH) {
            Published publish = client.published(next);
            if (publish.qos() > 0) {
                client.ack(RawMqtt.PUBACK, publish.packetId());
            }
            seen.computeIfAbsent(publish.topic(), topic -> new ArrayList<>()).add(publish.payload());
        }
    }
}
