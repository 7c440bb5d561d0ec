package io.mainstem.transport;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The threads that serve sockets; one group is shared by all listeners. Every connection stays on one of them for life,
 * so its state needs no lock. Uses epoll where the platform has it, else NIO.
 *
 * <p>Thread: any.
 */
public final class EventLoops implements AutoCloseable {
    /** More loops than this gain nothing while one shard thread feeds them all. */
    private static final int DEFAULT_COUNT_MAX = 4;

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    /** For connections within this JVM; made when first needed, and its threads do not keep the JVM alive. */
    private static final class Local {
        static final EventLoopGroup GROUP = new MultiThreadIoEventLoopGroup(
                defaultCount(), new DefaultThreadFactory("io-local", true), LocalIoHandler.newFactory());
    }

    private final EventLoopGroup group;
    private final Class<? extends ServerChannel> serverChannel;
    private final int count;

    private EventLoops(int count, IoHandlerFactory io, Class<? extends ServerChannel> serverChannel) {
        this.count = count;
        this.group = new MultiThreadIoEventLoopGroup(count, new DefaultThreadFactory("io", false), io);
        this.serverChannel = serverChannel;
    }

    /**
     * Starts the threads.
     *
     * @param count threads, >= 1
     */
    public static EventLoops open(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("count: " + count + " (expected: >= 1)");
        }
        if (Epoll.isAvailable()) {
            return new EventLoops(count, EpollIoHandler.newFactory(), EpollServerSocketChannel.class);
        }
        return new EventLoops(count, NioIoHandler.newFactory(), NioServerSocketChannel.class);
    }

    /** What suits this machine: half its processors, 1 to {@value #DEFAULT_COUNT_MAX}. */
    public static int defaultCount() {
        int half = Runtime.getRuntime().availableProcessors() / 2;
        return Math.max(1, Math.min(half, DEFAULT_COUNT_MAX));
    }

    /** Threads of this group. */
    public int count() {
        return count;
    }

    static EventLoopGroup local() {
        return Local.GROUP;
    }

    EventLoopGroup group() {
        return group;
    }

    Class<? extends ServerChannel> serverChannel() {
        return serverChannel;
    }

    /** Stops the threads; close all listeners first. Blocks up to 5 s. */
    @Override
    public void close() {
        group.shutdownGracefully(0, CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(CLOSE_TIMEOUT.toMillis());
    }
}
