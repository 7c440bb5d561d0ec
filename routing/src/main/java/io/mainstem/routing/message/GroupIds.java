package io.mainstem.routing.message;

import org.jspecify.annotations.Nullable;

/** Finds a message's group-id (AMQP 1.0 part 3, 3.2.4) without decoding what stands before it. Thread: any. */
public final class GroupIds {
    private static final int FIELD = 10;

    private GroupIds() {}

    /** The group the message belongs to, or null: absent, empty, or no text. */
    public static @Nullable String of(Message message) {
        int section = message.envelope().offsets().properties();
        if (section < 0) {
            return null;
        }
        SectionBytes bytes = new SectionBytes(message.sections());
        int list = AmqpTypes.skip(bytes, section + 1, bytes.size(), 1);
        int code = bytes.u8(list);
        if (code == AmqpTypes.LIST_0) {
            return null;
        }
        int countAt = AmqpTypes.sizeEnd(code, list + 1);
        int count = AmqpTypes.isWide(code) ? bytes.i32(countAt) : bytes.u8(countAt);
        if (count <= FIELD) {
            // By far the most: publishers leave trailing fields out.
            return null;
        }
        int at = AmqpTypes.sizeEnd(code, countAt);
        for (int field = 0; field < FIELD; field++) {
            at = AmqpTypes.skip(bytes, at, bytes.size(), 1);
        }
        return new AmqpValueReader(bytes, at).read(bytes.size(), 1) instanceof String group && !group.isEmpty()
                ? group
                : null;
    }
}
