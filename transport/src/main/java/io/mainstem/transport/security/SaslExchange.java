package io.mainstem.transport.security;

import java.util.concurrent.CompletionStage;

/** The server's side of one SASL exchange (RFC 4422). Thread: one at a time, the next call after the last answer. */
public interface SaslExchange {
    /**
     * Takes the peer's next message and says how it goes on. After a {@link Verdict} there is no further call.
     *
     * @param message the first or a later one; empty if the peer sent none, which a mechanism may answer with an empty
     *     challenge. Read before this returns
     */
    CompletionStage<SaslStep> respond(byte[] message);
}
