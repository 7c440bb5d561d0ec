package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Fixes;
import io.mainstem.mqtt.wire.Reason;
import java.io.Serial;

/** A CONNECT that is answered with a CONNACK that says no. */
final class ConnectRefused extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final boolean logged;

    ConnectRefused(Reason reason, String text) {
        this(reason, text, true);
    }

    /** @param logged false if the log knows already */
    ConnectRefused(Reason reason, String text, boolean logged) {
        super(Fixes.in(text), null, false, false);
        this.reason = reason;
        this.logged = logged;
    }

    boolean logged() {
        return logged;
    }

    Reason reason() {
        return reason;
    }

    /** What a CONNACK may say (5.0, table 3-1): some reasons are only for a DISCONNECT. */
    Reason connectReason() {
        return switch (reason) {
            case UNSPECIFIED_ERROR,
                    MALFORMED_PACKET,
                    PROTOCOL_ERROR,
                    IMPLEMENTATION_SPECIFIC,
                    UNSUPPORTED_VERSION,
                    CLIENT_IDENTIFIER_NOT_VALID,
                    BAD_USER_NAME_OR_PASSWORD,
                    NOT_AUTHORIZED,
                    SERVER_UNAVAILABLE,
                    SERVER_BUSY,
                    BAD_AUTHENTICATION_METHOD,
                    TOPIC_NAME_INVALID,
                    PACKET_TOO_LARGE,
                    QUOTA_EXCEEDED,
                    PAYLOAD_FORMAT_INVALID,
                    RETAIN_NOT_SUPPORTED,
                    QOS_NOT_SUPPORTED,
                    CONNECTION_RATE_EXCEEDED -> reason;
            case SERVER_SHUTTING_DOWN -> Reason.SERVER_UNAVAILABLE;
            default -> Reason.UNSPECIFIED_ERROR;
        };
    }

    /** The return code that says nearest the same in 3.x (3.1.1, table 3.1). */
    int returnCode() {
        return switch (reason) {
            case UNSUPPORTED_VERSION -> 1;
            case CLIENT_IDENTIFIER_NOT_VALID -> 2;
            case BAD_USER_NAME_OR_PASSWORD -> 4;
            case NOT_AUTHORIZED, BAD_AUTHENTICATION_METHOD -> 5;
            default -> 3;
        };
    }
}
