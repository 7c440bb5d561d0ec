package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.transport.InputBudget;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packets that many clients begin and do not end. */
final class IncompletePacketsTest {
    private static final int BUDGET = 600 << 10;
    private static final int BYTES = 200 << 10;

    @TempDir
    Path folder;

    private final MockTicker clock = Ticker.newMockTicker();
    private final InputBudget input = new InputBudget(BUDGET, clock);

    private TestServer server() throws IOException {
        return new TestServer(folder, TestServer.Setup.DEFAULT.with(input));
    }

    /** All but the last bytes of a PUBLISH; waits until the broker holds them or has closed. */
    private RawMqtt begin(TestServer server, String name) throws IOException {
        RawMqtt client = new RawMqtt(server.address(), 5);
        client.open(name, true);
        client.send(new Bytes().u8(0x30).varint(1 << 20).toArray());
        client.sendAnyway(new byte[BYTES]);
        return client;
    }

    private void awaitUsed(long bytes) {
        await().atMost(Duration.ofMinutes(1)).until(() -> input.used() >= bytes);
    }

    @Test
    @DisplayName("what all clients together have under way is bounded; who finds no room is told 0x97, others go on")
    void bounded() throws IOException {
        try (TestServer server = server();
                RawMqtt neighbour = new RawMqtt(server.address(), 5);
                RawMqtt one = begin(server, "one")) {
            awaitUsed(BYTES);
            RawMqtt two = begin(server, "two");
            awaitUsed(2 * BYTES);
            try (RawMqtt three = begin(server, "three")) {
                assertThat(three.expectClosed()).isEqualTo(0x97);
            }
            two.close();
            neighbour.open("neighbour", true);
            neighbour.subscribed("t", 0);
            neighbour.publish("t", 0, 0, "still served");
            assertThat(neighbour.expectPublish().payload()).isNotEmpty();
            one.disconnect();
        }
    }

    @Test
    @DisplayName("nobody keeps the room for ever: what is not complete after 30 s goes when others have none")
    void notForEver() throws IOException {
        try (TestServer server = server()) {
            RawMqtt one = begin(server, "one");
            awaitUsed(BYTES);
            RawMqtt two = begin(server, "two");
            awaitUsed(2 * BYTES);
            clock.advance(InputBudget.PATIENCE_SECONDS + 1, TimeUnit.SECONDS);
            try (RawMqtt three = begin(server, "three")) {
                assertThat(three.expectClosed()).isEqualTo(0x97);
            }
            await().atMost(Duration.ofMinutes(1)).until(() -> server.connections() == 1);
            one.close();
            two.close();
        }
    }
}
