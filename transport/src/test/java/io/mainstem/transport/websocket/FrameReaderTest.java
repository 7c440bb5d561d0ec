package io.mainstem.transport.websocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames of clients, right and wrong, in pieces of any size. */
final class FrameReaderTest {
    private static final int CONTINUATION = 0;
    private static final int BINARY = 2;
    private static final int FIN = 0x80;
    private static final int SEEDS = 400;

    private final FrameReader reader = new FrameReader();
    private final ByteArrayOutputStream payload = new ByteArrayOutputStream();

    /** @param pieceMax bytes of a read at most */
    private void read(byte[] bytes, int pieceMax) {
        for (int at = 0; at < bytes.length; at += pieceMax) {
            // Behind something, as it is behind an HTTP request.
            ByteBuf in = Unpooled.buffer().writeZero(3).writeBytes(bytes, at, Math.min(pieceMax, bytes.length - at));
            in.skipBytes(3);
            try {
                reader.read(in);
            } finally {
                payload.writeBytes(ByteBufUtil.getBytes(in));
                in.release();
            }
        }
    }

    private static byte[] frame(int first, byte[] payload) {
        return WebSocketBytes.frame(first, payload, 0x01FE_7F80);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3", "7", "8", "13", "100000"})
    @DisplayName("RFC 6455, 5.4: fragments, and pings between them, whatever the pieces in which they come")
    void fragments(int pieceMax) {
        byte[] bytes = join(
                frame(BINARY, new byte[] {1, 2, 3}),
                frame(FIN | FrameHeader.PING, new byte[] {9, 8}),
                frame(CONTINUATION, new byte[0]),
                frame(FIN | FrameHeader.PONG, new byte[0]),
                frame(FIN, new byte[] {4}),
                frame(FIN | BINARY, new byte[] {5, 6, 7, 8, 9, 10, 11, 12, 13, 14}),
                frame(FIN | FrameHeader.CLOSE, new byte[] {3, (byte) 0xE9, 'b', 'y', 'e'}),
                new byte[] {1, 2, 3});

        read(bytes, pieceMax);

        assertThat(payload.toByteArray()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
        assertThat(reader.takePing()).containsExactly(9, 8);
        assertThat(reader.takePing()).isNull();
        assertThat(reader.closeStatus()).isEqualTo(1001);
    }

    @Test
    @DisplayName("a frame of 5 GB is handed on as it comes; nothing of it is gathered")
    void huge() {
        byte[] header = {(byte) (FIN | BINARY), (byte) 0xFF, 0, 0, 0, 1, 0x40, 0, 0, 0, 0, 0, 0, 0};
        read(header, header.length);
        byte[] some = new byte[100_000];
        Arrays.fill(some, (byte) 5);
        for (int i = 0; i < 10; i++) {
            read(some, 65_536);
        }
        assertThat(payload.size()).isEqualTo(1_000_000);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "C2 | 1002 | reserved bits",
                "A2 | 1002 | reserved bits",
                "92 | 1002 | reserved bits",
                "83 | 1002 | opcode 3",
                "87 | 1002 | opcode 7",
                "8B | 1002 | opcode 11",
                "8F | 1002 | opcode 15",
                "80 | 1002 | continuation",
                "02 80 00 00 00 00 82 | 1002 | within another",
                "02 80 00 00 00 00 80 80 00 00 00 00 80 | 1002 | continuation",
                "81 | 1003 | text",
                "01 | 1003 | text",
                "82 00 | 1002 | not masked",
                "82 7F | 1002 | not masked",
                "09 | 1002 | fragments",
                "08 | 1002 | fragments",
                "89 FE | 1002 | 125",
                "88 FF | 1002 | 125",
                "82 FE 00 7D | 1002 | more than it needs",
                "82 FF 00 00 00 00 00 00 FF FF | 1002 | more than it needs",
                "82 FF 80 00 00 00 00 00 00 00 | 1002 | highest bit",
                "88 81 00 00 00 00 03 | 1002 | half a status",
                "88 82 00 00 00 00 03 E7 | 1002 | status 999",
                "88 82 00 00 00 00 03 EC | 1002 | status 1004",
                "88 82 00 00 00 00 03 ED | 1002 | status 1005",
                "88 82 00 00 00 00 03 EE | 1002 | status 1006",
                "88 82 00 00 00 00 03 F7 | 1002 | status 1015",
                "88 82 00 00 00 00 0B B7 | 1002 | status 2999",
                "88 82 00 00 00 00 13 88 | 1002 | status 5000",
                "88 82 00 00 00 00 FF FF | 1002 | status 65535",
                "88 84 00 00 00 00 03 E8 C3 28 | 1007 | UTF-8",
            })
    @DisplayName("RFC 6455, 5 and 7.4: what is wrong is found at the first byte that is, with the status that says so")
    void violations(String hex, int status, String text) {
        byte[] bytes = ByteBufUtil.decodeHexDump(hex.replace(" ", ""));
        read(Arrays.copyOf(bytes, bytes.length - 1), 1);

        assertThatThrownBy(() -> read(Arrays.copyOfRange(bytes, bytes.length - 1, bytes.length), 1))
                .isInstanceOfSatisfying(
                        FrameViolation.class,
                        found -> assertThat(found.status()).isEqualTo(status))
                .hasMessageContaining(text);
    }

    @ParameterizedTest
    @CsvSource({"1000", "1003", "1007", "1011", "1012", "1014", "3000", "4999"})
    void statusesThatMayBeSent(int status) {
        read(frame(FIN | FrameHeader.CLOSE, new byte[] {(byte) (status >> 8), (byte) status}), 1);
        assertThat(reader.closeStatus()).isEqualTo(status);
    }

    @Test
    @DisplayName("all 65,536 beginnings of a frame: taken or refused, and told at once which")
    void allBeginnings() {
        for (int begin = 0; begin < 1 << 16; begin++) {
            int first = begin >> 8;
            int second = begin & 0xFF;
            int opcode = first & 15;
            boolean control = opcode >= 8;
            boolean known = opcode == 2 || (opcode >= 8 && opcode <= 10);
            boolean right = known
                    && (first & 0x70) == 0
                    && (second & 0x80) != 0
                    && (!control || ((first & 0x80) != 0 && (second & 0x7F) <= 125));
            FrameReader fresh = new FrameReader();
            ByteBuf in = Unpooled.buffer().writeShort(begin);
            boolean taken;
            try {
                fresh.read(in);
                taken = true;
            } catch (FrameViolation wrong) {
                taken = false;
            }
            assertThat(taken).as("%04x", begin).isEqualTo(right);
            in.release();
        }
    }

    @Test
    @DisplayName(
            "valid frames with one byte changed, in pieces: never more payload than bytes, no error but a violation")
    void fuzz() {
        for (int seed = 1; seed <= SEEDS; seed++) {
            Random random = new Random(seed);
            ByteArrayOutputStream sent = new ByteArrayOutputStream();
            ByteArrayOutputStream wanted = new ByteArrayOutputStream();
            boolean within = false;
            for (int i = 0; i < 20; i++) {
                byte[] data = new byte[random.nextInt(10) == 0 ? random.nextInt(80_000) : random.nextInt(200)];
                random.nextBytes(data);
                boolean last = random.nextBoolean();
                sent.writeBytes(WebSocketBytes.frame(
                        (within ? CONTINUATION : BINARY) | (last ? FIN : 0), data, random.nextInt()));
                wanted.writeBytes(data);
                within = !last;
                if (random.nextInt(3) == 0) {
                    sent.writeBytes(WebSocketBytes.frame(
                            FIN | FrameHeader.PING, new byte[random.nextInt(126)], random.nextInt()));
                }
            }
            byte[] bytes = sent.toByteArray();
            FrameReaderTest right = new FrameReaderTest();
            right.read(bytes, 1 + random.nextInt(3000));
            assertThat(right.payload.toByteArray()).as("seed %d", seed).isEqualTo(wanted.toByteArray());

            FrameReaderTest wrong = new FrameReaderTest();
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                wrong.read(bytes, 1 + random.nextInt(3000));
            } catch (FrameViolation violation) {
                assertThat(violation.status()).as("seed %d", seed).isBetween(1002, 1007);
            }
            assertThat(wrong.payload.size()).as("seed %d", seed).isLessThan(bytes.length);
        }
    }
}
