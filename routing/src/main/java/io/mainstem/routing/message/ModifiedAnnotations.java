package io.mainstem.routing.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Message-annotations that a consumer has added to a message it gave back: they are merged into those of the message, and win where
 * a key is the same (AMQP 1.0 part 3, 3.4.5). Immutable; thread: any.
 */
public final class ModifiedAnnotations {
    /** As much as one message may get in all. */
    public static final int BYTES_MAX = 64 << 10;

    private static final int SECTION_CODE = 0x72;
    private static final int PIECE_BYTES_MAX = 1 << 20;
    /** Says when the message shall come again, and is done with by that. */
    private static final String DELIVERY_TIME = "x-opt-delivery-time";

    private static final SectionOffsets AT_FRONT = new SectionOffsets(0, -1, -1, -1, -1, 0);

    private final byte[] section;
    private final Set<String> names;

    private ModifiedAnnotations(byte[] section) {
        this.section = section;
        this.names = Set.copyOf(
                AmqpValueReader.messageAnnotations(List.of(section), AT_FRONT).keySet());
    }

    /**
     * What a consumer says, without what belongs to the broker; null if nothing is left of it.
     *
     * @param map an encoded map
     * @throws MalformedMessageException if it is none
     */
    public static @Nullable ModifiedAnnotations of(byte[] map) {
        byte[] section = new AmqpValueWriter().descriptor(SECTION_CODE).raw(map).toByteArray();
        SectionScanner.BareMessage said = SectionScanner.split(List.of(section));
        SectionScanner.BareMessage kept =
                BrokerAnnotations.without(said, name -> BrokerAnnotations.owned(name) || name.equals(DELIVERY_TIME));
        return kept.sections().isEmpty() ? null : new ModifiedAnnotations(joined(kept.sections()));
    }

    private static byte[] joined(List<byte[]> pieces) {
        SectionBytes bytes = new SectionBytes(pieces);
        return bytes.copy(0, bytes.size());
    }

    /** What {@link #toBytes} gave. */
    public static ModifiedAnnotations restore(byte[] bytes) {
        return new ModifiedAnnotations(bytes);
    }

    /** An encoded section of message-annotations; not to be changed. */
    public byte[] toBytes() {
        return section;
    }

    /** These over earlier ones; the earlier ones alone if both are more than can be read back. */
    public ModifiedAnnotations over(ModifiedAnnotations earlier) {
        byte[] merged = over(List.of(earlier.section), AT_FRONT);
        return readable(merged) ? new ModifiedAnnotations(merged) : earlier;
    }

    /** A merged section may have more entries than any that came from a client. */
    private static boolean readable(byte[] merged) {
        try {
            AmqpValueReader.messageAnnotations(List.of(merged), AT_FRONT);
            return true;
        } catch (MalformedMessageException tooMany) {
            return false;
        }
    }

    /** The message with these over its own; the same one if they would not fit. */
    public Message over(Message message) {
        Envelope envelope = message.envelope();
        SectionOffsets offsets = envelope.offsets();
        byte[] merged = over(message.sections(), offsets);
        if (merged.length > PIECE_BYTES_MAX || !readable(merged)) {
            return message;
        }
        int rest = offsets.messageAnnotations() < 0 ? 0 : offsets.afterAnnotations((int) message.sectionBytes());
        List<byte[]> sections = new ArrayList<>();
        sections.add(merged);
        sections.addAll(SectionScanner.tail(message.sections(), rest));
        SectionOffsets moved = offsets.shifted(merged.length - rest);
        SectionOffsets found = new SectionOffsets(
                0, moved.properties(), moved.applicationProperties(), moved.body(), moved.footer(), moved.bodyKind());
        return new Message(envelope.withOffsets(found), sections, message.publishId());
    }

    private byte[] over(List<byte[]> sections, SectionOffsets offsets) {
        return BrokerAnnotations.merged(sections, offsets, section, names);
    }
}
