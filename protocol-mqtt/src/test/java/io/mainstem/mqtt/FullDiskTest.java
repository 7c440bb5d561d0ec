package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreState;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.SmallDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that fills up under a publisher on a socket [L-10]. */
final class FullDiskTest {
    private static final int MIB = 1 << 20;
    private static final byte[] BODY = new byte[16 << 10];

    @TempDir
    Path folder;

    @Test
    @DisplayName("a publisher that is held back for longer than its keep alive stays connected")
    void heldBackBeyondKeepAlive() throws IOException {
        StoreConfig config = new StoreConfig(
                folder, MIB, MIB, 512, 2, 64 * MIB, 2 * MIB, 200, 4 * MIB, 1, 1000, StoreUpkeep.defaults());
        try (TestServer server = new TestServer(config, new SmallDisk(16 * MIB), TestServer.Setup.DEFAULT);
                RawMqtt subscriber = new RawMqtt(server.address(), 5);
                RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            subscriber.openKept("s");
            subscriber.subscribed("t", 1);
            subscriber.disconnect();
            subscriber.expectClosed();
            publisher.send(publisher.connectHead(2, 1, new Bytes()).text("p").packet(0x10));
            publisher.expect(RawMqtt.CONNACK);
            int sent = 0;
            while (server.storeState() == StoreState.RUNNING) {
                publish(publisher, ++sent);
                // The disk may fill up behind any of them, and then there is no answer.
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> publisher.hasMore() || server.storeState() != StoreState.RUNNING);
                if (publisher.hasMore()) {
                    publisher.expectAck(RawMqtt.PUBACK, sent);
                }
            }
            publish(publisher, ++sent);

            await().during(Duration.ofSeconds(3)).atMost(Duration.ofMinutes(1)).until(() -> server.connections() == 1);
            assertThat(server.storeState()).isNotEqualTo(StoreState.RUNNING);
        }
    }

    private static void publish(RawMqtt publisher, int packetId) throws IOException {
        publisher.publish(2, "t", packetId, new Bytes(), BODY);
    }
}
