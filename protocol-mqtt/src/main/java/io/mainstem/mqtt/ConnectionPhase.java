package io.mainstem.mqtt;

/** What may come on a connection. */
enum ConnectionPhase {
    /** Only a CONNECT. */
    NEW,
    /** Only AUTH or DISCONNECT. */
    AUTHENTICATING,
    /** The CONNACK is not out: what the client sent behind its CONNECT waits. */
    CONNECTING,
    CONNECTED,
    /** The stream is over or broken: what still comes is dropped. */
    CLOSING
}
