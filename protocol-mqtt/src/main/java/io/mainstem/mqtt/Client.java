package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Version;
import org.jspecify.annotations.Nullable;

/**
 * What a connection has agreed on with its client. Immutable.
 *
 * @param keepAliveSeconds 0 = off
 * @param requestedKeepAlive what it asked for
 * @param sessionExpiry seconds, 0 = the session ends with the connection, 0xFFFFFFFF = never [S-5]
 * @param requestedExpiry what it asked for
 * @param receiveMaximum deliveries of QoS 1 and 2 the client takes at a time
 * @param packetBytesMax largest packet the client takes
 * @param topicAliasMaximum aliases the client takes
 * @param wantsResponseInformation the client asks below which topic it may take responses
 */
record Client(
        Version version,
        String id,
        @Nullable String user,
        boolean cleanStart,
        int keepAliveSeconds,
        int requestedKeepAlive,
        long sessionExpiry,
        long requestedExpiry,
        int receiveMaximum,
        long packetBytesMax,
        int topicAliasMaximum,
        boolean wantsResponseInformation) {
    static final long NEVER = 0xFFFF_FFFFL;
}
