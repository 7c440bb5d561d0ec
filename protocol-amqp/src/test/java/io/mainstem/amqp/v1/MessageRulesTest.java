package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.mainstem.routing.ClientInfo;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.DeliveryAnnotations;
import org.apache.qpid.proton.amqp.messaging.Footer;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules of the mapping about messages, frame by frame. */
final class MessageRulesTest {
    private static final Symbol TOPIC = Symbol.valueOf("topic");

    private TestServer server;
    private ScriptedPeer peer;

    @BeforeEach
    void start(@TempDir Path folder) throws IOException {
        server = new TestServer(folder);
        peer = server.open("client");
        peer.begin(0);
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
    }

    @Test
    @DisplayName("[M-3]: a message may name the user that has logged in, and nobody else")
    void claimedUser() {
        MessageIngress ingress =
                new MessageIngress(new ClientInfo("/", "client", "alice", "peer", "AMQP 1.0"), InstantSource.system());

        assertThat(ingress.build(ingress.parse(null, List.of(from("alice"))), "", List.of("q")))
                .isNotNull();
        assertThatThrownBy(() -> ingress.build(ingress.parse(null, List.of(from("mallory"))), "", List.of("q")))
                .isInstanceOfSatisfying(
                        AmqpException.class,
                        refused -> assertThat(refused.condition().toString()).isEqualTo("amqp:unauthorized-access"))
                .hasMessageContaining("MS-0508 message with user-id 'mallory' from user 'alice'");
    }

    private static byte[] from(String user) {
        Properties properties = new Properties();
        properties.setUserId(new Binary(user.getBytes(StandardCharsets.UTF_8)));
        return join(encoded(properties), ScriptedPeer.data((byte) 1));
    }

    @Test
    @DisplayName("[M-14], [D-1]: the footer goes from AMQP to AMQP byte for byte")
    void footerIsKept() throws IOException {
        byte[] footer = encoded(new Footer(Map.of(Symbol.valueOf("x-checksum"), 42)));
        byte[] body = ScriptedPeer.data((byte) 1, (byte) 2);

        byte[] delivered = roundTrip(join(body, footer));

        assertThat(ByteBufUtil.hexDump(delivered)).endsWith(ByteBufUtil.hexDump(join(body, footer)));
    }

    @Test
    @DisplayName("[D-2]: delivery annotations end at the broker")
    void deliveryAnnotationsEnd() throws IOException {
        byte[] annotations = encoded(new DeliveryAnnotations(Map.of(Symbol.valueOf("x-hop"), "one")));

        byte[] delivered = roundTrip(join(annotations, ScriptedPeer.data((byte) 1)));

        assertThat(new String(delivered, StandardCharsets.ISO_8859_1)).doesNotContain("x-hop");
        assertThat(ScriptedPeer.bodyOf(delivered)).containsExactly(1);
    }

    @Test
    @DisplayName("[J-4]: distribution mode copy browses a queue, which keeps its messages")
    void copyOfAQueue() throws IOException {
        publish("q", ScriptedPeer.durable((byte) 1));

        attachCopy(0, "q");
        assertThat(next(0, 0)).containsExactly(1);
        attachCopy(1, "q");
        assertThat(next(1, 0)).containsExactly(1);
    }

    @Test
    @DisplayName("[J-4]: distribution mode copy on a topic is a subscription like any other: what is taken is gone")
    void copyOfATopic() throws IOException {
        attachCopy(0, "t", TOPIC);
        peer.attachSender(1, "t", TOPIC);
        peer.send(0, ScriptedPeer.transfer(1, 0), ScriptedPeer.data((byte) 1));

        assertThat(next(0, 0)).containsExactly(1);

        peer.credit(0, 1, 1, true);
        Flow drained = peer.awaitBody(Flow.class);
        while (drained.getHandle() == null || drained.getHandle().intValue() != 0) {
            drained = peer.awaitBody(Flow.class);
        }
        assertThat(drained.getLinkCredit().intValue()).isZero();
    }

    private void attachCopy(int handle, String address, Symbol... capabilities) throws IOException {
        Source source = new Source();
        source.setAddress(address);
        source.setCapabilities(capabilities);
        source.setDistributionMode(Symbol.valueOf("copy"));
        peer.send(0, ScriptedPeer.receiverAttach(handle, source));
        peer.await(Attach.class);
    }

    private byte[] next(int handle, int deliveryCount) throws IOException {
        peer.credit(handle, deliveryCount, 1, false);
        return ScriptedPeer.bodyOf(peer.await(Transfer.class).payload());
    }

    private byte[] roundTrip(byte[] message) throws IOException {
        publish("q", message);
        peer.attachReceiver(0, "q");
        peer.credit(0, 0, 1, false);
        return peer.await(Transfer.class).payload();
    }

    private void publish(String queue, byte[] message) throws IOException {
        try (ScriptedPeer publisher = server.open("publisher")) {
            publisher.begin(0);
            publisher.attachSender(0, queue);
            publisher.send(0, ScriptedPeer.transfer(0, 0), message);
            publisher.await(Disposition.class);
        }
    }

    private static byte[] encoded(Object section) {
        ByteBuf out = Unpooled.buffer();
        PerformativeCodec.ofThread().write(section, out);
        return ByteBufUtil.getBytes(out);
    }

    private static byte[] join(byte[] first, byte[] second) {
        return ByteBufUtil.getBytes(Unpooled.wrappedBuffer(first, second));
    }
}
