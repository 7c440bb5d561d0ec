package io.mainstem.jms.message;

import java.nio.ByteBuffer;

/**
 * A message as it goes over a transport: what the AMQP header says, and the sections behind it, encoded. Thread:
 * immutable; reading goes through {@link #sections()}.
 *
 * @param durable JMS PERSISTENT
 * @param priority 0 to 255; 4 if the sender gave none
 * @param ttlMs time to live in milliseconds, 1 to 2^32-1, or 0 for none (or one that only {@code absolute-expiry-time}
 *     can hold)
 * @param sections message-annotations, properties, application-properties, body and footer: no header and no
 *     delivery-annotations
 */
public record EncodedMessage(boolean durable, int priority, long ttlMs, ByteBuffer sections) {
    /** A fresh view; its position and limit are the caller's. */
    @Override
    public ByteBuffer sections() {
        return sections.asReadOnlyBuffer();
    }

    /** Length of the encoded sections. */
    public int bytes() {
        return sections.remaining();
    }
}
