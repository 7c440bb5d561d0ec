package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.message.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages on their way in and out, without a connection. */
final class MessageEgressTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochMilli(1_000_000));
    private static final int ROOM = 4096;

    private final MessageIngress ingress =
            new MessageIngress(new ClientInfo("/", "client", null, "peer", "AMQP 1.0"), CLOCK);

    @Test
    @DisplayName("[A-16], [D-1]: a message cut anywhere by its frames is delivered like one in a single piece")
    void piecesOfAnySize() {
        byte[] sections = annotated();
        byte[] whole = delivered(List.of(sections));
        assertThat(new String(whole, StandardCharsets.ISO_8859_1)).contains("x-opt-own", "x-exchange", "body");

        for (int cut = 1; cut < sections.length; cut++) {
            byte[] first = Arrays.copyOf(sections, cut);
            byte[] second = Arrays.copyOfRange(sections, cut, sections.length);
            assertThat(delivered(List.of(first, second))).as("cut at " + cut).isEqualTo(whole);
        }
        List<byte[]> bytes = new ArrayList<>();
        for (byte single : sections) {
            bytes.add(new byte[] {single});
        }
        assertThat(delivered(bytes)).isEqualTo(whole);
    }

    @ParameterizedTest
    @DisplayName("[M-4]: an absolute expiry before 1970 is over, not absent")
    @ValueSource(longs = {-1, Long.MIN_VALUE})
    void negativeExpiry(long expiry) {
        ByteBuf out = Unpooled.buffer();
        out.writeMedium(0x005373).writeByte(0xc0).writeByte(18).writeByte(9);
        out.writeLong(0x4040404040404040L).writeByte(0x83).writeLong(expiry);
        out.writeBytes(ScriptedPeer.data((byte) 1));

        assertThat(message(List.of(ByteBufUtil.getBytes(out))).envelope().expireAtMs())
                .isEqualTo(1);
    }

    /** Message-annotations with one entry, then a body. */
    private static byte[] annotated() {
        ByteBuf entry = Unpooled.buffer();
        entry.writeByte(0xa3).writeByte(9).writeBytes("x-opt-own".getBytes(StandardCharsets.US_ASCII));
        entry.writeByte(0xa1).writeByte(5).writeBytes("value".getBytes(StandardCharsets.US_ASCII));
        ByteBuf out = Unpooled.buffer();
        out.writeMedium(0x005372).writeByte(0xd1).writeInt(4 + entry.readableBytes());
        out.writeInt(2).writeBytes(entry);
        out.writeBytes(ScriptedPeer.data("body".getBytes(StandardCharsets.US_ASCII)));
        return ByteBufUtil.getBytes(out);
    }

    private Message message(List<byte[]> pieces) {
        return ingress.build(ingress.parse(null, pieces), "", List.of("orders"));
    }

    @Test
    @DisplayName(
            "a message that went back unseen is not the first acquirer's, and says that nobody has seen it (ADR 0074)")
    void unseen() {
        byte[] body = ScriptedPeer.data("body".getBytes(StandardCharsets.US_ASCII));
        Message message = message(List.of(body));
        byte[] seen = delivered(new Delivery(0, message, 0, true, false, 0, -1, 0));
        byte[] unseen = delivered(new Delivery(0, message, 0, true, true, 0, -1, 0));
        String annotations = "005371c110" + "02" + "a30c" + "782d6f70742d756e7365656e" + "41";

        assertThat(ByteBufUtil.hexDump(seen)).doesNotContain(annotations);
        assertThat(ByteBufUtil.hexDump(unseen))
                .startsWith(ByteBufUtil.hexDump(seen, 0, 12))
                .contains(annotations);
        assertThat(ByteBufUtil.hexDump(unseen).replace(annotations, "")).isEqualTo(ByteBufUtil.hexDump(seen));
    }

    private byte[] delivered(List<byte[]> pieces) {
        return delivered(new Delivery(0, message(pieces), 0, false, 0));
    }

    private static byte[] delivered(Delivery delivery) {
        MessageEgress egress = new MessageEgress(CLOCK, delivery);
        egress.begin(delivery, ROOM);
        ByteBuf out = Unpooled.buffer();
        egress.write(out, ROOM);
        assertThat(egress.isDone()).isTrue();
        return ByteBufUtil.getBytes(out);
    }
}
