package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Header;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages that expire while they wait for the peer's window: their delivery has not been started [T-4]. */
final class WaitingExpiryTest {
    private static final int SHORT_MS = 1_000;
    private static final int LONG_MS = 600_000;

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());

    @TempDir
    Path folder;

    private TestServer server;
    private ScriptedPeer peer;

    @BeforeEach
    void start() throws IOException {
        InstantSource clock = now::get;
        server = new TestServer(folder, clock);
        peer = server.open("client");
        peer.begin(0, 1);
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
    }

    private void publish(int... ttls) throws IOException {
        try (ScriptedPeer publisher = server.open("publisher")) {
            publisher.begin(0);
            publisher.attachSender(0, "q");
            for (int i = 0; i < ttls.length; i++) {
                Header header = new Header();
                header.setDurable(true);
                header.setTtl(UnsignedInteger.valueOf(ttls[i]));
                ByteBuf message = Unpooled.buffer();
                PerformativeCodec.ofThread().write(header, message);
                message.writeBytes(ScriptedPeer.data((byte) i));
                publisher.send(0, ScriptedPeer.transfer(0, i), ByteBufUtil.getBytes(message));
                publisher.await(Disposition.class);
            }
        }
    }

    /** Attaches and takes the first message, which uses the window up; the others wait for it. */
    private void receiveFirst(int messages, int credit, boolean drain) throws IOException {
        peer.attachReceiver(0, "q");
        Flow flow = ScriptedPeer.sessionFlow(1);
        flow.setHandle(UnsignedInteger.ZERO);
        flow.setDeliveryCount(UnsignedInteger.ZERO);
        flow.setLinkCredit(UnsignedInteger.valueOf(credit));
        flow.setDrain(drain);
        peer.send(0, flow);
        assertThat(next()).isEqualTo(0);
        server.awaitUnsettled("q", messages);
    }

    private void pass(int ms) {
        now.updateAndGet(instant -> instant.plusMillis(ms));
    }

    private void openWindow() throws IOException {
        Flow flow = ScriptedPeer.sessionFlow(100);
        flow.setNextIncomingId(UnsignedInteger.ONE);
        peer.send(0, flow);
    }

    private int next() throws IOException {
        return ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())[0];
    }

    @Test
    @DisplayName("3.2.1 a message that expires behind a closed session window is not sent, and uses no credit")
    void behindTheWindow() throws IOException {
        publish(LONG_MS, SHORT_MS, LONG_MS);
        receiveFirst(3, 3, false);

        pass(4 * SHORT_MS);
        openWindow();

        assertThat(next()).isEqualTo(2);
        publish(LONG_MS);
        assertThat(next()).isEqualTo(0);
    }

    @Test
    @DisplayName("[T-4] what expires by the ttl of its queue is not sent, either, but dead-lettered")
    void byItsQueue() throws IOException {
        server.declareQueue("dead", Map.of());
        server.declareQueue(
                "q",
                Map.of(
                        "x-message-ttl", (long) SHORT_MS,
                        "x-dead-letter-exchange", "",
                        "x-dead-letter-routing-key", "dead"));
        publish(LONG_MS, LONG_MS);
        receiveFirst(2, 2, false);

        pass(4 * SHORT_MS);
        openWindow();

        peer.attachReceiver(1, "dead");
        peer.credit(1, 0, 1, false);
        assertThat(next()).isEqualTo(1);
    }

    @Test
    @DisplayName("2.6.7 a drain whose last message has expired is answered")
    void drained() throws IOException {
        publish(LONG_MS, SHORT_MS);
        receiveFirst(2, 5, true);

        pass(4 * SHORT_MS);
        openWindow();

        Flow answer = peer.awaitBody(Flow.class);
        assertThat(answer.getLinkCredit().intValue()).isZero();
        assertThat(answer.getDeliveryCount().intValue()).isEqualTo(5);
    }
}
