package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.transport.Silence;
import io.mainstem.transport.WriteGate;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When a client counts as silent, by a clock that the test moves. */
final class KeepAliveTest {
    private final MockTicker clock = Ticker.newMockTicker();
    private final EmbeddedChannel channel =
            EmbeddedChannel.builder().ticker(clock).build();
    private boolean silent;
    private final WriteGate gate = new WriteGate(channel, 1 << 20);
    private final KeepAlive keepAlive = new KeepAlive(channel.eventLoop(), gate, () -> silent = true);

    private void pass(int seconds) {
        clock.advance(seconds, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
    }

    @Test
    @DisplayName("[MQTT-3.1.2-22] silence of one and a half times the keep alive is noticed, and no shorter one")
    void silence() {
        keepAlive.start(10);
        pass(14);
        assertThat(silent).isFalse();
        keepAlive.onPackets();
        pass(14);
        assertThat(silent).isFalse();
        pass(1);
        assertThat(silent).isTrue();
    }

    @Test
    @DisplayName("a client that is not read from, as the broker takes no publishes, is not silent")
    void heldBack() {
        keepAlive.start(10);
        gate.pause(WriteGate.Pause.BROKER_BLOCKED);
        pass(29);
        pass(29);
        assertThat(silent).isFalse();

        gate.resume(WriteGate.Pause.BROKER_BLOCKED);
        pass(14);
        assertThat(silent).isFalse();
        pass(15);
        assertThat(silent).isTrue();
    }

    @Test
    @DisplayName("keep alive 0 is off, also behind a time in which the client was held back")
    void off() {
        keepAlive.start(0);
        gate.pause(WriteGate.Pause.BROKER_BLOCKED);
        gate.resume(WriteGate.Pause.BROKER_BLOCKED);
        pass(1_000_000);
        assertThat(silent).isFalse();
    }

    @Test
    @DisplayName("one large packet that comes steadily may take longer; one byte each half second keeps nothing open")
    void largePackets() {
        keepAlive.start(10);
        for (int second = 0; second < 60; second++) {
            keepAlive.onBytes(Silence.BYTES_PER_SECOND);
            pass(1);
        }
        assertThat(silent).isFalse();
        keepAlive.onPackets();
        for (int second = 0; second < 15; second++) {
            keepAlive.onBytes(2);
            pass(1);
        }
        assertThat(silent).isTrue();
    }
}
