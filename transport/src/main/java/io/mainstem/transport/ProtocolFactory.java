package io.mainstem.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;

/** A protocol that a listener can speak. Thread: any; one instance serves all connections. */
public interface ProtocolFactory {
    /** What the first bytes of a connection say. */
    enum Match {
        YES,
        NO,
        /** Too few bytes to tell; asked again with more, up to {@link ProtocolDetector#HEADER_BYTES}. */
        UNDECIDED
    }

    /** For logs, such as {@code amqp-1.0}. */
    String name();

    /**
     * Decides by the first bytes of a connection.
     *
     * @param first readable bytes are the first ones received, 1 to {@link ProtocolDetector#HEADER_BYTES} of them;
     *     borrowed, indexes must not move
     */
    Match matches(ByteBuf first);

    /**
     * What to answer to a peer that speaks no known protocol before its connection is closed; empty for nothing. The
     * listener's first protocol decides.
     */
    byte[] ownHeader();

    /**
     * Adds this protocol's handlers at the end of the pipeline. All bytes received so far, those of the header too, are
     * then given to them as the first read. The head must fire {@link HandshakeGuard#DONE} once it knows its peer, and
     * must close on {@link Listener#SHUTDOWN}.
     */
    void install(ChannelPipeline pipeline);
}
