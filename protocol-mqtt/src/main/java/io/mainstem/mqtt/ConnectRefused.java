package io.mainstem.mqtt;

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
        super(text, null, false, false);
        this.reason = reason;
        this.logged = logged;
    }

    boolean logged() {
        return logged;
    }

    Reason reason() {
        return reason;
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
