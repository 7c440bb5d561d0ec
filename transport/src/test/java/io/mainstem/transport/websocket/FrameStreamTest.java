package io.mainstem.transport.websocket;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What goes through a WebSocket, and how it ends. */
final class FrameStreamTest {
    private final EmbeddedChannel channel = new EmbeddedChannel(new FrameStream());
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(FrameStream.class);

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(log);
        channel.finishAndReleaseAll();
    }

    /** All frames of one read. */
    private void receive(byte[]... frames) {
        try {
            var unused = channel.writeInbound(Unpooled.copiedBuffer(frames));
        } catch (FrameViolation told) {
            // The end of the pipeline gets it, as a head does.
        }
    }

    private void close() {
        var unused = channel.close();
    }

    private static byte[] frame(int first, int... payload) {
        byte[] bytes = new byte[payload.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) payload[i];
        }
        return WebSocketBytes.frame(first, bytes, 0x0102_0304);
    }

    private String sent() {
        ByteBuf all = Unpooled.buffer();
        for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            all.writeBytes(next);
            next.release();
        }
        return ByteBufUtil.hexDump(all);
    }

    private List<String> received() {
        List<String> pieces = new ArrayList<>();
        for (ByteBuf next = channel.readInbound(); next != null; next = channel.readInbound()) {
            pieces.add(ByteBufUtil.hexDump(next));
            next.release();
        }
        return pieces;
    }

    @Test
    @DisplayName("RFC 6455, 5.5.3: of pings that come together the latest is answered")
    void pings() {
        receive(frame(0x82, 1), frame(0x89, 7), frame(0x82, 2), frame(0x89, 8, 9));

        assertThat(received()).containsExactly("0102");
        assertThat(sent()).isEqualTo("8a020809");
    }

    @Test
    @DisplayName("pings are not answered while the peer does not read: they cannot fill the memory")
    void pingsOfAPeerThatDoesNotRead() {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        for (int i = 0; i < 1000; i++) {
            receive(frame(0x89, i));
        }
        assertThat(sent()).isEmpty();
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        channel.runPendingTasks();
        assertThat(sent()).isEqualTo("8a01e7");
    }

    @Test
    @DisplayName("RFC 6455, 5.5.1: a close frame is answered with its status, once, and ends the connection")
    void thePeerCloses() {
        receive(frame(0x82, 1), frame(0x88, 0x03, 0xE9), frame(0x82, 2), frame(0x88, 0x03, 0xE8));

        assertThat(received()).containsExactly("01");
        assertThat(sent()).isEqualTo("880203e9");
        assertThat(channel.isOpen()).isFalse();
        assertThat(log.list).isEmpty();
    }

    @Test
    @DisplayName("the head closes: one close frame, nothing behind it, and the socket goes when the peer has answered")
    void theHeadCloses() {
        var unused = channel.writeOutbound(Unpooled.copiedBuffer(new byte[] {1}));
        close();
        close();
        var dropped = channel.writeOneOutbound(Unpooled.copiedBuffer(new byte[] {2}));
        channel.flushOutbound();
        receive(frame(0x82, 3), frame(0x89, 4));
        assertThat(channel.isOpen()).isTrue();
        assertThat(dropped.isSuccess()).isFalse();
        receive(frame(0x88, 0x03, 0xE8));

        assertThat(sent()).isEqualTo("820101880203e8");
        assertThat(received()).isEmpty();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    @DisplayName("a broken rule: what came before is handed on, one close frame, one line of log that says what to do")
    void violation() {
        receive(frame(0x82, 1), frame(0xC2, 2), frame(0x82, 3));
        receive(frame(0x82, 4), frame(0xC2, 5));
        close();

        assertThat(received()).containsExactly("01");
        assertThat(sent()).isEqualTo("880203ea");
        assertThat(log.list)
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .contains("MS-0409", "status=1002", "reserved bits", "fix:"));
    }

    @Test
    @DisplayName(
            "AMQP-WS 2.2, MQTT-6.0.0-1 and RFC 6455, 5.4: a text message is refused, and the rest of it is dropped")
    void text() {
        receive(frame(0x01, 'e', 'c'), frame(0x80, 'h', 'o'));

        assertThat(received()).isEmpty();
        assertThat(sent()).isEqualTo("880203eb");
    }

    @Test
    @DisplayName("what is written goes out in frames of at most 65,535 bytes, which every client takes")
    void lengths() {
        assertThat(sent(125)).isEqualTo("827d" + "00".repeat(125));
        assertThat(sent(126)).isEqualTo("827e007e" + "00".repeat(126));
        String largest = "827effff" + "00".repeat(65_535);
        assertThat(sent(65_535)).isEqualTo(largest);
        assertThat(sent(65_536)).isEqualTo(largest + "820100");
        assertThat(sent(140_000)).isEqualTo(largest + largest + "827e22e2" + "00".repeat(0x22E2));
    }

    private String sent(int length) {
        var unused = channel.writeOutbound(Unpooled.buffer().writeZero(length));
        return sent();
    }
}
