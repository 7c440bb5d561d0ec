package io.mainstem.mqtt;

import io.mainstem.transport.PeerLog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what is refused to one peer. One that goes on and on is not heard for ever, and many together are not heard more
 * than {@link PeerLog} allows. Thread: the event loop.
 */
final class RefusalLog {
    private static final Logger LOG = LoggerFactory.getLogger(MqttConnection.class);
    private static final PeerLog PEERS = PeerLog.of(MqttConnection.class);
    private static final int LOGGED_MAX = 10;
    /** Of a code such as MS and four digits. */
    private static final int CODE_CHARS = 7;

    private int refusals;

    /** @param text begins with its code */
    void add(String text, String peer) {
        refusals++;
        if (refusals <= LOGGED_MAX) {
            String kind = text.substring(0, Math.min(CODE_CHARS, text.length()));
            PEERS.warn(kind, "{} peer={}{}", text, peer, refusals == LOGGED_MAX ? "; no more of this peer" : "");
        } else {
            LOG.debug("{} peer={}", text, peer);
        }
    }
}
