package io.mainstem.routing.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** [D-5] Sections that the broker decodes are made of few values, however large the message is. */
final class SectionValuesTest {
    private static final int LARGEST = 64 << 20;

    @ParameterizedTest
    @DisplayName("a list of millions in a section that is decoded is refused, in any place and form")
    @CsvSource({"0x72,list", "0x72,array", "0x72,arrays", "0x74,list", "0x74,array", "0x74,arrays"})
    void largest(String section, String form) {
        byte[] message = map(Integer.decode(section), LARGEST, form);

        assertThatThrownBy(() -> SectionScanner.split(List.of(message)))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("values");
    }

    @Test
    @DisplayName("a properties section of millions of fields is refused")
    void properties() {
        byte[] message = list(0x73, LARGEST);

        assertThatThrownBy(() -> SectionScanner.split(List.of(message)))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("values");
    }

    @Test
    @DisplayName("a body of millions of values is nobody's business but the receiver's")
    void body() {
        byte[] message = list(0x76, LARGEST);

        assertThat(SectionScanner.split(List.of(message)).offsets().bodyKind()).isEqualTo(0x76);
    }

    @Test
    @DisplayName("as many values as may be are taken")
    void most() {
        // The map, its key, the list, and its values.
        int values = AmqpTypes.SECTION_VALUES_MAX - 3;
        byte[] fits = map(0x74, values + 24, "list");
        byte[] tooMany = map(0x74, values + 25, "list");

        assertThat(SectionScanner.split(List.of(fits)).offsets().applicationProperties())
                .isZero();
        assertThatThrownBy(() -> SectionScanner.split(List.of(tooMany))).hasMessageContaining("values");
    }

    /** A map of key "k" and a value of so many bytes that the section has this size. */
    private static byte[] map(int section, int size, String form) {
        ByteBuffer out = ByteBuffer.allocate(size);
        out.put((byte) 0).put((byte) 0x53).put((byte) section);
        out.put((byte) 0xd1).putInt(size - 8).putInt(2);
        boolean annotations = section == 0x72;
        out.put((byte) (annotations ? 0xa3 : 0xa1)).put((byte) 1).put((byte) 'k');
        int rest = size - out.position();
        switch (form) {
            case "list" -> nulls(out.put((byte) 0xd0).putInt(rest - 5), rest - 9);
            case "array" -> {
                out.put((byte) 0xf0).putInt(rest - 5).putInt(rest - 10).put((byte) 0x50);
                out.position(size);
            }
            default -> {
                // Of arrays of one byte each: constructor, then size, count, constructor, byte.
                int count = (rest - 10) / 4;
                int pad = rest - 10 - 4 * count;
                ByteBuffer inner = out.put((byte) 0xf0)
                        .putInt(rest - 5 - pad)
                        .putInt(count)
                        .put((byte) 0xe0);
                for (int i = 0; i < count; i++) {
                    inner.put((byte) 3).put((byte) 1).put((byte) 0x50).put((byte) 7);
                }
                out.putInt(4, size - 8 - pad);
                byte[] shorter = new byte[size - pad];
                System.arraycopy(out.array(), 0, shorter, 0, shorter.length);
                return shorter;
            }
        }
        return out.array();
    }

    private static byte[] list(int section, int size) {
        ByteBuffer out = ByteBuffer.allocate(size);
        out.put((byte) 0).put((byte) 0x53).put((byte) section).put((byte) 0xd0).putInt(size - 8);
        nulls(out, size - 12);
        return out.array();
    }

    private static void nulls(ByteBuffer out, int count) {
        out.putInt(count);
        for (int i = 0; i < count; i++) {
            out.put((byte) 0x40);
        }
    }
}
