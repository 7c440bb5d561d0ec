package io.mainstem.transport.security;

import io.mainstem.transport.Peer;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Decides who a peer is. One instance serves all listeners and protocols. Refusals are logged here, with their reason;
 * peers are told no more than that they were refused.
 *
 * <p>Thread: any. Nothing blocks; stages complete on any thread, so heads continue on their event loop.
 */
public interface Authenticator {
    /** SASL mechanisms this peer may choose from, strongest first; empty if nobody may come in this way. */
    List<String> mechanisms(Peer peer);

    /** True if the peer may come in without saying who it is. */
    boolean allowsAnonymous(Peer peer);

    /**
     * Begins a SASL exchange.
     *
     * @param mechanism as the peer named it; one that was not offered leads to a refusal
     */
    SaslExchange begin(String mechanism, Peer peer);

    /**
     * Checks a name and a password, for protocols that send both at once. Never answers with a challenge.
     *
     * @param password UTF-8; read before this returns, not kept
     */
    CompletionStage<Verdict> login(Peer peer, String user, byte[] password);
}
