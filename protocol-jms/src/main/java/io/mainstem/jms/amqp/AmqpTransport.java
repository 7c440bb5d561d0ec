package io.mainstem.jms.amqp;

import io.mainstem.jms.amqp.engine.ClientPipeline;
import io.mainstem.jms.amqp.engine.ClientTls;
import io.mainstem.jms.amqp.login.DerivedKeys;
import io.mainstem.jms.link.ConnectRequest;
import io.mainstem.jms.link.ConnectionLost;
import io.mainstem.jms.link.LinkConnection;
import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.options.Endpoint;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import jakarta.jms.JMSException;
import java.io.IOException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * AMQP 1.0 over sockets. All connections of the JVM share a few event loops, whose threads are daemons: an application
 * that forgets a connection can end. What logins have derived is kept as long as this object. Thread: any.
 */
public final class AmqpTransport implements LinkTransport {
    private static final int LOOPS =
            Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors() / 2));
    private static final int WRITE_BYTES_HIGH = 1 << 20;

    private final @Nullable LocalAddress local;
    private final DerivedKeys keys = new DerivedKeys();

    /** Made when the first connection is. */
    private static final class Loops {
        static final EventLoopGroup GROUP = new MultiThreadIoEventLoopGroup(
                LOOPS, new DefaultThreadFactory("mainstem-jms-io", true), NioIoHandler.newFactory());
    }

    /** The same for a broker in this JVM: its bytes are handed over without a socket. */
    private static final class LocalLoops {
        static final EventLoopGroup GROUP = new MultiThreadIoEventLoopGroup(
                LOOPS, new DefaultThreadFactory("mainstem-jms-vm", true), LocalIoHandler.newFactory());
    }

    /** Over sockets, to wherever the endpoint says. */
    public AmqpTransport() {
        this(null);
    }

    private AmqpTransport(@Nullable LocalAddress local) {
        this.local = local;
    }

    /** To a broker of this JVM that listens at a local address of Netty's, whatever the endpoint says. */
    public static AmqpTransport within(LocalAddress address) {
        return new AmqpTransport(address);
    }

    private Bootstrap bootstrap(ConnectRequest request, int connectMs) {
        if (local != null) {
            return new Bootstrap().group(LocalLoops.GROUP).channel(LocalChannel.class);
        }
        return new Bootstrap()
                .group(Loops.GROUP)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectMs)
                .option(ChannelOption.TCP_NODELAY, request.options().wire().tcpNoDelay());
    }

    @Override
    public CompletionStage<LinkConnection> connect(ConnectRequest request, ConnectionLost lost) {
        AmqpConnection connection = new AmqpConnection(request, lost, keys, local != null);
        Endpoint endpoint = request.endpoint();
        SslContext tls;
        try {
            tls = endpoint.scheme().tls() ? ClientTls.context(request.options().tls()) : null;
        } catch (IOException e) {
            JMSException unusable = new JMSException("MS-0731 " + e.getMessage(), "MS-0731");
            unusable.initCause(e);
            connection.opened().completeExceptionally(unusable);
            return connection.opened();
        }
        int connectMs =
                (int) Math.min(Integer.MAX_VALUE, request.options().timeouts().connectMs());
        Bootstrap bootstrap = bootstrap(request, connectMs)
                .option(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(WRITE_BYTES_HIGH / 2, WRITE_BYTES_HIGH))
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        ClientPipeline.build(channel.pipeline(), endpoint, tls, connection.pump());
                    }
                });
        ChannelFuture connecting =
                local == null ? bootstrap.connect(endpoint.host(), endpoint.port()) : bootstrap.connect(local);
        var unused = connecting.addListener(done -> {
            if (!done.isSuccess()) {
                connection.refuse(ConnectFailures.unreachable(endpoint, connection.phase(), done.cause()));
            }
        });
        var timer = connecting
                .channel()
                .eventLoop()
                .schedule(() -> tooLate(connection, endpoint, connectMs), connectMs, TimeUnit.MILLISECONDS);
        var unusedStage = connection.opened().whenComplete((opened, failure) -> timer.cancel(false));
        return connection.opened();
    }

    private static void tooLate(AmqpConnection connection, Endpoint endpoint, int connectMs) {
        if (!connection.opened().isDone()) {
            connection.refuse(new JMSException(
                    "MS-0702 no connection to " + endpoint + " within " + connectMs + " ms, the time of"
                            + " jms.connectTimeout: it ended "
                            + connection.phase().described()
                            + "; fix: see that a broker listens there and is not overloaded, or allow more time",
                    "MS-0702"));
        }
    }
}
