package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mainstem.transport.InputBudget;
import io.netty.util.concurrent.Ticker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames that many peers begin and do not end, over TCP and WebSocket, and how large a frame of WebSocket may be. */
final class IncompleteFramesTest {
    private static final int BUDGET = 600 << 10;
    private static final int BYTES = 200 << 10;
    private static final AmqpLimits LARGE_FRAMES = new AmqpLimits(1 << 20, 8, 8, 1 << 20, 4 << 20, 10, 60_000);

    @TempDir
    Path folder;

    private final InputBudget input = new InputBudget(BUDGET, Ticker.systemTicker());

    /** All but the last bytes of a frame. */
    private static ScriptedPeer begin(TestServer server, String name, boolean webSocket) throws IOException {
        ScriptedPeer peer = server.peer(webSocket);
        peer.open(name);
        // Size 1 MiB, doff 2, type 0, channel 0.
        peer.bytes((byte) 0, (byte) 0x10, (byte) 0, (byte) 0, (byte) 2, (byte) 0, (byte) 0, (byte) 0);
        peer.bytes(new byte[BYTES]);
        return peer;
    }

    private void awaitUsed(long bytes) {
        await().atMost(Duration.ofMinutes(1)).until(() -> input.used() >= bytes);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("what all peers together have under way is bounded; who finds no room is told, others go on")
    void bounded(boolean webSocket) throws IOException {
        try (TestServer server = new TestServer(folder, LARGE_FRAMES, input)) {
            try (ScriptedPeer neighbour = server.open("neighbour");
                    ScriptedPeer one = begin(server, "one", webSocket)) {
                awaitUsed(BYTES);
                try (ScriptedPeer two = begin(server, "two", webSocket)) {
                    awaitUsed(2 * BYTES);
                    try (ScriptedPeer three = begin(server, "three", webSocket)) {
                        assertThat(three.closeError()).isEqualTo(AmqpError.RESOURCE_LIMIT_EXCEEDED.toString());
                    }
                    neighbour.begin(0);
                    two.bytes(new byte[1]);
                }
                one.bytes(new byte[1]);
            }
            await().atMost(Duration.ofMinutes(1)).until(() -> input.used() == 0);
        }
    }

    @Test
    @DisplayName("a WebSocket frame of more than 4 MiB, with many frames of AMQP in it, is taken")
    void aLargeWebSocketFrame() throws IOException {
        try (TestServer server = new TestServer(folder);
                ScriptedPeer peer = server.peer(true)) {
            peer.open("large");
            peer.begin(0);
            peer.attachSender(0, "q");
            peer.expect(Flow.class);
            byte[] message = ScriptedPeer.data(new byte[5 << 20]);
            int piece = 100_000;
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int at = 0; at < message.length; at += piece) {
                Transfer transfer = ScriptedPeer.transfer(0, 0);
                int end = Math.min(at + piece, message.length);
                transfer.setMore(end < message.length);
                all.writeBytes(peer.frame(0, transfer, Arrays.copyOfRange(message, at, end)));
            }
            peer.bytes(all.toByteArray());
            assertThat(peer.awaitBody(Disposition.class).getState()).isEqualTo(Accepted.getInstance());
        }
    }
}
