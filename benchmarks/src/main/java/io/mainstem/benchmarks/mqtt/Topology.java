package io.mainstem.benchmarks.mqtt;

import com.google.errorprone.annotations.Immutable;

/**
 * Who sends to whom.
 *
 * @param publishers each with a topic of its own
 * @param subscribersEach of each topic, one connection each
 * @param qos of publishing and of subscribing
 * @param window of messages of one publisher that are on their way
 * @param filters others hold, none of which matches
 */
@Immutable
record Topology(int publishers, int subscribersEach, int qos, int window, int filters) {
    static final int PAYLOAD_BYTES = 256;

    int subscribers() {
        return publishers * subscribersEach;
    }
}
