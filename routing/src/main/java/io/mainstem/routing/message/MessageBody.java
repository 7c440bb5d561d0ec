package io.mainstem.routing.message;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of a stored message, for heads that do not send it as it lies (mapping 3.4). Thread: any.
 *
 * @param kind 0x75 data, 0x76 amqp-sequence, 0x77 amqp-value, 0 = none
 * @param data bytes of all data sections; of other kinds the sections as they are encoded
 * @param value what an amqp-value holds, by the types of {@link AmqpValueReader}, but a float is a Float; of amqp-sequences
 *     the list of all their elements; null for other kinds
 */
public record MessageBody(int kind, byte[] data, @Nullable Object value) {
    private static final int DATA = 0x75;
    private static final int VALUE = 0x77;
    private static final byte[] EMPTY = new byte[0];

    /** @throws MalformedMessageException never after {@link SectionScanner} has let the message through */
    public static MessageBody read(Message message) {
        SectionOffsets offsets = message.envelope().offsets();
        if (offsets.body() < 0) {
            return new MessageBody(0, EMPTY, null);
        }
        SectionBytes bytes = new SectionBytes(message.sections());
        int end = offsets.footer() < 0 ? bytes.size() : offsets.footer();
        if (offsets.bodyKind() == DATA) {
            return new MessageBody(DATA, data(bytes, offsets.body(), end), null);
        }
        Object value = offsets.bodyKind() == VALUE
                ? AmqpValueReader.shown(bytes, offsets.body()).sectionValue()
                : elements(bytes, offsets.body(), end);
        return new MessageBody(offsets.bodyKind(), bytes.copy(offsets.body(), end), value);
    }

    private static List<?> elements(SectionBytes bytes, int from, int end) {
        List<@Nullable Object> all = new ArrayList<>();
        int at = from;
        while (at < end) {
            if (AmqpValueReader.shown(bytes, at).sectionValue() instanceof List<?> list) {
                all.addAll(list);
            }
            at = AmqpTypes.skip(bytes, at, end, 0);
        }
        return all;
    }

    private static byte[] data(SectionBytes bytes, int from, int end) {
        byte[] all = EMPTY;
        int at = from;
        while (at < end) {
            int value = AmqpTypes.skip(bytes, at + 1, end, 1);
            int code = AmqpTypes.code(bytes, value, end);
            int first = AmqpTypes.sizeEnd(code, value + 1);
            int next = AmqpTypes.skip(bytes, value, end, 1);
            byte[] part = bytes.copy(first, next);
            all = all.length == 0 ? part : joined(all, part);
            at = next;
        }
        return all;
    }

    private static byte[] joined(byte[] one, byte[] two) {
        byte[] both = new byte[one.length + two.length];
        System.arraycopy(one, 0, both, 0, one.length);
        System.arraycopy(two, 0, both, one.length, two.length);
        return both;
    }
}
