package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import io.mainstem.mqtt.raw.Received;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that does not read its socket: QoS 1 and 2 wait for it, and nobody else does. QoS 0: see SysTopicsTest. */
final class SlowReaderTest {
    private static final int MESSAGES = 300;
    private static final String FILLER = "x".repeat(32 << 10);

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName("all of some 10 MB come in order once it reads; its neighbour has had them long before")
    void nothingIsLost(int qos) throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt slow = new RawMqtt(server.address(), 5);
                RawMqtt neighbour = new RawMqtt(server.address(), 5);
                RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            slow.openKept("slow");
            slow.subscribed("t", qos);
            neighbour.open("neighbour", true);
            neighbour.subscribed("t", 0);
            publisher.open("p", true);
            for (int i = 1; i <= MESSAGES; i++) {
                publisher.publish(qos << 1, "t", i, new Bytes(), (i + FILLER).getBytes(StandardCharsets.UTF_8));
                publisher.expectAck(qos == 1 ? RawMqtt.PUBACK : RawMqtt.PUBREC, i);
                assertThat(neighbour.expectPublish().payload()).startsWith(i + "x");
                if (qos == 2) {
                    publisher.ack(RawMqtt.PUBREL, i);
                    publisher.expectAck(RawMqtt.PUBCOMP, i);
                }
            }
            for (int i = 1; i <= MESSAGES; i++) {
                Published next = nextPublish(slow);
                assertThat(next.payload()).startsWith(i + "x");
                slow.ack(qos == 1 ? RawMqtt.PUBACK : RawMqtt.PUBREC, next.packetId());
            }
        }
    }

    /** Ends exchanges of QoS 2 that come between. */
    private static Published nextPublish(RawMqtt client) throws IOException {
        Received next = client.next();
        while (next.type() == RawMqtt.PUBREL) {
            client.ack(RawMqtt.PUBCOMP, next.u16());
            next = client.next();
        }
        return client.published(next);
    }
}
