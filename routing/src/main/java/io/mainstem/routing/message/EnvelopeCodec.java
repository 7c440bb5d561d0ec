package io.mainstem.routing.message;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The envelope as it lies in the log beside the sections [D-3]. Decoding is total: any bytes give an envelope or
 * {@link MalformedMessageException}. Thread: any.
 *
 * <pre>
 *  u8 version = 1
 *  u8 flags     bit 0 durable, 1 retain, 2 priority, 3 user, 4 ttl, 5 expireAt, 6 deliverAt, 7 deaths present
 *  u8 kinds     bits 0-2 origin, 3-4 publisher QoS, 5-6 body kind (0 none, 1 0x75, 2 0x76, 3 0x77), 7 failed present
 *  [u8 priority]  varint arrivalMs  [varint ttlMs] [varint expireAtMs] [varint deliverAtMs]
 *  text exchange, varint n, n x text key, text publisherId, [text user]
 *  5 x varint (offset + 1): message-annotations, properties, application-properties, body, footer
 *  [varint n, n x { text queue, text reason, varint count, firstMs, lastMs, text exchange, keys, varint ttlMs + 1
 *             [, varint failed] }]
 * </pre>
 */
public final class EnvelopeCodec {
    private static final int VERSION = 1;
    private static final int DURABLE = 1;
    private static final int RETAIN = 1 << 1;
    private static final int PRIORITY = 1 << 2;
    private static final int USER = 1 << 3;
    private static final int TTL = 1 << 4;
    private static final int EXPIRE = 1 << 5;
    private static final int DELIVER = 1 << 6;
    private static final int DEATHS = 1 << 7;
    /** Of the kinds: each death tells how many deliveries had failed; an earlier version did not. */
    private static final int FAILED = 1 << 7;

    private static final int BODY_KIND_BASE = 0x74;
    /** By their code on disk. */
    private static final List<Envelope.Origin> ORIGINS = List.of(Envelope.Origin.values());

    private EnvelopeCodec() {}

    /**
     * The record's bytes.
     *
     * @throws IllegalArgumentException if a field is out of the range its Javadoc gives
     */
    public static byte[] encode(Envelope envelope) {
        BinaryWriter out = new BinaryWriter(96);
        out.u8(VERSION).u8(flags(envelope)).u8(kinds(envelope));
        if (envelope.priority() >= 0) {
            out.u8(inRange("priority", envelope.priority(), 255));
        }
        out.varint(envelope.arrivalMs());
        if (envelope.ttlMs() >= 0) {
            out.varint(envelope.ttlMs());
        }
        if (envelope.expireAtMs() != 0) {
            out.varint(envelope.expireAtMs());
        }
        if (envelope.deliverAtMs() != 0) {
            out.varint(envelope.deliverAtMs());
        }
        out.text(envelope.exchange());
        writeTexts(out, envelope.keys());
        out.text(envelope.publisherId());
        String user = envelope.user();
        if (user != null) {
            out.text(user);
        }
        SectionOffsets offsets = envelope.offsets();
        out.varint(offsets.messageAnnotations() + 1L).varint(offsets.properties() + 1L);
        out.varint(offsets.applicationProperties() + 1L).varint(offsets.body() + 1L);
        out.varint(offsets.footer() + 1L);
        if (!envelope.deaths().isEmpty()) {
            writeDeaths(out, envelope.deaths(), envelope.failedBefore() > 0);
        }
        return out.toByteArray();
    }

    /**
     * The envelope they hold.
     *
     * @throws MalformedMessageException if the bytes are not one whole envelope of a known version
     */
    public static Envelope decode(byte[] bytes) {
        BinaryReader in = new BinaryReader(bytes);
        int version = in.u8();
        if (version != VERSION) {
            throw new MalformedMessageException("envelope version " + version + " (expected: " + VERSION + ")");
        }
        int flags = in.u8();
        int kinds = in.u8();
        int origin = kinds & 7;
        if (origin >= ORIGINS.size() || (has(kinds, FAILED) && !has(flags, DEATHS))) {
            throw new MalformedMessageException("envelope kinds 0x" + Integer.toHexString(kinds));
        }
        int priority = has(flags, PRIORITY) ? in.u8() : -1;
        long arrivalMs = in.varint();
        long ttlMs = has(flags, TTL) ? in.varint() : -1;
        long expireAtMs = has(flags, EXPIRE) ? in.varint() : 0;
        long deliverAtMs = has(flags, DELIVER) ? in.varint() : 0;
        String exchange = in.text();
        List<String> keys = readTexts(in);
        if (keys.isEmpty()) {
            throw new MalformedMessageException("envelope without a routing key");
        }
        String publisherId = in.text();
        @Nullable String user = has(flags, USER) ? in.text() : null;
        SectionOffsets offsets = readOffsets(in, kinds >>> 5 & 3);
        List<Death> deaths = has(flags, DEATHS) ? readDeaths(in, has(kinds, FAILED)) : List.of();
        in.expectEnd();
        return new Envelope(
                exchange,
                keys,
                has(flags, DURABLE),
                priority,
                arrivalMs,
                ttlMs,
                expireAtMs,
                deliverAtMs,
                publisherId,
                user,
                ORIGINS.get(origin),
                kinds >>> 3 & 3,
                has(flags, RETAIN),
                offsets,
                deaths);
    }

    private static boolean has(int flags, int bit) {
        return (flags & bit) != 0;
    }

    private static int flags(Envelope envelope) {
        return (envelope.durable() ? DURABLE : 0)
                | (envelope.retain() ? RETAIN : 0)
                | (envelope.priority() >= 0 ? PRIORITY : 0)
                | (envelope.user() != null ? USER : 0)
                | (envelope.ttlMs() >= 0 ? TTL : 0)
                | (envelope.expireAtMs() != 0 ? EXPIRE : 0)
                | (envelope.deliverAtMs() != 0 ? DELIVER : 0)
                | (envelope.deaths().isEmpty() ? 0 : DEATHS);
    }

    private static int kinds(Envelope envelope) {
        int bodyKind = envelope.offsets().bodyKind();
        int body = bodyKind == 0 ? 0 : inRange("body kind", bodyKind - BODY_KIND_BASE, 3);
        return ORIGINS.indexOf(envelope.origin())
                | inRange("publisher QoS", envelope.publisherQos(), 3) << 3
                | body << 5
                | (envelope.failedBefore() > 0 ? FAILED : 0);
    }

    private static int inRange(String what, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(what + ": " + value + " (expected: 0 to " + max + ")");
        }
        return value;
    }

    private static SectionOffsets readOffsets(BinaryReader in, int body) {
        int annotations = in.number(Integer.MAX_VALUE) - 1;
        int properties = in.number(Integer.MAX_VALUE) - 1;
        int applicationProperties = in.number(Integer.MAX_VALUE) - 1;
        int bodyAt = in.number(Integer.MAX_VALUE) - 1;
        int footer = in.number(Integer.MAX_VALUE) - 1;
        int bodyKind = body == 0 ? 0 : BODY_KIND_BASE + body;
        return new SectionOffsets(annotations, properties, applicationProperties, bodyAt, footer, bodyKind);
    }

    private static void writeTexts(BinaryWriter out, List<String> texts) {
        out.varint(texts.size());
        for (String text : texts) {
            out.text(text);
        }
    }

    private static List<String> readTexts(BinaryReader in) {
        int count = in.count();
        if (count == 1) {
            return List.of(in.text());
        }
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(in.text());
        }
        return texts;
    }

    private static void writeDeaths(BinaryWriter out, List<Death> deaths, boolean withFailed) {
        out.varint(deaths.size());
        for (Death death : deaths) {
            out.text(death.queue()).text(death.reason());
            out.varint(inRange("death count", death.count(), Integer.MAX_VALUE));
            out.varint(death.firstMs()).varint(death.lastMs());
            out.text(death.exchange());
            writeTexts(out, death.keys());
            out.varint(death.ttlMs() + 1);
            if (withFailed) {
                out.varint(inRange("failed deliveries", death.failed(), Integer.MAX_VALUE));
            }
        }
    }

    private static List<Death> readDeaths(BinaryReader in, boolean withFailed) {
        int count = in.count();
        List<Death> deaths = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String queue = in.text();
            String reason = in.text();
            int times = in.number(Integer.MAX_VALUE);
            long firstMs = in.varint();
            long lastMs = in.varint();
            String exchange = in.text();
            List<String> keys = readTexts(in);
            long ttlMs = in.varint() - 1;
            int failed = withFailed ? in.number(Integer.MAX_VALUE) : 0;
            deaths.add(new Death(queue, reason, times, firstMs, lastMs, exchange, keys, ttlMs, failed));
        }
        return deaths;
    }
}
