package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What breaks the rules ends the smallest thing possible, with the standard's name; a neighbour goes on. */
final class BadInputTest {
    private static final AmqpLimits LIMITS = new AmqpLimits(4096, 8, 8, 10_000, 16_000, 10, 60_000);
    private static final String FRAMING = "amqp:connection:framing-error";
    private static final String DECODE = "amqp:decode-error";

    @TempDir
    Path folder;

    private TestServer server;
    private ScriptedPeer neighbour;
    private ScriptedPeer peer;
    private int neighbourId;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(folder, LIMITS);
        neighbour = server.open("neighbour");
        neighbour.begin(0);
        neighbour.attachSender(0, "neighbour");
        peer = server.open("peer");
    }

    @AfterEach
    void theNeighbourIsUndisturbed() throws IOException {
        neighbour.send(0, ScriptedPeer.transfer(0, neighbourId++), ScriptedPeer.data((byte) 1));
        neighbour.awaitBody(Disposition.class);
        neighbour.close();
        peer.close();
        server.close();
    }

    // ---- the connection ends ---------------------------------------------------------------------------------

    @Test
    @DisplayName("7: a frame larger than announced")
    void oversizeFrame() throws IOException {
        peer.bytes((byte) 0, (byte) 0, (byte) 0x10, (byte) 1, (byte) 2, (byte) 0, (byte) 0, (byte) 0);
        assertThat(peer.closeError()).isEqualTo(FRAMING);
        assertThat(peer.isClosedByPeer()).isTrue();
    }

    @Test
    @DisplayName("7: a frame size below 8, a data offset below 2 or behind the frame, an unknown type")
    void impossibleFrameHeaders() throws IOException {
        byte[][] headers = {
            {0, 0, 0, 7, 2, 0, 0, 0}, {0, 0, 0, 8, 1, 0, 0, 0}, {0, 0, 0, 8, 3, 0, 0, 0}, {0, 0, 0, 8, 2, 9, 0, 0},
        };
        for (byte[] header : headers) {
            try (ScriptedPeer one = server.open("one")) {
                one.bytes(header);
                assertThat(one.closeError()).isEqualTo(FRAMING);
            }
        }
    }

    @Test
    @DisplayName("3: open twice, begin twice, a channel above the maximum, a frame on a channel without session")
    void connectionLevelOrder() throws IOException {
        Open open = new Open();
        open.setContainerId("twice");
        assertThat(errorAfter(one -> one.send(0, open))).isEqualTo(FRAMING);
        assertThat(errorAfter(one -> {
                    one.begin(1);
                    one.send(1, begin());
                }))
                .isEqualTo(FRAMING);
        assertThat(errorAfter(one -> one.send(8, begin()))).isEqualTo(FRAMING);
        assertThat(errorAfter(one -> one.send(2, new End()))).isEqualTo(FRAMING);
        assertThat(errorAfter(one -> one.send(2, ScriptedPeer.transfer(0, 0)))).isEqualTo(FRAMING);
    }

    @Test
    @DisplayName("10: an empty open and an attach without its fields are decode errors")
    void missingMandatoryFields() throws IOException {
        try (ScriptedPeer one = new ScriptedPeer(server.address())) {
            one.header();
            one.bytes(ScriptedPeer.rawFrame(0, 0, (byte) 0, (byte) 0x53, (byte) 0x10, (byte) 0x45));
            one.awaitBody(Open.class);
            assertThat(one.closeError()).isEqualTo(DECODE);
        }
        assertThat(errorAfter(one -> {
                    one.begin(0);
                    one.bytes(ScriptedPeer.rawFrame(0, 0, (byte) 0, (byte) 0x53, (byte) 0x12, (byte) 0x45));
                }))
                .isEqualTo(DECODE);
        assertThat(errorAfter(one -> {
                    one.begin(0);
                    one.bytes(ScriptedPeer.rawFrame(0, 0, (byte) 0, (byte) 0x53, (byte) 0x14, (byte) 0x45));
                }))
                .isEqualTo(DECODE);
    }

    @Test
    @DisplayName("[D-5]: lists, maps, arrays and descriptors nested beyond 32 do not reach the stack's end")
    void nestingBombs() throws IOException {
        for (byte[] opening : new byte[][] {{(byte) 0xc0, -1, 1}, {(byte) 0xd0, 0, 0, 15, 0, 0, 0, 0, 1}, {0}}) {
            ByteBuf body = Unpooled.buffer();
            body.writeBytes(new byte[] {0, 0x53, 0x10, (byte) 0xd0, 0, 0, 0x0f, 0, 0, 0, 0, 10});
            while (body.readableBytes() < 3900) {
                body.writeBytes(opening);
            }
            byte[] bomb = ByteBufUtil.getBytes(body);
            assertThat(errorAfter(one -> one.bytes(ScriptedPeer.rawFrame(0, 0, bomb))))
                    .isEqualTo(DECODE);
        }
    }

    @Test
    @DisplayName("[D-5]: sizes and counts that claim more than there is allocate nothing")
    void sizeBombs() throws IOException {
        byte[][] values = {
            {(byte) 0xf0, 0x7f, -1, -1, -1, 0x7f, -1, -1, -1, 0x45}, // array of 2^31 empty lists
            {(byte) 0xd0, 0, 0, 0, 4, 0x7f, -1, -1, -1}, // list of 2^31 nothings
            {(byte) 0xb1, 0x7f, -1, -1, -1, 'x'}, // string of 2 GiB
            {(byte) 0xd1, 0, 0, 0, 5, 0, 0, 0, 1, 0x40}, // map of one key
        };
        for (byte[] value : values) {
            byte[] body = new byte[3 + value.length];
            body[1] = 0x53;
            body[2] = 0x11;
            System.arraycopy(value, 0, body, 3, value.length);
            assertThat(errorAfter(one -> one.bytes(ScriptedPeer.rawFrame(0, 0, body))))
                    .isEqualTo(DECODE);
        }
    }

    // ---- the session ends ------------------------------------------------------------------------------------

    @Test
    @DisplayName("8: an unknown handle, a handle in use and an overrun window end the session only")
    void sessionErrors() throws IOException {
        peer.begin(0);
        peer.send(0, ScriptedPeer.transfer(5, 0));
        assertThat(endError()).isEqualTo("amqp:session:unattached-handle");

        peer.begin(0);
        peer.attachReceiver(1, "q");
        peer.send(0, ScriptedPeer.receiverAttach(1, null));
        assertThat(endError()).isEqualTo("amqp:session:handle-in-use");

        peer.begin(0);
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.valueOf(7));
        peer.send(0, detach);
        assertThat(endError()).isEqualTo("amqp:session:unattached-handle");
    }

    @ParameterizedTest
    @DisplayName("2.6.12: a delivery-id that does not go up ends the session: two deliveries could not be told apart")
    @ValueSource(ints = {-2, -7, Integer.MIN_VALUE})
    void deliveryIdsThatDoNotGoUp(int again) throws IOException {
        peer.begin(0);
        peer.attachSender(0, "q");
        peer.send(0, ScriptedPeer.transfer(0, -2), ScriptedPeer.data((byte) 1));
        peer.awaitBody(Disposition.class);

        peer.send(0, ScriptedPeer.transfer(0, again), ScriptedPeer.data((byte) 1));

        assertThat(endError()).isEqualTo("amqp:invalid-field");
    }

    @Test
    @DisplayName("RFC 1982: delivery-ids go up beyond 2^32, with gaps too")
    void deliveryIdsWrapAround() throws IOException {
        peer.begin(0);
        peer.attachSender(0, "q");
        for (int id : new int[] {-2, -1, 0, 5}) {
            peer.send(0, ScriptedPeer.transfer(0, id), ScriptedPeer.data((byte) 1));
            assertThat(peer.awaitBody(Disposition.class).getFirst().intValue()).isEqualTo(id);
        }
    }

    // ---- the link ends ---------------------------------------------------------------------------------------

    @Test
    @DisplayName("14: no delivery-id, no tag, a long tag, interleaved deliveries, an empty delivery")
    void transferErrors() throws IOException {
        Transfer noId = ScriptedPeer.transfer(0, 0);
        noId.setDeliveryId(null);
        assertThat(detachErrorAfter(noId)).isEqualTo("amqp:invalid-field");
        Transfer noTag = ScriptedPeer.transfer(0, 0);
        noTag.setDeliveryTag(null);
        assertThat(detachErrorAfter(noTag)).isEqualTo("amqp:invalid-field");
        Transfer longTag = ScriptedPeer.transfer(0, 0);
        longTag.setDeliveryTag(new Binary(new byte[33]));
        assertThat(detachErrorAfter(longTag)).isEqualTo("amqp:invalid-field");
        Transfer more = ScriptedPeer.transfer(0, 0);
        more.setMore(true);
        assertThat(detachErrorAfter(more, ScriptedPeer.transfer(0, 1))).isEqualTo("amqp:not-allowed");
    }

    @Test
    @DisplayName("a payload that is no message is a decode error of its link")
    void malformedMessages() throws IOException {
        byte[][] payloads = {
            {},
            {1, 2, 3},
            {0, 0x53, 0x75, (byte) 0xa0, 9, 1},
            {0, 0x53, 0x73, (byte) 0xc0, 3, 1, (byte) 0xa1, 9},
            {0, 0x53, 0x77, 0x40, 0, 0x53, 0x75, (byte) 0xa0, 0},
        };
        for (byte[] payload : payloads) {
            try (ScriptedPeer one = server.open("one")) {
                one.begin(0);
                one.attachSender(0, "q");
                one.send(0, ScriptedPeer.transfer(0, 0), payload);
                assertThat(detachError(one)).isEqualTo(DECODE);
            }
        }
    }

    @Test
    @DisplayName("a message above the limit, in frames of which none is, ends its link")
    void messageTooLarge() throws IOException {
        peer.begin(0);
        peer.attachSender(0, "q");
        for (int i = 0; i < 4; i++) {
            Transfer transfer = ScriptedPeer.transfer(0, 0);
            transfer.setMore(true);
            peer.send(0, transfer, new byte[3000]);
        }
        assertThat(detachError(peer)).isEqualTo("amqp:link:message-size-exceeded");
    }

    @Test
    @DisplayName("incomplete messages of all connections together are bounded, and what they held is free again")
    void incompleteMessagesAreBounded() throws IOException {
        try (ScriptedPeer one = server.open("one");
                ScriptedPeer two = server.open("two")) {
            fill(one, 9000);
            fill(two, 9000);
            assertThat(detachError(two)).isEqualTo("amqp:resource-limit-exceeded");
        }
        try (ScriptedPeer three = server.open("three")) {
            fill(three, 6000);
            Transfer last = ScriptedPeer.transfer(0, 0);
            last.setAborted(true);
            three.send(0, last);
            three.send(0, ScriptedPeer.transfer(0, 1), ScriptedPeer.data((byte) 1));
            three.awaitBody(Disposition.class);
        }
    }

    private static void fill(ScriptedPeer peer, int bytes) throws IOException {
        peer.begin(0);
        peer.attachSender(0, "q");
        for (int sent = 0; sent < bytes; sent += 3000) {
            Transfer transfer = ScriptedPeer.transfer(0, 0);
            transfer.setMore(true);
            peer.send(0, transfer, new byte[3000]);
        }
    }

    // ---- phrases ---------------------------------------------------------------------------------------------

    private interface Script {
        void run(ScriptedPeer peer) throws IOException;
    }

    /** Name of the error that closes a connection after the script. */
    private String errorAfter(Script script) throws IOException {
        try (ScriptedPeer one = server.open("one")) {
            script.run(one);
            return one.closeError();
        }
    }

    private String detachErrorAfter(Transfer... transfers) throws IOException {
        try (ScriptedPeer one = server.open("one")) {
            one.begin(0);
            one.attachSender(0, "q");
            one.awaitBody(Flow.class);
            for (Transfer transfer : transfers) {
                one.send(0, transfer, ScriptedPeer.data((byte) 1));
            }
            return detachError(one);
        }
    }

    private static String detachError(ScriptedPeer from) throws IOException {
        return from.awaitBody(Detach.class).getError().getCondition().toString();
    }

    private String endError() throws IOException {
        End end = peer.awaitBody(End.class);
        peer.send(0, new End());
        return end.getError().getCondition().toString();
    }

    private static Begin begin() {
        Begin begin = new Begin();
        begin.setNextOutgoingId(UnsignedInteger.ZERO);
        begin.setIncomingWindow(UnsignedInteger.ONE);
        begin.setOutgoingWindow(UnsignedInteger.ONE);
        return begin;
    }
}
