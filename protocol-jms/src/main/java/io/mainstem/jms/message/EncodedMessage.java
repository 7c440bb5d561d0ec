package io.mainstem.jms.message;

import io.mainstem.jms.message.section.SectionCodec;
import io.mainstem.jms.message.section.Sections;
import jakarta.jms.MessageFormatException;
import java.nio.ByteBuffer;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.jspecify.annotations.Nullable;

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

    /**
     * Where a message goes by its own account, for messages to people.
     *
     * @param sections encoded; a header may be before them
     * @return null if it does not say so, or cannot be read
     */
    public static @Nullable String addressIn(ByteBuffer sections) {
        try {
            ByteBuffer properties = Sections.of(sections).properties();
            return properties == null
                    ? null
                    : SectionCodec.read(properties, Properties.class, "properties")
                            .getTo();
        } catch (MessageFormatException malformed) {
            return null;
        }
    }

    /** Length of the encoded sections. */
    public int bytes() {
        return sections.remaining();
    }
}
