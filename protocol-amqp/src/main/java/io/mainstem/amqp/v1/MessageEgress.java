package io.mainstem.amqp.v1;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.message.BrokerAnnotations;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.SectionOffsets;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The payload of one delivery on its way out: a header made of the envelope, message-annotations with where the message
 * was published, and the other sections as they are stored. Can be taken in parts, for frames smaller than the
 * message. One instance per link, reused. Thread: the connection's event loop.
 */
final class MessageEgress {
    /** Fixed part of a message-annotations section: descriptor, map32 code, size and count. */
    private static final int ANNOTATIONS_OVERHEAD = 12;

    private static final int HEADER_BYTES_MAX = 24;
    /** No more bytes than this come before the first entry: the longest descriptor and a map32's sizes. */
    private static final int ENTRIES_OFFSET_MAX = 48;

    /** Delivery-annotations: x-opt-unseen is true. */
    private static final byte[] UNSEEN = unseen();

    private static final long UINT_MAX = 0xffffffffL;
    private static final byte[] EXCHANGE_KEY = "x-exchange".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ROUTING_KEY_KEY = "x-routing-key".getBytes(StandardCharsets.US_ASCII);

    private final InstantSource clock;
    private List<byte[]> sections = List.of();
    private Delivery delivery;
    private int prefixBytesMax;
    private boolean prefixDone;
    private boolean annotate;
    /** A whole new annotations section, for messages whose annotations are more than an address; else null. */
    private byte @Nullable [] rewritten;
    /** Where the stored annotations' entries lie in the first piece, and how many keys and values they are. */
    private int entriesFrom;

    private int entriesTo;
    private int entriesCount;
    private int piece;
    private int offset;
    private long left;

    private String lastExchange = "";
    private String lastKey = "";
    private byte[] lastAddress = encodeAddress("", "");

    MessageEgress(InstantSource clock, Delivery first) {
        this.clock = clock;
        this.delivery = first;
    }

    /**
     * Starts with another delivery.
     *
     * @param room payload bytes of a frame; annotations that do not fit the first frame stay as they are stored
     */
    void begin(Delivery next, int room) {
        delivery = next;
        Message message = next.message();
        sections = headInOnePiece(message.sections());
        left = message.sectionBytes();
        piece = 0;
        offset = 0;
        prefixDone = false;
        rewritten = message.envelope().deaths().isEmpty() ? null : withDeaths(message);
        findAnnotations(message.envelope().offsets());
        int own = rewritten == null ? entriesTo - entriesFrom + address().length : rewritten.length;
        prefixBytesMax = HEADER_BYTES_MAX + ANNOTATIONS_OVERHEAD + own;
        annotate = entriesTo <= firstPieceBytes() && prefixBytesMax <= room;
        if (!annotate) {
            prefixBytesMax = HEADER_BYTES_MAX;
        }
        prefixBytesMax += next.unseen() ? UNSEEN.length : 0;
    }

    /** A message may be cut anywhere; then its first pieces become one, as far as the head of its first section goes. */
    private static List<byte[]> headInOnePiece(List<byte[]> stored) {
        List<byte[]> pieces = stored;
        while (pieces.size() > 1 && pieces.get(0).length < ENTRIES_OFFSET_MAX) {
            byte[] first = pieces.get(0);
            byte[] second = pieces.get(1);
            byte[] both = Arrays.copyOf(first, first.length + second.length);
            System.arraycopy(second, 0, both, first.length, second.length);
            List<byte[]> joined = new ArrayList<>(pieces.size() - 1);
            joined.add(both);
            joined.addAll(pieces.subList(2, pieces.size()));
            pieces = joined;
        }
        return pieces;
    }

    /** No more bytes than this remain. */
    long remainingMax() {
        return left + (prefixDone ? 0 : prefixBytesMax);
    }

    boolean isDone() {
        return prefixDone && left == 0;
    }

    /** Appends up to {@code room} bytes, the same room as in {@link #begin} or less if that is enough for all. */
    void write(ByteBuf out, int room) {
        int free = room;
        if (!prefixDone) {
            int from = out.writerIndex();
            writeHeader(out);
            if (annotate) {
                writeAnnotations(out);
            }
            prefixDone = true;
            free -= out.writerIndex() - from;
        }
        while (free > 0 && left > 0) {
            byte[] bytes = sections.get(piece);
            int part = Math.min(free, bytes.length - offset);
            out.writeBytes(bytes, offset, part);
            offset += part;
            left -= part;
            free -= part;
            if (offset == bytes.length) {
                piece++;
                offset = 0;
            }
        }
    }

    private static byte[] unseen() {
        byte[] key = "x-opt-unseen".getBytes(StandardCharsets.US_ASCII);
        byte[] section = new byte[key.length + 9];
        byte[] head = {0x00, 0x53, 0x71, (byte) 0xc1, (byte) (key.length + 4), 2, (byte) 0xa3, (byte) key.length};
        System.arraycopy(head, 0, section, 0, head.length);
        System.arraycopy(key, 0, section, head.length, key.length);
        section[section.length - 1] = 0x41;
        return section;
    }

    private void writeHeader(ByteBuf out) {
        Envelope envelope = delivery.message().envelope();
        out.writeMedium(0x005370);
        out.writeByte(0xc0);
        int list = out.writerIndex();
        out.writeShort(0x0005);
        out.writeByte(envelope.durable() ? 0x41 : 0x42);
        if (envelope.priority() < 0) {
            out.writeByte(0x40);
        } else {
            out.writeShort(0x50 << 8 | envelope.priority());
        }
        long ttl = envelope.expireAtMs() == 0 ? -1 : Math.max(1, envelope.expireAtMs() - clock.millis());
        if (ttl < 0 || ttl > UINT_MAX) {
            out.writeByte(0x40);
        } else {
            out.writeByte(0x70);
            out.writeInt((int) ttl);
        }
        boolean firstAcquirer = !delivery.acquired() && envelope.deaths().isEmpty();
        out.writeByte(firstAcquirer ? 0x41 : 0x42);
        int failed = delivery.failed() + envelope.failedBefore();
        if (failed == 0) {
            out.writeByte(0x43);
        } else {
            out.writeByte(0x70);
            out.writeInt(failed);
        }
        out.setByte(list, out.writerIndex() - list - 1);
        if (delivery.unseen()) {
            out.writeBytes(UNSEEN);
        }
    }

    private void writeAnnotations(ByteBuf out) {
        byte[] whole = rewritten;
        if (whole != null) {
            out.writeBytes(whole);
        } else {
            writeExtended(out);
        }
        // The stored section has been written as part of the new one.
        int stored = entriesTo;
        offset = stored;
        left -= stored;
        if (stored > 0 && stored == sections.get(0).length) {
            piece = 1;
            offset = 0;
        }
    }

    private void writeExtended(ByteBuf out) {
        byte[] address = address();
        int entries = entriesTo - entriesFrom;
        out.writeMedium(0x005372);
        out.writeByte(0xd1);
        out.writeInt(4 + entries + address.length);
        out.writeInt(entriesCount + 4);
        if (entries > 0) {
            out.writeBytes(sections.get(0), entriesFrom, entries);
        }
        out.writeBytes(address);
    }

    /** [T-3]: a message that was dead-lettered tells its history. */
    private static byte[] withDeaths(Message message) {
        Envelope envelope = message.envelope();
        return BrokerAnnotations.encode(
                message.sections(),
                envelope.offsets(),
                Map.of(
                        "x-exchange", envelope.exchange(),
                        "x-routing-key", envelope.routingKey(),
                        "x-opt-deaths", BrokerAnnotations.deaths(envelope.deaths())));
    }

    /** Finds the entries of stored annotations; a section that is larger than a piece stays where it is. */
    private void findAnnotations(SectionOffsets offsets) {
        entriesFrom = 0;
        entriesTo = 0;
        entriesCount = 0;
        if (offsets.messageAnnotations() != 0 || sections.isEmpty()) {
            return;
        }
        byte[] first = sections.get(0);
        int map = switch (first[1] & 0xff) {
            case 0x53 -> 3;
            case 0x80 -> 10;
            case 0xa3 -> 3 + (first[2] & 0xff);
            default -> 6 + i32(first, 2);
        };
        boolean wide = (first[map] & 0xff) == 0xd1;
        int size = wide ? i32(first, map + 1) : first[map + 1] & 0xff;
        int end = map + (wide ? 5 : 2) + size;
        entriesCount = wide ? i32(first, map + 5) : first[map + 2] & 0xff;
        entriesFrom = map + (wide ? 9 : 3);
        entriesTo = end;
    }

    private int firstPieceBytes() {
        return sections.isEmpty() ? 0 : sections.get(0).length;
    }

    private static int i32(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | (bytes[at + 3] & 0xff);
    }

    /** Entries that say where the message was published; the same for most messages of a link. */
    private byte[] address() {
        Envelope envelope = delivery.message().envelope();
        String exchange = envelope.exchange();
        String key = envelope.routingKey();
        if (!exchange.equals(lastExchange) || !key.equals(lastKey)) {
            lastExchange = exchange;
            lastKey = key;
            lastAddress = encodeAddress(exchange, key);
        }
        return lastAddress;
    }

    private static byte[] encodeAddress(String exchange, String key) {
        ByteBuf out = Unpooled.buffer();
        symbol(out, EXCHANGE_KEY);
        string(out, exchange);
        symbol(out, ROUTING_KEY_KEY);
        string(out, key);
        return ByteBufUtil.getBytes(out);
    }

    private static void symbol(ByteBuf out, byte[] name) {
        out.writeShort(0xa3 << 8 | name.length);
        out.writeBytes(name);
    }

    private static void string(ByteBuf out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length < 256) {
            out.writeShort(0xa1 << 8 | utf8.length);
        } else {
            out.writeByte(0xb1);
            out.writeInt(utf8.length);
        }
        out.writeBytes(utf8);
    }
}
