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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Packets that many clients begin and do not end, over TCP and WebSocket. */
final class IncompletePacketsTest {
    private static final int BUDGET = 600 << 10;
    private static final int BYTES = 200 << 10;
    private static final int CLIENTS = 170;

    @TempDir
    Path folder;

    private final MockTicker clock = Ticker.newMockTicker();
    private final InputBudget input = new InputBudget(BUDGET, clock);

    private TestServer server() throws IOException {
        return new TestServer(folder, TestServer.Setup.DEFAULT.with(input));
    }

    /** All but the last bytes of a PUBLISH; waits until the broker holds them or has closed. */
    private RawMqtt begin(TestServer server, String name, boolean webSocket) throws IOException {
        RawMqtt client = server.client(webSocket, 5);
        client.open(name, true);
        client.send(new Bytes().u8(0x30).varint(1 << 20).toArray());
        client.sendAnyway(new byte[BYTES]);
        return client;
    }

    private void awaitUsed(long bytes) {
        await().atMost(Duration.ofMinutes(1)).until(() -> input.used() >= bytes);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("what all clients together have under way is bounded; who finds no room is told 0x97, others go on")
    void bounded(boolean webSocket) throws IOException {
        try (TestServer server = server();
                RawMqtt neighbour = new RawMqtt(server.address(), 5);
                RawMqtt one = begin(server, "one", webSocket)) {
            awaitUsed(BYTES);
            RawMqtt two = begin(server, "two", webSocket);
            awaitUsed(2 * BYTES);
            try (RawMqtt three = begin(server, "three", webSocket)) {
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

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("nobody keeps the room for ever: what is not complete after 30 s goes when others have none")
    void notForEver(boolean webSocket) throws IOException {
        try (TestServer server = server()) {
            RawMqtt one = begin(server, "one", webSocket);
            awaitUsed(BYTES);
            RawMqtt two = begin(server, "two", webSocket);
            awaitUsed(2 * BYTES);
            clock.advance(InputBudget.PATIENCE_SECONDS + 1, TimeUnit.SECONDS);
            try (RawMqtt three = begin(server, "three", webSocket)) {
                assertThat(three.expectClosed()).isEqualTo(0x97);
            }
            await().atMost(Duration.ofMinutes(1)).until(() -> server.connections() == 1);
            one.close();
            two.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("170 clients at once: no more than the budget is held, and the others are served")
    void manyClients(boolean webSocket) throws IOException {
        List<RawMqtt> all = new ArrayList<>();
        try (TestServer server = server();
                RawMqtt neighbour = server.client(webSocket, 5)) {
            neighbour.open("neighbour", true);
            for (int i = 0; i < CLIENTS; i++) {
                all.add(begin(server, "client" + i, webSocket));
                assertThat(input.used()).isLessThanOrEqualTo(BUDGET);
            }
            neighbour.subscribed("t", 0);
            neighbour.publish("t", 0, 0, "still served");
            assertThat(neighbour.expectPublish().payload()).isEqualTo("still served");
            // Each that is held takes its bytes at least.
            await().atMost(Duration.ofMinutes(1)).until(() -> server.connections() <= BUDGET / BYTES + 1);
            for (RawMqtt client : all) {
                client.close();
            }
            await().atMost(Duration.ofMinutes(1)).until(() -> input.used() == 0);
        }
    }
}
