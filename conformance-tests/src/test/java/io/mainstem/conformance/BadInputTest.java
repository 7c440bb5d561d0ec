package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.engine.Delivery;
import org.apache.qpid.proton.engine.Sender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is not AMQP ends its own connection by the standard's error; a neighbour does not notice. */
@WithBroker
final class BadInputTest {
    private static final int OVERLONG_SIZE = 0x7fffffff;
    private static final String FRAMING_ERROR = "amqp:connection:framing-error";

    private final BrokerAddress broker;
    private AmqpPeer neighbour;
    private Sender neighbourSender;

    BadInputTest(BrokerAddress broker) {
        this.broker = broker;
    }

    @BeforeEach
    void connectNeighbour() throws IOException {
        neighbour = new AmqpPeer(broker);
        neighbourSender = neighbour.sender(neighbour.session(), Jms.uniqueName("neighbour"));
        neighbour.pumpUntil("credit", () -> neighbourSender.getCredit() > 0);
    }

    @AfterEach
    void theNeighbourGoesOn() throws IOException {
        try (AmqpPeer same = neighbour) {
            Delivery delivery = AmqpPeer.send(neighbourSender, 1, new MessageId(0, 1).encode(0));
            same.pumpUntil("outcome", () -> delivery.getRemoteState() != null);
            assertThat(delivery.getRemoteState()).isInstanceOf(Accepted.class);
        }
    }

    @Test
    void garbageEndsTheConnection() throws IOException {
        byte[] garbage = new byte[4096];
        new Random(1).nextBytes(garbage);
        try (RawPeer peer = new RawPeer(broker)) {
            peer.send(garbage);

            peer.readToEnd();
        }
    }

    @Test
    void aWebBrowserIsTurnedAway() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            peer.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

            peer.readToEnd();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"414d515000000901", "414d515000010100", "414d515005010000", "414d515000020000"})
    @DisplayName("a header that is not spoken is answered with one that is [wire b1]")
    void unknownHeader(String header) throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            peer.send(header);

            byte[] answer = peer.readToEnd();
            assertThat(answer).startsWith('A', 'M', 'Q', 'P');
            assertThat(Arrays.copyOf(answer, 8)).isIn(RawPeer.AMQP_HEADER, RawPeer.SASL_HEADER);
        }
    }

    @Test
    void aFrameOverTheNegotiatedSizeIsAFramingError() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            long max = peer.open().getMaxFrameSize().longValue();
            assertThat(max).isBetween(512L, 64L << 20);

            peer.send(ByteBuffer.allocate(8)
                    .putInt((int) max + 1)
                    .putInt(0x02000000)
                    .array());

            assertThat(RawFrames.closeOf(peer)).isEqualTo(FRAMING_ERROR);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"00000004 02000000", "00000008 01000000", "00000008 ff000000", "ffffffff 02000000"})
    @DisplayName("impossible frame sizes and offsets are framing errors [wire b7]")
    void impossibleFrames(String frame) throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            peer.open();
            peer.send(frame);

            assertThat(RawFrames.closeOf(peer)).isEqualTo(FRAMING_ERROR);
        }
    }

    @Test
    @DisplayName("a huge frame before open is not waited for: memory is bounded before authentication")
    void hugeFrameBeforeOpen() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            peer.send(RawPeer.AMQP_HEADER);
            peer.send(ByteBuffer.allocate(8)
                    .putInt(OVERLONG_SIZE)
                    .putInt(0x02000000)
                    .array());

            peer.readToEnd();
        }
    }

    @Test
    @DisplayName("a huge SASL frame is not waited for [wire b2]")
    void hugeSaslFrame() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            peer.send(RawPeer.SASL_HEADER);
            peer.send(ByteBuffer.allocate(8)
                    .putInt(OVERLONG_SIZE)
                    .putInt(0x02010000)
                    .array());

            peer.readToEnd();
        }
    }

    @Test
    @DisplayName("nested values end at a limit, not at the stack [D-5]")
    void nestingBombInOpen() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            peer.send(RawPeer.AMQP_HEADER);
            peer.send(RawPeer.frame(0, openWithProperties(nestedLists(200))));

            peer.readToEnd();
        }
    }

    @Test
    @DisplayName("a nesting bomb in a message ends no more than its connection [D-5]")
    void nestingBombInMessage() throws IOException {
        byte[] value = concat(new byte[] {0x00, 0x53, 0x77}, nestedLists(5000));
        expectNotAccepted(value);
    }

    @Test
    @DisplayName("a declared count beyond the bytes at hand is a decode error [D-5]")
    void impossibleCountInOpen() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            peer.send(RawPeer.AMQP_HEADER);
            // open: list32 of 16 bytes with 2^31 - 1 entries
            peer.send(RawPeer.frame(
                    0, new byte[] {0, 0x53, 0x10, (byte) 0xd0, 0, 0, 0, 16, 0x7f, -1, -1, -1, 0x40, 0x40}));

            peer.readToEnd();
        }
    }

    @Test
    void aMessageThatIsNoMessageIsNotAccepted() throws IOException {
        expectNotAccepted(new byte[] {0x01, 0x02, 0x03, 0x04});
    }

    @Test
    void aMessageCutInASectionIsNotAccepted() throws IOException {
        // data section that declares 100 bytes and has two
        expectNotAccepted(new byte[] {0x00, 0x53, 0x75, (byte) 0xa0, 100, 1, 2});
    }

    @Test
    void anOpenWithoutContainerIdIsRefused() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            peer.send(RawPeer.AMQP_HEADER);
            peer.send(RawPeer.frame(0, new byte[] {0, 0x53, 0x10, 0x45}));

            peer.readToEnd();
        }
    }

    @Test
    void aCutConnectionInTheMiddleOfAFrameIsJustGone() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            peer.open();
            peer.send("00000100 02000000 0053");
        }
    }

    @Test
    @DisplayName("a transfer on a handle that is not attached is answered by an error [wire b8]")
    void transferOnUnknownHandle() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            peer.open();
            peer.begin(RawFrames.begin());
            peer.send(peer.frame(0, RawFrames.transfer(42, 0), new byte[] {0, 0x53, 0x77, 0x40}));

            assertThat(RawFrames.errorOf(peer))
                    .isIn("amqp:session:unattached-handle", FRAMING_ERROR, "amqp:decode-error");
        }
    }

    @Test
    @DisplayName("heartbeats come at less than the asked interval [wire b6]")
    void heartbeats() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            Open open = new Open();
            open.setContainerId("raw");
            open.setIdleTimeOut(UnsignedInteger.valueOf(1000));
            peer.open(open);

            // Of one alone this machine may learn late.
            int heartbeats = 6;
            long started = System.nanoTime();
            for (int i = 0; i < heartbeats; i++) {
                assertThat(peer.read()).isEqualTo(RawPeer.Heartbeat.HEARTBEAT);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(heartbeats));
        }
    }

    @Test
    @DisplayName("open, begin and attach in one packet are answered [wire b1]")
    void pipelinedOpen() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            Open open = new Open();
            open.setContainerId("raw");
            ByteArrayOutputStream packet = new ByteArrayOutputStream();
            packet.write(RawPeer.AMQP_HEADER);
            packet.write(peer.frame(0, open, new byte[0]));
            packet.write(peer.frame(0, RawFrames.begin(), new byte[0]));
            packet.write(peer.frame(0, RawFrames.senderAttach(Jms.uniqueName("raw")), new byte[0]));
            peer.send(packet.toByteArray());

            peer.readHeader();
            peer.readUntil(Open.class);
            peer.readUntil(Begin.class);
            assertThat(peer.readUntil(Attach.class).getTarget()).isNotNull();
        }
    }

    @Test
    void bytesThatComeOneByOneAreUnderstood() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            Open open = new Open();
            open.setContainerId("slow");
            for (byte b : concat(RawPeer.AMQP_HEADER, peer.frame(0, open, new byte[0]))) {
                peer.send(new byte[] {b});
            }

            peer.readHeader();
            peer.readUntil(Open.class);
        }
    }

    private void expectNotAccepted(byte[] payload) throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            attachSender(peer);
            peer.send(peer.frame(0, RawFrames.transfer(0, 0), payload));

            Object answer = peer.read();
            while (answer instanceof Flow || answer instanceof RawPeer.Heartbeat) {
                answer = peer.read();
            }
            if (answer instanceof Disposition disposition) {
                assertThat(disposition.getState()).isNotInstanceOf(Accepted.class);
            } else {
                assertThat(answer).isInstanceOfAny(Detach.class, End.class, Close.class);
            }
        }
    }

    /** Opens, begins, attaches a sender and waits for credit. */
    private static void attachSender(RawPeer peer) throws IOException {
        peer.open();
        peer.begin(RawFrames.begin());
        peer.attach(RawFrames.senderAttach(Jms.uniqueName("raw")));
        peer.readUntil(Flow.class);
    }

    /** An open performative whose properties map holds one entry with this value. */
    private static byte[] openWithProperties(byte[] value) throws IOException {
        byte[] key = {(byte) 0xa3, 1, 'k'};
        ByteArrayOutputStream map = new ByteArrayOutputStream();
        map.write(0xd1);
        map.write(ByteBuffer.allocate(8)
                .putInt(4 + key.length + value.length)
                .putInt(2)
                .array());
        map.write(key);
        map.write(value);
        byte[] containerAndNulls = {(byte) 0xa1, 3, 'r', 'a', 'w', 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40};
        byte[] fields = concat(containerAndNulls, map.toByteArray());
        ByteArrayOutputStream open = new ByteArrayOutputStream();
        open.write(new byte[] {0, 0x53, 0x10, (byte) 0xd0});
        open.write(ByteBuffer.allocate(8).putInt(4 + fields.length).putInt(10).array());
        open.write(fields);
        return open.toByteArray();
    }

    /** A list in a list in a list. */
    private static byte[] nestedLists(int depth) {
        ByteBuffer nested = ByteBuffer.allocate(9 * depth + 1);
        for (int level = depth; level > 0; level--) {
            nested.put((byte) 0xd0).putInt(4 + 9 * (level - 1) + 1).putInt(1);
        }
        return nested.put((byte) 0x45).array();
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
