package io.mainstem.amqp.v1;

import io.mainstem.transport.Peer;
import io.mainstem.transport.PeerLog;
import java.net.InetAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Clients that go when they hear how they may log in: no login has failed, so nothing else would be in the log. Told once
 * an address, of which the last {@value #ADDRESSES_MAX} are remembered. Thread: any.
 */
final class DeclinedLogins {
    private static final PeerLog LOG = PeerLog.of(DeclinedLogins.class);
    private static final int ADDRESSES_MAX = 1024;

    private final Set<InetAddress> told = new LinkedHashSet<>();

    /** @param offered mechanisms that the peer was told */
    void log(Peer peer, List<String> offered) {
        InetAddress address = peer.address();
        if (address != null && isNew(address)) {
            LOG.warn(
                    "MS-0516",
                    "MS-0516 client went away when it was told how to log in, and has chosen none peer={} offered={} fix:"
                            + " give it a user and password and let it log in by one of these (RabbitMQ's AMQP 1.0"
                            + " clients: username, password and saslMechanism); PLAIN is offered over TLS",
                    peer.text(),
                    offered);
        }
    }

    private synchronized boolean isNew(InetAddress address) {
        if (!told.add(address)) {
            return false;
        }
        if (told.size() > ADDRESSES_MAX) {
            told.remove(told.iterator().next());
        }
        return true;
    }
}
