package io.mainstem.routing.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The AMQP 1.0 header section (part 3, 3.2.1). Not stored: its fields live in the envelope [D-2].
 *
 * @param durable absent means false
 * @param priority 0 to 255, or -1 if absent
 * @param ttlMs 0 to 2^32 - 1, or -1 if absent
 * @param firstAcquirer absent means false
 * @param deliveryCount failed deliveries before this one, 0 to 2^32 - 1
 */
public record MessageHeader(boolean durable, int priority, long ttlMs, boolean firstAcquirer, long deliveryCount) {
    /** No header section, or an empty one. */
    public static final MessageHeader ABSENT = new MessageHeader(false, -1, -1, false, 0);

    private static final long UINT_MAX = 0xFFFFFFFFL;

    static MessageHeader read(SectionBytes bytes, int at) {
        List<?> fields = AmqpValueReader.sectionList(bytes, at);
        Object priority = AmqpValueReader.field(fields, 1);
        return new MessageHeader(
                Boolean.TRUE.equals(AmqpValueReader.field(fields, 0)),
                priority instanceof Long number && number >= 0 && number <= 255 ? number.intValue() : -1,
                uint(AmqpValueReader.field(fields, 2), -1),
                Boolean.TRUE.equals(AmqpValueReader.field(fields, 3)),
                uint(AmqpValueReader.field(fields, 4), 0));
    }

    /**
     * The header as a section, for egress; fields that are absent or at their default are left out. A ttl above
     * 2^32 - 1 is omitted, too [mapping 3.2].
     */
    public byte[] encode() {
        AmqpValueWriter out = new AmqpValueWriter();
        out.descriptor(0x70);
        AmqpValueWriter fields = new AmqpValueWriter();
        int used = used();
        for (int i = 0; i < used; i++) {
            writeField(fields, i);
        }
        out.list(used, fields);
        return out.toByteArray();
    }

    private int used() {
        if (deliveryCount > 0) {
            return 5;
        }
        if (firstAcquirer) {
            return 4;
        }
        if (hasTtl()) {
            return 3;
        }
        if (priority >= 0) {
            return 2;
        }
        return durable ? 1 : 0;
    }

    private void writeField(AmqpValueWriter out, int index) {
        switch (index) {
            case 0 -> out.value(durable);
            case 1 -> {
                if (priority < 0) {
                    out.nothing();
                } else {
                    out.ubyte(priority);
                }
            }
            case 2 -> {
                if (hasTtl()) {
                    out.uint(ttlMs);
                } else {
                    out.nothing();
                }
            }
            case 3 -> out.value(firstAcquirer);
            default -> out.uint(deliveryCount);
        }
    }

    private boolean hasTtl() {
        return ttlMs >= 0 && ttlMs <= UINT_MAX;
    }

    private static long uint(@Nullable Object value, long absent) {
        return value instanceof Long number && number >= 0 && number <= UINT_MAX ? number : absent;
    }
}
