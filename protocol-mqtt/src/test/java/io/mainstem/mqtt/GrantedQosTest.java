package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** [S-7] The QoS of a delivery is that of the subscriptions which brought it, whatever becomes of them. */
final class GrantedQosTest {
    @TempDir
    Path folder;

    /** Takes one message at a time, so that the others wait in the queue. */
    private static boolean open(RawMqtt client, boolean clean) throws IOException {
        return client.open(
                "c", clean, new Bytes().u8(0x11).u32(clean ? 0 : 3600).u8(0x21).u16(1));
    }

    private static void publish(TestServer server, String topic, int qos, String... payloads) throws IOException {
        try (RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            publisher.open("p", true);
            for (int id = 1; id <= payloads.length; id++) {
                publisher.publish(topic, qos, id, payloads[id - 1]);
                publisher.expectAck(qos == 2 ? RawMqtt.PUBREC : RawMqtt.PUBACK, id);
            }
        }
    }

    private static void unsubscribed(RawMqtt client, String filter) throws IOException {
        client.unsubscribe(5, filter);
        client.expectAnswer(RawMqtt.UNSUBACK);
    }

    private static void expect(RawMqtt client, String payload, int qos) throws IOException {
        Published found = client.expectPublish();
        assertThat(found.payload() + " QoS " + found.qos()).isEqualTo(payload + " QoS " + qos);
        if (qos == 1) {
            client.ack(RawMqtt.PUBACK, found.packetId());
        } else if (qos == 2) {
            client.ack(RawMqtt.PUBREC, found.packetId());
            client.expectAck(RawMqtt.PUBREL, found.packetId());
            client.ack(RawMqtt.PUBCOMP, found.packetId());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("[MQTT-3.10.4-3] what came before UNSUBSCRIBE is delivered behind it, as it was granted")
    void afterUnsubscribe(boolean clean) throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            open(client, clean);
            client.subscribed("t/+", 1);
            publish(server, "t/x", 2, "one", "two", "three");
            unsubscribed(client, "t/+");
            publish(server, "t/x", 2, "four");
            expect(client, "one", 1);
            expect(client, "two", 1);
            expect(client, "three", 1);
            client.expectNothing();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("the same behind a restart and behind a crash, large messages too")
    void afterRestart(boolean crash) throws IOException {
        String large = "x".repeat(3 << 20);
        TestServer server = new TestServer(folder);
        try (RawMqtt client = new RawMqtt(server.address(), 5)) {
            open(client, false);
            client.subscribed("t", 1);
            publish(server, "t", 2, "one", large);
            client.expectPublish();
            unsubscribed(client, "t");
        }
        if (crash) {
            server.crash();
        } else {
            server.close();
        }
        try (TestServer again = new TestServer(folder);
                RawMqtt client = new RawMqtt(again.address(), 5)) {
            assertThat(open(client, false)).isTrue();
            expect(client, "one", 1);
            expect(client, large, 1);
            client.expectNothing();
        }
    }

    @Test
    @DisplayName("a subscription that is replaced grants what comes from then on")
    void replaced() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            open(client, false);
            client.subscribed("t", 1);
            publish(server, "t", 2, "one", "two");
            assertThat(client.subscribed("t", 2)).isEqualTo(2);
            publish(server, "t", 2, "three", "four");
            assertThat(client.subscribed("t", 1)).isEqualTo(1);
            publish(server, "t", 2, "five");
            expect(client, "one", 1);
            expect(client, "two", 1);
            expect(client, "three", 2);
            expect(client, "four", 2);
            expect(client, "five", 1);
        }
    }

    @Test
    @DisplayName("of subscriptions that overlap the highest counts, also when it is gone")
    void overlapping() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            open(client, false);
            client.subscribed("t/#", 0);
            client.subscribed("t/x", 2);
            publish(server, "t/x", 2, "one", "two");
            publish(server, "t/x", 1, "three");
            unsubscribed(client, "t/x");
            expect(client, "one", 2);
            expect(client, "two", 2);
            expect(client, "three", 1);
            publish(server, "t/x", 2, "four");
            expect(client, "four", 0);
        }
    }
}
