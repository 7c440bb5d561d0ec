package io.mainstem.transport;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalServerChannel;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One bound address and its connections. The pipeline of a connection begins as {@code HandshakeGuard, ProtocolDetector}
 * and becomes that of the protocol it speaks; TLS and WebSocket are protocols that add a detector of their own behind
 * their handlers.
 *
 * <p>Thread: any.
 */
public final class Listener implements AutoCloseable {
    /** User event to all connections: tell the peer that the broker stops, then close. */
    public static final Object SHUTDOWN = new Object();

    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
    private static final int BACKLOG = 1024;
    private static final int CUT_WAIT_MS = 5_000;

    private final ListenerConfig config;
    private final List<ProtocolFactory> protocols;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Admission admission;
    private final Channel server;

    private Listener(
            ListenerConfig config, List<ProtocolFactory> protocols, ServerBootstrap bootstrap, SocketAddress address)
            throws ListenerException {
        this.config = config;
        this.admission = new Admission(config, connections);
        this.protocols = List.copyOf(protocols);
        if (this.protocols.isEmpty()) {
            throw new IllegalArgumentException("protocols: none (expected: >= 1)");
        }
        ChannelFuture bound = bootstrap
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(config.writeBufferLow(), config.writeBufferHigh()))
                .childHandler(new ConnectionInitializer())
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw bindFailed(config, bound.cause());
        }
        this.server = bound.channel();
    }

    /**
     * Binds and starts accepting.
     *
     * @param protocols asked in this order for each connection; the first one answers unknown headers
     * @throws ListenerException if the address cannot be bound, with the fix in its text
     */
    public static Listener open(ListenerConfig config, List<ProtocolFactory> protocols, EventLoops loops)
            throws ListenerException {
        ServerBootstrap sockets = new ServerBootstrap()
                .group(loops.group())
                .channel(loops.serverChannel())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true);
        return new Listener(config, protocols, sockets, new InetSocketAddress(config.host(), config.port()));
    }

    /**
     * As {@link #open}, for clients in this JVM: no socket, and bytes are handed over as they are. Its event loops are
     * shared by all such listeners.
     */
    public static Listener openLocal(ListenerConfig config, LocalAddress address, List<ProtocolFactory> protocols)
            throws ListenerException {
        ServerBootstrap local = new ServerBootstrap().group(EventLoops.local()).channel(LocalServerChannel.class);
        return new Listener(config, protocols, local, address);
    }

    private static ListenerException bindFailed(ListenerConfig config, Throwable cause) {
        String address = config.host() + ":" + config.port();
        return new ListenerException(
                "MS-0401 cannot listen on " + address + ": " + cause.getMessage()
                        + " fix: stop what uses the port, or set "
                        + config.name() + ".port to another one (0 = any free port) and " + config.name()
                        + ".host to an address of this machine",
                cause);
    }

    /** The bound address, with the real port. */
    public InetSocketAddress address() {
        return (InetSocketAddress) server.localAddress();
    }

    /** Open connections now. */
    public int connections() {
        return connections.size();
    }

    /** Closes at once, see {@link #close(Duration)}. */
    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /** Closes the listening socket; open connections go on. Blocks; not for event loops. Idempotent. */
    public void stopAccepting() {
        server.close().awaitUninterruptibly();
    }

    /**
     * Stops accepting, tells every connection to close, waits up to {@code grace} for them, then cuts what is left.
     * Blocks; not for event loops. Idempotent.
     */
    public void close(Duration grace) {
        stopAccepting();
        for (Channel connection : connections) {
            connection.pipeline().fireUserEventTriggered(SHUTDOWN);
        }
        boolean gone = connections.newCloseFuture().awaitUninterruptibly(grace.toMillis());
        if (!gone) {
            if (!grace.isZero()) {
                LOG.warn(
                        "MS-0405 connections cut listener={} count={} grace-ms={}",
                        config.name(),
                        connections.size(),
                        grace.toMillis());
            }
            // Not closed in order: that has been tried, and a peer that does not read could make it last.
            connections.forEach(SocketEnd::cut);
            connections.newCloseFuture().awaitUninterruptibly(CUT_WAIT_MS);
        }
    }

    private final class ConnectionInitializer extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {
            if (!admission.admit(channel)) {
                return;
            }
            ChannelPipeline pipeline = channel.pipeline();
            pipeline.addLast("handshake-guard", new HandshakeGuard(config));
            if (channel.remoteAddress() instanceof InetSocketAddress from) {
                if (config.isProxy(from.getAddress())) {
                    pipeline.addLast("proxy-decoder", new HAProxyMessageDecoder());
                    pipeline.addLast("proxy-header", new ProxyHeader(config.name(), admission));
                } else if (!admission.admit(channel, from)) {
                    return;
                }
            }
            pipeline.addLast("protocol-detector", new ProtocolDetector(config.name(), protocols));
        }
    }
}
