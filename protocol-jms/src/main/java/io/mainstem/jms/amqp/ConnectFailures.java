package io.mainstem.jms.amqp;

import io.mainstem.jms.amqp.engine.TlsFailures;
import io.mainstem.jms.options.Endpoint;
import jakarta.jms.JMSException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** What people are told of an endpoint that cannot be reached, or not any more. Thread: any. */
final class ConnectFailures {
    private ConnectFailures() {}

    /** The exception for an endpoint that cannot be reached, or not any more. */
    static JMSException unreachable(Endpoint endpoint, ConnectPhase phase, @Nullable Throwable cause) {
        JMSException reason;
        if (phase == ConnectPhase.OPEN) {
            reason = new JMSException(
                    "MS-0704 the connection to " + endpoint + " is lost"
                            + (cause == null ? ": the broker closed it" : ": " + cause.getMessage())
                            + "; fix: connect again, or use failover:(...)",
                    "MS-0704");
        } else {
            reason = new JMSException(
                    "MS-0702 no connection to " + endpoint + ": " + explained(endpoint, phase, cause), "MS-0702");
        }
        if (cause instanceof Exception linked) {
            reason.setLinkedException(linked);
        }
        if (cause != null) {
            reason.initCause(cause);
        }
        return reason;
    }

    private static String explained(Endpoint endpoint, ConnectPhase phase, @Nullable Throwable cause) {
        if (cause instanceof UnknownHostException) {
            return "unknown host " + endpoint.host() + "; fix: correct the name in the URI";
        }
        Throwable root = cause;
        while (root != null && root.getCause() != null) {
            root = root.getCause();
        }
        if (cause instanceof SSLException || (cause != null && cause.getCause() instanceof SSLException)) {
            return TlsFailures.explained(endpoint, root);
        }
        if (cause == null && (phase == ConnectPhase.LOGIN || phase == ConnectPhase.OPENING)) {
            return "the broker closed it " + phase.described()
                    + "; fix: look into the broker's log: its own time for this, amqp.handshake-timeout, may be over, or it"
                    + " has too many connections";
        }
        if (cause == null) {
            return "the broker closed it before it was open; fix: see that the port speaks AMQP, with TLS or without as"
                    + " the URI says";
        }
        String text = root == null || root.getMessage() == null ? cause.toString() : root.getMessage();
        return text + "; fix: see that a broker listens there and is reachable, or correct the URI";
    }
}
