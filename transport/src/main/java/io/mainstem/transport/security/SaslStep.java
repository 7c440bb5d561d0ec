package io.mainstem.transport.security;

/** How a SASL exchange goes on. */
public sealed interface SaslStep permits SaslStep.Challenge, Verdict {
    /** The peer has to answer this. */
    record Challenge(byte[] message) implements SaslStep {}
}
