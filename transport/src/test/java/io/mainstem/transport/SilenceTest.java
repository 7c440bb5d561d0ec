package io.mainstem.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When a peer counts as gone, by a clock that the test moves. */
final class SilenceTest {
    private static final int LIMIT_MS = 10_000;
    private static final int CLOG_BYTES = 100;

    private final MockTicker clock = Ticker.newMockTicker();
    private final ClogChannel channel = new ClogChannel(clock);
    private final WriteGate gate = new WriteGate(channel, CLOG_BYTES);
    private final Silence silence = new Silence(gate, clock);

    /** A channel whose peer does not read until the test lets it. */
    private static final class ClogChannel extends EmbeddedChannel {
        private boolean clogged;

        ClogChannel(Ticker ticker) {
            super(EmbeddedChannel.builder().ticker(ticker));
        }

        @Override
        protected void doWrite(ChannelOutboundBuffer in) throws Exception {
            if (!clogged) {
                super.doWrite(in);
            }
        }
    }

    private boolean silentAfter(int seconds) {
        clock.advance(seconds, TimeUnit.SECONDS);
        return silence.leftNanos() <= 0;
    }

    private void clog() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(10, 20));
        channel.clogged = true;
        for (int i = 0; i < 3; i++) {
            ByteBuf piece = Unpooled.buffer().writeZero(CLOG_BYTES);
            var unused = channel.writeOneOutbound(piece);
        }
        channel.flushOutbound();
        gate.check();
        assertThat(gate.isPaused()).isTrue();
    }

    private void takeOne() {
        var unused = channel.unsafe().outboundBuffer().remove();
    }

    @Test
    @DisplayName("what comes whole is a sign of life; one byte now and then is none")
    void trickle() {
        silence.begin(LIMIT_MS);
        assertThat(silentAfter(9)).isFalse();
        silence.onWhole();
        for (int second = 0; second < 9; second++) {
            silence.onBytes(1);
            assertThat(silentAfter(1)).isFalse();
        }
        assertThat(silentAfter(1)).isTrue();
    }

    @Test
    @DisplayName(
            "something large that comes at 1 KiB a second or more may take as long as it likes; at a third of that it"
                    + " may not")
    void large() {
        silence.begin(LIMIT_MS);
        for (int second = 0; second < 100; second++) {
            silence.onBytes(Silence.BYTES_PER_SECOND);
            assertThat(silentAfter(1)).isFalse();
        }
        silence.onWhole();
        boolean silent = false;
        for (int second = 0; second < 20 && !silent; second++) {
            silence.onBytes(Silence.BYTES_PER_SECOND / 3);
            silent = silentAfter(1);
        }
        assertThat(silent).isTrue();
    }

    @Test
    @DisplayName(
            "a peer that is not read from, because the broker has a reason, is not silent; then its time begins anew")
    void heldBack() {
        silence.begin(LIMIT_MS);
        assertThat(silentAfter(9)).isFalse();
        gate.pause(WriteGate.Pause.BROKER_BLOCKED);
        assertThat(silentAfter(100)).isFalse();
        gate.resume(WriteGate.Pause.BROKER_BLOCKED);
        assertThat(silentAfter(9)).isFalse();
        assertThat(silentAfter(1)).isTrue();
    }

    @Test
    @DisplayName("a peer that is not read from because it does not read has to read something in its time")
    void clogged() {
        silence.begin(LIMIT_MS);
        assertThat(silentAfter(9)).isFalse();
        clog();
        assertThat(silentAfter(9)).isFalse();
        takeOne();
        assertThat(silentAfter(9)).isFalse();
        assertThat(silence.lookNanos()).isLessThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(LIMIT_MS) / 4);
        assertThat(silentAfter(9)).isFalse();
        assertThat(silentAfter(1)).isTrue();
        channel.finishAndReleaseAll();
    }
}
