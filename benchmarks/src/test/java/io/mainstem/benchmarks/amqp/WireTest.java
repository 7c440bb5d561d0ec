package io.mainstem.benchmarks.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.benchmarks.amqp.WireReader.Described;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What the load generator writes it reads back as the same. */
final class WireTest {
    @Test
    void aFrameHoldsItsFieldsAndItsPayload() {
        WireWriter writer = new WireWriter(1024);
        int frame = writer.beginFrame(0, Performative.TRANSFER);
        writer.uint(0)
                .uint(7)
                .uint(4_000_000_000L)
                .tag(-1)
                .bool(true)
                .nothing()
                .string("ä")
                .symbol("queue");
        writer.endFrame(frame, 8, new byte[] {1, 2, 3}, 1, 2);

        ByteBuffer bytes = writer.buffer().flip();
        assertThat(bytes.getInt()).isEqualTo(bytes.limit());
        bytes.position(8);
        Described performative = (Described) WireReader.value(bytes);
        assertThat(performative.code()).isEqualTo(Performative.TRANSFER);
        assertThat((Object[]) performative.value())
                .containsExactly(0L, 7L, 4_000_000_000L, new byte[] {-1, -1, -1, -1}, true, null, "ä", "queue");
        assertThat(bytes.remaining()).isEqualTo(2);
    }

    @Test
    void anOutcomeIsADescribedListWithoutFields() {
        WireWriter writer = new WireWriter(64);
        writer.emptyList(Performative.ACCEPTED);

        Described outcome = (Described) WireReader.value(writer.buffer().flip());
        assertThat(outcome.code()).isEqualTo(Performative.ACCEPTED);
    }

    @Test
    void aMessageEndsWithItsBody() {
        byte[] message = MessageBytes.of(true, 100);

        ByteBuffer bytes = ByteBuffer.wrap(message);
        assertThat(((Described) WireReader.value(bytes)).code()).isEqualTo(0x70);
        Described data = (Described) WireReader.value(bytes);
        assertThat(data.code()).isEqualTo(0x75);
        assertThat((byte[]) data.value()).hasSize(100);
        assertThat(bytes.hasRemaining()).isFalse();
    }

    @Test
    void loadGoesToThisMachineOnly() {
        assertThatThrownBy(() -> new Endpoint("192.0.2.1", 5672, null, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("loopback");
    }
}
