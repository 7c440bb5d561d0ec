package io.mainstem.transport;

import io.netty.channel.Channel;
import io.netty.channel.group.ChannelGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets connections in as long as there is room for them, and says once per episode that there is none. Thread: any. */
final class Admission {
    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    private final ListenerConfig config;
    private final ChannelGroup connections;
    private final AddressCounts perAddress;
    private final AtomicBoolean full = new AtomicBoolean();
    private final AtomicBoolean addressFull = new AtomicBoolean();

    /** @param connections those that are in; they leave by themselves when they are closed */
    Admission(ListenerConfig config, ChannelGroup connections) {
        this.config = config;
        this.connections = connections;
        this.perAddress = new AddressCounts(config.connectionsPerAddressMax());
    }

    /** Takes the connection, or closes it. */
    boolean admit(Channel channel) {
        if (connections.size() < config.connectionsMax()) {
            full.set(false);
            connections.add(channel);
            return true;
        }
        if (full.compareAndSet(false, true)) {
            LOG.warn(
                    "MS-0404 connection limit reached listener={} limit={} peer={}",
                    config.name(),
                    config.connectionsMax(),
                    Peer.text(channel));
        }
        var unused = channel.close();
        return false;
    }

    /** Takes the connection as one of that address, or closes it. */
    boolean admit(Channel channel, InetSocketAddress from) {
        InetAddress address = from.getAddress();
        if (perAddress.enter(address)) {
            addressFull.set(false);
            channel.closeFuture().addListener(closed -> perAddress.leave(address));
            return true;
        }
        if (addressFull.compareAndSet(false, true)) {
            LOG.warn(
                    "MS-0406 connection limit of one address reached listener={} limit={} peer={}",
                    config.name(),
                    config.connectionsPerAddressMax(),
                    Peer.text(channel));
        }
        var unused = channel.close();
        return false;
    }
}
