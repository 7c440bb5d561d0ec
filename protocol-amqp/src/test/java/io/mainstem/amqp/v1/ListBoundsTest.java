package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transaction.Coordinator;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** [D-5], docs/limits.md "Lists in packets": what a peer can make long is bounded before it is worked on. */
final class ListBoundsTest {
    /** The largest frame that can be configured. */
    private static final int FRAME = 16 << 20;

    private static final int NULL = 0x40;

    @ParameterizedTest
    @DisplayName("the largest list or map in each field that may hold one closes the connection with"
            + " amqp:resource-limit-exceeded, and the text names the field")
    @CsvSource({
        "0x10, 9, map, 'open, properties'",
        "0x10, 7, array, 'open, offered-capabilities'",
        "0x10, 8, array, 'open, desired-capabilities'",
        "0x10, 5, array, 'open, outgoing-locales'",
        "0x11, 7, map, 'begin, properties'",
        "0x11, 6, array, 'begin, desired-capabilities'",
        "0x12, 13, map, 'attach, properties'",
        "0x12, 12, array, 'attach, desired-capabilities'",
        "0x12, 7, map, 'attach, unsettled'",
        "0x12, 5/0x28/5, map, 'attach, source, source, dynamic-node-properties'",
        "0x12, 5/0x28/7, map, 'attach, source, source, filter'",
        "0x12, 5/0x28/8/0x27/2, map, 'attach, source, source, default-outcome, modified, message-annotations'",
        "0x12, 5/0x28/9, array, 'attach, source, source, outcomes'",
        "0x12, 5/0x28/10, array, 'attach, source, source, capabilities'",
        "0x12, 6/0x29/5, map, 'attach, target, target, dynamic-node-properties'",
        "0x12, 6/0x29/6, array, 'attach, target, target, capabilities'",
        "0x16, 2/0x1d/2, map, 'detach, error, info'",
        "0x17, 0/0x1d/2, map, 'end, error, info'",
        "0x18, 0/0x1d/2, list, 'close, error, info'",
    })
    void performatives(String code, String fields, String kind, String named) {
        byte[] encoded = described(Integer.decode(code), fields, kind, FRAME - 1024);

        AmqpException refused = decode(encoded);

        assertThat((Object) refused.condition()).hasToString("amqp:resource-limit-exceeded");
        assertThat(refused.scope()).isEqualTo(AmqpException.Scope.CONNECTION);
        assertThat(refused).hasMessageStartingWith("MS-0514 " + named + ": ");
    }

    @ParameterizedTest
    @DisplayName(
            "so do those of frames that are read by hand: the state of a transfer or disposition, properties of a flow")
    @CsvSource({"0x14, 7", "0x15, 4", "0x13, 10"})
    void statesAndFlows(String code, int field, @TempDir Path folder) throws IOException {
        AmqpLimits large = new AmqpLimits(FRAME, 16, 16, 1 << 20, 1 << 20, 100, 60_000);
        try (TestServer server = new TestServer(folder, large);
                ScriptedPeer peer = server.open("client")) {
            peer.begin(0);
            peer.attachSender(0, "q");
            peer.await(Flow.class);
            boolean flow = field == 10;
            byte[] long27 = flow ? compound("map", FRAME - 1024) : described(0x27, "2", "map", FRAME - 1024);

            peer.bytes(ScriptedPeer.rawFrame(0, 0, list(Integer.decode(code), field, long27)));

            Close close = peer.awaitBody(Close.class);
            assertThat((Object) close.getError().getCondition()).hasToString("amqp:resource-limit-exceeded");
            assertThat(close.getError().getDescription()).startsWith("MS-0514 ");
        }
    }

    @Test
    @DisplayName("a key that is a list, of which thousands could have one hash, is a decode error")
    void keysThatCollide() {
        ByteBuf map = Unpooled.buffer();
        map.writeByte(0xc1).writeByte(6).writeByte(2);
        map.writeByte(0xc0).writeByte(2).writeByte(1).writeByte(NULL).writeByte(NULL);
        byte[] bytes = new byte[map.readableBytes()];
        map.readBytes(bytes);

        AmqpException refused = decode(list(0x12, 13, bytes));

        assertThat((Object) refused.condition()).hasToString("amqp:decode-error");
        assertThat(refused).hasMessageStartingWith("MS-0514 attach, properties: ");
    }

    @Test
    @DisplayName("looking at the largest frame allocates nothing that grows with it")
    void heap() {
        byte[] encoded = described(0x12, "13", "map", FRAME - 1024);
        decode(encoded);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();

        decode(encoded);

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(64 << 10);
    }

    @Test
    @DisplayName("what clients send is taken: a thousand of unsettled deliveries, some properties, nested filters")
    void usualOnes() {
        ByteBuf entries = Unpooled.buffer();
        for (int i = 0; i < 1000; i++) {
            entries.writeByte(0xa0).writeByte(4).writeInt(i).writeInt(0x00532445);
        }
        ByteBuf map = Unpooled.buffer();
        map.writeByte(0xd1).writeInt(4 + entries.readableBytes()).writeInt(2000).writeBytes(entries);
        byte[] bytes = new byte[map.readableBytes()];
        map.readBytes(bytes);

        ByteBuf in = Unpooled.wrappedBuffer(bytes);

        assertThat(PerformativeCodec.ofThread().read(in, in.writerIndex())).isInstanceOf(Map.class);
    }

    // ---- messages --------------------------------------------------------------------------------------------

    @Test
    @DisplayName("[A-3] more than 1,024 keys in x-cc end the link with amqp:resource-limit-exceeded")
    void copies(@TempDir Path folder) throws IOException {
        ByteBuf annotations = Unpooled.buffer();
        annotations
                .writeMedium(0x005372)
                .writeByte(0xd1)
                .writeInt(4 + 6 + 9 + 3 * 1025)
                .writeInt(2);
        annotations.writeByte(0xa3).writeByte(4).writeBytes("x-cc".getBytes(StandardCharsets.US_ASCII));
        annotations.writeByte(0xd0).writeInt(4 + 3 * 1025).writeInt(1025);
        for (int i = 0; i < 1025; i++) {
            annotations.writeByte(0xa1).writeByte(1).writeByte('q');
        }
        byte[] payload = new byte[annotations.readableBytes()];
        annotations.readBytes(payload);
        Detach detach = sent(folder, named("q"), Detach.class, payload);

        assertThat((Object) detach.getError().getCondition()).hasToString("amqp:resource-limit-exceeded");
        assertThat(detach.getError().getDescription()).startsWith("MS-0505 ");
    }

    @Test
    @DisplayName("a message to the coordinator of more than 64 KiB is rejected with amqp:resource-limit-exceeded")
    void coordinator(@TempDir Path folder) throws IOException {
        Disposition answer = sent(folder, new Coordinator(), Disposition.class, body(CoordinatorMessage.BYTES_MAX + 2));

        ErrorCondition error = ((Rejected) answer.getState()).getError();
        assertThat((Object) error.getCondition()).hasToString("amqp:resource-limit-exceeded");
        assertThat(error.getDescription()).startsWith("MS-0530 ");
    }

    @Test
    @DisplayName("a request to /management of too many values ends the link with amqp:resource-limit-exceeded")
    void management(@TempDir Path folder) throws IOException {
        Detach detach = sent(folder, named("/management"), Detach.class, body(1 << 19));

        assertThat((Object) detach.getError().getCondition()).hasToString("amqp:resource-limit-exceeded");
        assertThat(detach.getError().getDescription()).startsWith("MS-0514 ");
    }

    private static Target named(String address) {
        Target target = new Target();
        target.setAddress(address);
        return target;
    }

    /** The answer to a message on a link to there, in frames of 64 KiB. */
    private static <T> T sent(
            Path folder, org.apache.qpid.proton.amqp.transport.Target target, Class<T> answer, byte... payload)
            throws IOException {
        try (TestServer server = new TestServer(folder);
                ScriptedPeer peer = server.open("client")) {
            peer.begin(0);
            Attach attach = ScriptedPeer.senderAttach(0, target);
            if (target instanceof Target node && "/management".equals(node.getAddress())) {
                Attach replies = ScriptedPeer.receiverAttach(1, source("/management"));
                replies.setName("pair");
                replies.setProperties(Map.of(Symbol.valueOf("paired"), true));
                peer.send(0, replies);
                attach.setName("pair");
                attach.setProperties(Map.of(Symbol.valueOf("paired"), true));
                attach.setSource(source("/management"));
            }
            peer.send(0, attach);
            peer.await(Flow.class);
            for (int at = 0; at < payload.length; at += 1 << 16) {
                Transfer transfer = ScriptedPeer.transfer(0, 0);
                transfer.setMore(payload.length - at > 1 << 16);
                int to = Math.min(payload.length, at + (1 << 16));
                peer.send(0, transfer, Arrays.copyOfRange(payload, at, to));
            }
            return peer.awaitBody(answer);
        }
    }

    private static Source source(String address) {
        Source source = new Source();
        source.setAddress(address);
        return source;
    }

    /** An amqp-value of a list of nulls, of about that many bytes. */
    private static byte[] body(int bytes) {
        byte[] list = compound("list", bytes);
        ByteBuffer out = ByteBuffer.allocate(list.length + 3);
        out.put((byte) 0).put((byte) 0x53).put((byte) 0x77).put(list);
        return out.array();
    }

    // ---- encodings -------------------------------------------------------------------------------------------

    private static AmqpException decode(byte[] encoded) {
        ByteBuf in = Unpooled.wrappedBuffer(encoded);
        try {
            Object decoded = PerformativeCodec.ofThread().read(in, in.writerIndex());
            throw new AssertionError("decoded as " + decoded.getClass());
        } catch (AmqpException refused) {
            return refused;
        }
    }

    /** @param fields field of the list, and so on inwards: descriptor/field/descriptor/field */
    private static byte[] described(int code, String fields, String kind, int bytes) {
        List<String> path = List.of(fields.split("/"));
        byte[] inner = compound(kind, bytes - 64 * path.size());
        for (int at = path.size() - 1; at >= 2; at -= 2) {
            inner = list(Integer.decode(path.get(at - 1)), Integer.parseInt(path.get(at)), inner);
        }
        return list(code, Integer.parseInt(path.get(0)), inner);
    }

    /** A described list of nulls whose field at that index is this. */
    private static byte[] list(int code, int field, byte[] value) {
        ByteBuffer out = ByteBuffer.allocate(12 + field + value.length);
        out.put((byte) 0).put((byte) 0x53).put((byte) code).put((byte) 0xd0).putInt(4 + field + value.length);
        out.putInt(field + 1);
        for (int i = 0; i < field; i++) {
            // Mandatory ones need not be there: nobody comes so far as to miss them.
            out.put((byte) NULL);
        }
        return out.put(value).array();
    }

    /** A list, map or array of so many bytes, with as many elements as that makes. */
    private static byte[] compound(String kind, int bytes) {
        ByteBuffer out = ByteBuffer.allocate(bytes);
        int type = switch (kind) {
            case "list" -> 0xd0;
            case "map" -> 0xd1;
            default -> 0xf0;
        };
        out.put((byte) type).putInt(bytes - 5);
        if (type == 0xf0) {
            int count = bytes - 10;
            return out.putInt(count).put((byte) 0x50).array();
        }
        int count = (bytes - 9) / 2 * 2;
        out.putInt(count);
        for (int i = 0; i < count; i++) {
            out.put((byte) NULL);
        }
        out.putInt(1, count + 4);
        return Arrays.copyOf(out.array(), count + 9);
    }
}
