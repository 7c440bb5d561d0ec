package io.mainstem.jms.amqp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.qpid.proton.engine.Collector;
import org.apache.qpid.proton.engine.Event;
import org.apache.qpid.proton.engine.impl.TransportImpl;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Changes of the engine that other threads ask for, while the loop is busy with something else. */
final class EnginePumpTest {
    private final EventLoop loop = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory()).next();
    private final EnginePump pump =
            new EnginePump(new TransportImpl(), null, Collector.Factory.create(), new NoConnection());
    private final Channel channel = new LocalChannel();
    private final CountDownLatch busy = new CountDownLatch(1);
    private final List<Integer> done = new ArrayList<>();

    @BeforeEach
    void occupyTheLoop() throws InterruptedException {
        loop.register(channel).sync();
        loop.submit(() -> channel.pipeline().addLast(pump)).sync();
        loop.execute(() -> {
            try {
                busy.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @AfterEach
    void end() throws InterruptedException {
        channel.close().sync();
        var unused = loop.parent().shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private List<Integer> letGo() throws InterruptedException {
        busy.countDown();
        loop.submit(() -> {}).sync();
        return done;
    }

    @Test
    @DisplayName(
            "what does not wake the loop does not overtake what does, and is not overtaken: sends keep their order")
    void orderOfTheCalls() throws Exception {
        for (int i = 0; i < 1000; i++) {
            int number = i;
            if (i % 64 == 63) {
                assertThat(pump.run(() -> done.add(number))).isTrue();
            } else {
                assertThat(pump.runLater(() -> done.add(number))).isTrue();
            }
        }
        pump.run(() -> {});

        assertThat(letGo()).isEqualTo(IntStream.range(0, 1000).boxed().toList());
    }

    @Test
    @DisplayName("what a change asks for is part of it")
    void nested() throws Exception {
        pump.run(() -> {
            done.add(1);
            pump.run(() -> done.add(2));
            done.add(3);
        });
        pump.runLater(() -> done.add(4));
        pump.run(() -> done.add(5));

        assertThat(letGo()).containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    @DisplayName("a change that fails does not keep others from being done")
    void failing() throws Exception {
        pump.run(() -> {
            throw new IllegalStateException("as this test wants it");
        });
        pump.run(() -> done.add(1));

        assertThat(letGo()).containsExactly(1);
    }

    /** Nobody above. */
    private static final class NoConnection implements EnginePump.Owner {
        @Override
        public void started() {}

        @Override
        public void event(Event event) {}

        @Override
        public boolean isRemoteClosed() {
            return false;
        }

        @Override
        public void disconnected(@Nullable Throwable cause) {}
    }
}
