package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What links may no longer do: credit taken back or used up, names taken over. Scripts of frames on a real broker. */
final class LinkEndTest {
    private static final AmqpLimits LIMITS = new AmqpLimits(4096, 8, 8, 1 << 20, 4 << 20, 10, 60_000);

    @TempDir
    Path folder;

    private TestServer server;
    private ScriptedPeer peer;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(folder, LIMITS);
        peer = server.open("client");
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
    }

    @Test
    @DisplayName("12: credit taken back gives what waits for the session window to other consumers, and ends the drain")
    void creditTakenBack() throws IOException {
        peer.begin(0, 1);
        publish("orders", 1, 2, 3);
        peer.attachReceiver(0, "orders");
        peer.send(0, flow(0, 10, false));
        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(1);

        peer.send(0, flow(1, 0, true));

        Flow drained = peer.awaitBody(Flow.class);
        assertThat(drained.getDrain()).isTrue();
        assertThat(drained.getLinkCredit().intValue()).isZero();
        assertThat(drained.getDeliveryCount().intValue()).isEqualTo(1);
        try (ScriptedPeer other = server.open("other")) {
            other.begin(0);
            other.attachReceiver(0, "orders");
            other.credit(0, 0, 2, false);
            assertThat(ScriptedPeer.bodyOf(other.await(Transfer.class).payload()))
                    .containsExactly(2);
            assertThat(ScriptedPeer.bodyOf(other.await(Transfer.class).payload()))
                    .containsExactly(3);
        }
    }

    @Test
    @DisplayName("9: a link that is still attaching loses its name to the next one of that name, too")
    void stolenWhileAttaching() throws IOException {
        peer.begin(0);
        Source source = new Source();
        source.setAddress("made-on-attach");
        Attach second = ScriptedPeer.receiverAttach(1, source);
        second.setHandle(UnsignedInteger.valueOf(2));
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.write(peer.frame(0, ScriptedPeer.receiverAttach(1, source)));
        both.write(peer.frame(0, second));

        peer.bytes(both.toByteArray());

        Detach stolen = peer.awaitBody(Detach.class);
        assertThat(stolen.getHandle().intValue()).isEqualTo(1);
        assertThat(stolen.getError().getCondition().toString()).isEqualTo("amqp:link:stolen");
    }

    @Test
    @DisplayName("[A-9]: messages that wait for a queue to be made use up credit like others without an answer")
    void relayCredit() throws IOException {
        peer.begin(0);
        peer.attachSender(0, null);
        peer.await(Flow.class);
        ByteArrayOutputStream burst = new ByteArrayOutputStream();
        for (int i = 0; i < 100; i++) {
            burst.write(peer.frame(0, ScriptedPeer.transfer(0, i), to("made-on-publish")));
        }

        peer.bytes(burst.toByteArray());

        assertThat(peer.awaitBody(Detach.class).getError().getCondition().toString())
                .isEqualTo("amqp:link:transfer-limit-exceeded");
    }

    private void publish(String queue, int... bodies) throws IOException {
        try (ScriptedPeer publisher = server.open("publisher")) {
            publisher.begin(0);
            publisher.attachSender(0, queue);
            for (int i = 0; i < bodies.length; i++) {
                publisher.send(0, ScriptedPeer.transfer(0, i), ScriptedPeer.durable((byte) bodies[i]));
                publisher.await(Disposition.class);
            }
        }
    }

    /** Credit for handle 0; the session window stays at one transfer. */
    private static Flow flow(int deliveryCount, int credit, boolean drain) {
        Flow flow = ScriptedPeer.sessionFlow(1);
        flow.setHandle(UnsignedInteger.ZERO);
        flow.setDeliveryCount(UnsignedInteger.valueOf(deliveryCount));
        flow.setLinkCredit(UnsignedInteger.valueOf(credit));
        flow.setDrain(drain);
        return flow;
    }

    /** A message with {@code properties.to}. */
    private static byte[] to(String address) {
        byte[] text = address.getBytes(StandardCharsets.US_ASCII);
        ByteBuf out = Unpooled.buffer();
        out.writeMedium(0x005373).writeByte(0xc0).writeByte(5 + text.length).writeByte(3);
        out.writeShort(0x4040).writeByte(0xa1).writeByte(text.length).writeBytes(text);
        out.writeBytes(ScriptedPeer.data((byte) 1));
        return ByteBufUtil.getBytes(out);
    }
}
