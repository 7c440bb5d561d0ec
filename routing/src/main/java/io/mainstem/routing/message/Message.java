package io.mainstem.routing.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The canonical message [D-1], [D-2]: an envelope and the AMQP 1.0 sections as published, without {@code header} and
 * {@code delivery-annotations}.
 *
 * <p>Immutable and free for any thread: the section bytes are heap arrays nobody changes after construction. A head
 * copies a message once, at its edge, into this form.
 *
 * @param envelope what the broker knows about the message
 * @param sections message-annotations to footer, encoded, in pieces of at most 1 MiB; read-only by contract
 * @param publishId by what a second publish of it is known, or null; nothing of it is left once it is stored
 */
public record Message(
        Envelope envelope, List<byte[]> sections, @Nullable PublishId publishId) {
    public Message {
        sections = List.copyOf(sections);
    }

    /** One that is stored as often as it is published. */
    public Message(Envelope envelope, List<byte[]> sections) {
        this(envelope, sections, null);
    }

    /** Bytes of all sections. */
    public long sectionBytes() {
        long bytes = 0;
        for (byte[] piece : sections) {
            bytes += piece.length;
        }
        return bytes;
    }
}
