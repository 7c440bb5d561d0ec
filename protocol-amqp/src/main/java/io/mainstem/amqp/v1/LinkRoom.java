package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import org.apache.qpid.proton.amqp.transport.AmqpError;

/**
 * How many links one connection has over all its sessions: sessions times links of a session would be millions. What is
 * kept of an attach (name, source, filters) grows with its frame, so the bytes of these are bounded, too.
 *
 * <p>Thread: the connection's event loop.
 */
final class LinkRoom {
    static final int LINKS_MAX = 8192;
    static final long ATTACH_BYTES_MAX = 16L << 20;

    private final int linksMax;
    private int links;
    private long attachBytes;

    /** @param perSession links that a session may have; so many are taken in any case */
    LinkRoom(int perSession) {
        this.linksMax = Math.max(LINKS_MAX, perSession);
    }

    /** @throws AmqpException for the session, if there is no room for one more link */
    void take(int bytes) {
        if (links >= linksMax) {
            throw full(linksMax + " links");
        }
        if (attachBytes + bytes > ATTACH_BYTES_MAX && links > 0) {
            throw full(ATTACH_BYTES_MAX + " bytes in the attaches of its links");
        }
        links++;
        attachBytes += bytes;
    }

    void giveBack(int bytes) {
        links--;
        attachBytes -= bytes;
    }

    private static AmqpException full(String what) {
        return AmqpException.session(
                AmqpError.RESOURCE_LIMIT_EXCEEDED,
                "MS-0515 a connection may have " + what + " in all its sessions fix: use fewer links, shorter names and"
                        + " filters, or more connections");
    }
}
