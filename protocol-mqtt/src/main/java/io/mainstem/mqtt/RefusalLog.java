package io.mainstem.mqtt;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what is refused to one peer; one that goes on and on is not heard for ever. Thread: the event loop. */
final class RefusalLog {
    private static final Logger LOG = LoggerFactory.getLogger(MqttConnection.class);
    private static final int LOGGED_MAX = 10;

    private int refusals;

    void add(String text, String peer) {
        refusals++;
        if (refusals <= LOGGED_MAX) {
            LOG.warn("{} peer={}{}", text, peer, refusals == LOGGED_MAX ? "; no more of this peer" : "");
        } else {
            LOG.debug("{} peer={}", text, peer);
        }
    }
}
