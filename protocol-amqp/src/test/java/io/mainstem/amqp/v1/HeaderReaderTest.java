package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.message.MalformedMessageException;
import io.mainstem.routing.message.MessageHeader;
import io.mainstem.routing.message.SectionScanner;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The short cut to a message's header agrees with the section scanner, or leaves the work to it. */
final class HeaderReaderTest {
    private final HeaderReader reader = new HeaderReader();

    @Test
    void readsWhatClientsSend() {
        ByteBuf in = Unpooled.wrappedBuffer(
                bytes(0, 0x53, 0x70, 0xc0, 10, 4, 0x41, 0x50, 7, 0x70, 0, 0, 1, 0, 0x42, 0, 0x53, 0x77, 0x40));

        assertThat(reader.read(in, in.writerIndex())).isEqualTo(new MessageHeader(true, 7, 256, false, 0));
        assertThat(in.readerIndex()).isEqualTo(15);
    }

    @Test
    @DisplayName("[D-2]: delivery-annotations are left to the section scanner, which drops them")
    void leavesDeliveryAnnotations() {
        ByteBuf in = Unpooled.wrappedBuffer(bytes(0, 0x53, 0x70, 0x45, 0, 0x53, 0x71, 0xc1, 1, 0, 0, 0x53, 0x77, 0x40));

        assertThat(reader.read(in, in.writerIndex())).isNull();
        assertThat(in.readerIndex()).isZero();
    }

    @Test
    void agreesWithTheScannerWhateverComes() {
        Random random = new Random(7);
        int taken = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] payload = payload(random);
            ByteBuf in = Unpooled.wrappedBuffer(payload);
            MessageHeader header = reader.read(in, payload.length);
            if (header == null) {
                assertThat(in.readerIndex()).isZero();
                continue;
            }
            SectionScanner.BareMessage whole;
            try {
                whole = SectionScanner.split(List.of(payload));
            } catch (MalformedMessageException malformed) {
                // Then the rest must be malformed by itself.
                byte[] rest = ByteBufUtil.getBytes(in);
                assertThat(isMalformed(rest)).as(ByteBufUtil.hexDump(payload)).isTrue();
                continue;
            }
            taken++;
            assertThat(header).as(ByteBufUtil.hexDump(payload)).isEqualTo(whole.header());
            assertThat(Unpooled.wrappedBuffer(whole.sections().toArray(byte[][]::new)))
                    .isEqualTo(in);
        }
        assertThat(taken).isGreaterThan(1000);
    }

    private static boolean isMalformed(byte[] rest) {
        try {
            SectionScanner.scan(List.of(rest));
            return false;
        } catch (MalformedMessageException malformed) {
            return true;
        }
    }

    private static byte[] payload(Random random) {
        ByteBuf fields = Unpooled.buffer();
        int count = random.nextInt(7);
        for (int i = 0; i < count; i++) {
            field(fields, i, random);
        }
        ByteBuf out = Unpooled.buffer();
        out.writeMedium(0x005370);
        if (count == 0) {
            out.writeByte(0x45);
        } else {
            out.writeByte(0xc0)
                    .writeByte(fields.readableBytes() + 1)
                    .writeByte(count)
                    .writeBytes(fields);
        }
        out.writeBytes(bytes(0, 0x53, 0x77, 0xa1, 2, 'h', 'i'));
        byte[] payload = ByteBufUtil.getBytes(out);
        if (random.nextInt(4) == 0) {
            payload[random.nextInt(payload.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return payload;
    }

    private static void field(ByteBuf out, int index, Random random) {
        int form = random.nextInt(4);
        if (form == 0) {
            out.writeByte(0x40);
        } else if (index == 0 || index == 3) {
            out.writeBytes(form == 1 ? bytes(0x41) : form == 2 ? bytes(0x42) : bytes(0x56, 1));
        } else if (index == 1) {
            out.writeByte(0x50).writeByte(random.nextInt(256));
        } else if (form == 1) {
            out.writeByte(0x43);
        } else if (form == 2) {
            out.writeByte(0x52).writeByte(random.nextInt(256));
        } else {
            out.writeByte(0x70).writeInt(random.nextInt());
        }
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }
}
