package io.mainstem.mqtt;

import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;

/**
 * What is published if a client goes without goodbye (3.1.2.5).
 *
 * @param delaySeconds after the connection has ended, unless the session is continued before
 */
record WillMessage(long delaySeconds, Message message) {
    /** The message as if published now: the times of its envelope were those of the CONNECT. */
    Message publishedAt(long nowMs) {
        Envelope e = message.envelope();
        Envelope now = new Envelope(
                e.exchange(),
                e.keys(),
                e.durable(),
                e.priority(),
                nowMs,
                e.ttlMs(),
                e.ttlMs() < 0 ? 0 : nowMs + e.ttlMs(),
                0,
                e.publisherId(),
                e.user(),
                e.origin(),
                e.publisherQos(),
                e.retain(),
                e.offsets(),
                e.deaths());
        return new Message(now, message.sections());
    }
}
