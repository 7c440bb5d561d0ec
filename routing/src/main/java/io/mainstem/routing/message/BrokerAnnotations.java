package io.mainstem.routing.message;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Message-annotations that belong to the broker: taken off what clients send [M-8], put on what they get.
 * Annotations of others keep their bytes and their order. Thread: any.
 */
public final class BrokerAnnotations {
    private static final int MESSAGE_ANNOTATIONS = 0x72;

    private static final Set<String> NAMES = Set.of(
            "x-opt-deaths",
            "x-death",
            "x-exchange",
            "x-routing-key",
            "x-acquired-count",
            "x-delivery-count",
            "x-opt-ingress-time");

    private static final List<String> PREFIXES =
            List.of("x-first-death-", "x-last-death-", "x-opt-mqtt-", "x-opt-amqp091-");

    private BrokerAnnotations() {}

    /** True if clients may not set an annotation of this name. */
    public static boolean owned(String name) {
        if (!name.startsWith("x-")) {
            return false;
        }
        return NAMES.contains(name) || PREFIXES.stream().anyMatch(name::startsWith);
    }

    /**
     * A message without broker-owned annotations. Byte-identical, and the same object, when there are none.
     *
     * @throws MalformedMessageException if the annotations cannot be read; never after {@link SectionScanner}
     */
    public static SectionScanner.BareMessage strip(SectionScanner.BareMessage message) {
        return without(message, BrokerAnnotations::owned);
    }

    /** As {@link #strip}, for other annotations. */
    public static SectionScanner.BareMessage without(SectionScanner.BareMessage message, Predicate<String> unwanted) {
        SectionOffsets offsets = message.offsets();
        if (offsets.messageAnnotations() < 0) {
            return message;
        }
        SectionBytes bytes = new SectionBytes(message.sections());
        Kept kept = kept(bytes, offsets.messageAnnotations(), unwanted.negate());
        if (kept.dropped == 0) {
            return message;
        }
        int rest = offsets.afterAnnotations(bytes.size());
        List<byte[]> sections = new ArrayList<>();
        byte[] section = kept.count == 0 ? new byte[0] : section(kept);
        if (section.length > 0) {
            sections.add(section);
        }
        sections.addAll(SectionScanner.tail(message.sections(), rest));
        SectionOffsets moved = offsets.shifted(section.length - rest);
        SectionOffsets result = new SectionOffsets(
                section.length > 0 ? 0 : -1,
                moved.properties(),
                moved.applicationProperties(),
                moved.body(),
                moved.footer(),
                moved.bodyKind());
        return new SectionScanner.BareMessage(message.header(), sections, result);
    }

    /**
     * The message-annotations section for a delivery: the stored entries and {@code extra}, which wins where a key is
     * the same. The rest of the message begins at {@link SectionOffsets#afterAnnotations}.
     *
     * @param extra symbol keys; values as for {@link AmqpValueWriter#value}
     * @return an encoded section, or no bytes if there is nothing to say
     */
    public static byte[] encode(List<byte[]> sections, SectionOffsets offsets, Map<String, ?> extra) {
        Kept kept = offsets.messageAnnotations() < 0
                ? new Kept()
                : kept(new SectionBytes(sections), offsets.messageAnnotations(), name -> !extra.containsKey(name));
        extra.forEach((name, value) -> {
            kept.entries.symbol(name).value(value);
            kept.count++;
        });
        return kept.count == 0 ? new byte[0] : section(kept);
    }

    /**
     * The section of a message with another section's entries, which win where a key is the same.
     *
     * @param names of the entries of {@code other}
     */
    static byte[] merged(List<byte[]> sections, SectionOffsets offsets, byte[] other, Set<String> names) {
        Kept kept = offsets.messageAnnotations() < 0
                ? new Kept()
                : kept(new SectionBytes(sections), offsets.messageAnnotations(), name -> !names.contains(name));
        Kept more = kept(new SectionBytes(List.of(other)), 0, name -> true);
        kept.entries.raw(more.entries.toByteArray());
        kept.count += more.count;
        return section(kept);
    }

    /** The value of {@code x-opt-deaths}: newest first [T-3]; empty if there were none. */
    public static List<Map<String, Object>> deaths(List<Death> deaths) {
        List<Map<String, Object>> maps = new ArrayList<>();
        for (Death death : deaths) {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("queue", death.queue());
            map.put("reason", death.reason());
            map.put("count", (long) death.count());
            map.put("first-time", Instant.ofEpochMilli(death.firstMs()));
            map.put("last-time", Instant.ofEpochMilli(death.lastMs()));
            map.put("exchange", death.exchange());
            map.put("routing-keys", death.keys());
            if (death.ttlMs() >= 0) {
                map.put("ttl", death.ttlMs());
            }
            maps.add(map);
        }
        return maps;
    }

    private static byte[] section(Kept kept) {
        return new AmqpValueWriter()
                .descriptor(MESSAGE_ANNOTATIONS)
                .map(kept.count, kept.entries)
                .toByteArray();
    }

    private static Kept kept(SectionBytes bytes, int offset, Predicate<String> keep) {
        Kept kept = new Kept();
        int end = bytes.size();
        int at = AmqpTypes.skip(bytes, offset + 1, end, 1);
        int code = AmqpTypes.code(bytes, at, end);
        if (!AmqpTypes.isMap(code)) {
            throw new MalformedMessageException("no map of message-annotations at byte " + at);
        }
        int mapEnd = AmqpTypes.skip(bytes, at, end, 1);
        int countAt = AmqpTypes.sizeEnd(code, at + 1);
        int count = AmqpTypes.size(bytes, code, countAt, mapEnd);
        int key = AmqpTypes.sizeEnd(code, countAt);
        for (int i = 0; i < count; i += 2) {
            int value = AmqpTypes.skip(bytes, key, mapEnd, 2);
            int next = AmqpTypes.skip(bytes, value, mapEnd, 2);
            Object name = new AmqpValueReader(bytes, key).read(mapEnd, 2);
            if (name instanceof String text && !keep.test(text)) {
                kept.dropped++;
            } else {
                kept.entries.raw(bytes.copy(key, next));
                kept.count++;
            }
            key = next;
        }
        return kept;
    }

    /** Entries on their way into a new section. */
    private static final class Kept {
        private final AmqpValueWriter entries = new AmqpValueWriter();
        private int count;
        private int dropped;
    }
}
