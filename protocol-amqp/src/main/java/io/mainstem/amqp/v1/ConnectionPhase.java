package io.mainstem.amqp.v1;

/** What the next bytes of a connection must be. */
enum ConnectionPhase {
    HEADER,
    SASL,
    /** What the peer has said is being checked; what it sends meanwhile waits. */
    SASL_PENDING,
    HEADER_AFTER_SASL,
    FRAMES,
    /** Our close went: only the peer's is awaited. */
    CLOSE_SENT,
    /** The stream is over or broken: what still comes is dropped. */
    CLOSING
}
