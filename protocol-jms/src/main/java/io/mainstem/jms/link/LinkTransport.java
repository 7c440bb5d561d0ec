package io.mainstem.jms.link;

import java.util.concurrent.CompletionStage;

/** A way to a broker. Thread: any. */
@FunctionalInterface
public interface LinkTransport {
    /**
     * Opens a connection, logged in and ready for sessions.
     *
     * @param request where, who, and by which name
     * @param lost called at most once, if an open connection ends without {@link LinkConnection#close}
     * @return fails with {@code JMSSecurityException} if the login is refused, {@code InvalidClientIDException} if the
     *     name is in use, else a {@code JMSException} that says what was tried
     */
    CompletionStage<LinkConnection> connect(ConnectRequest request, ConnectionLost lost);
}
