package io.mainstem.jms.amqp;

import io.mainstem.jms.message.EncodedMessage;
import java.nio.ByteBuffer;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.DeliveryAnnotations;
import org.apache.qpid.proton.amqp.messaging.Header;
import org.apache.qpid.proton.codec.AMQPDefinedTypes;
import org.apache.qpid.proton.codec.DecodeException;
import org.apache.qpid.proton.codec.DecoderImpl;
import org.apache.qpid.proton.codec.EncoderImpl;

/**
 * The header, which goes before the sections of a message, written by hand and read by the codec. Thread: the codec is
 * one for each thread.
 */
final class HeaderSection {
    private static final int PRIORITY_DEFAULT = 4;
    private static final Symbol UNSEEN = Symbol.valueOf("x-opt-unseen");
    private static final byte[] DESCRIPTOR = {0x00, 0x53, 0x70};
    private static final int HEADER_BYTES_MAX = 16;

    private static final ThreadLocal<DecoderImpl> DECODER = ThreadLocal.withInitial(() -> {
        DecoderImpl decoder = new DecoderImpl();
        AMQPDefinedTypes.registerAllTypes(decoder, new EncoderImpl(decoder));
        return decoder;
    });

    private HeaderSection() {}

    /** Header and sections in one array: what a transfer carries. */
    static ByteBuffer prepend(EncodedMessage message) {
        ByteBuffer whole = ByteBuffer.allocate(HEADER_BYTES_MAX + message.bytes());
        whole.put(DESCRIPTOR);
        whole.put((byte) 0xC0);
        int sizeAt = whole.position();
        whole.put((byte) 0);
        boolean ttl = message.ttlMs() > 0;
        boolean priority = ttl || message.priority() != PRIORITY_DEFAULT;
        whole.put((byte) (ttl ? 3 : priority ? 2 : 1));
        whole.put((byte) (message.durable() ? 0x41 : 0x42));
        if (priority) {
            whole.put((byte) 0x50).put((byte) message.priority());
        }
        if (ttl) {
            whole.put((byte) 0x70).putInt((int) message.ttlMs());
        }
        whole.put(sizeAt, (byte) (whole.position() - sizeAt - 1));
        whole.put(message.sections());
        return whole.flip();
    }

    /**
     * Takes header and delivery annotations off.
     *
     * @throws DecodeException if the bytes do not begin with sections
     */
    static Parsed parse(ByteBuffer bytes) {
        DecoderImpl decoder = DECODER.get();
        decoder.setByteBuffer(bytes);
        Header header = null;
        boolean unseen = false;
        try {
            if (sectionIs(bytes, 0x70)) {
                header = decoder.readObject() instanceof Header found ? found : null;
            }
            if (sectionIs(bytes, 0x71)) {
                if (!(decoder.readObject() instanceof DeliveryAnnotations annotations)) {
                    throw new DecodeException("delivery-annotations expected");
                }
                unseen = annotations.getValue() != null
                        && Boolean.TRUE.equals(annotations.getValue().get(UNSEEN));
            }
        } finally {
            decoder.setByteBuffer(null);
        }
        boolean durable = header != null && Boolean.TRUE.equals(header.getDurable());
        int priority = header == null || header.getPriority() == null
                ? PRIORITY_DEFAULT
                : header.getPriority().intValue();
        long ttl =
                header == null || header.getTtl() == null ? 0 : header.getTtl().longValue();
        int failures = header == null || header.getDeliveryCount() == null
                ? 0
                : (int) Math.min(
                        Integer.MAX_VALUE - 1, header.getDeliveryCount().longValue());
        // A broker that leaves the field out says nothing, whatever its default is.
        boolean acquired = header != null && Boolean.FALSE.equals(header.getFirstAcquirer());
        return new Parsed(
                new EncodedMessage(durable, priority, ttl, bytes.slice()),
                failures,
                failures > 0 || (acquired && !unseen));
    }

    /** A section begins with a small or a large number; the symbolic form is left to the codec of the message. */
    private static boolean sectionIs(ByteBuffer bytes, int code) {
        int at = bytes.position();
        if (bytes.remaining() < 3 || bytes.get(at) != 0) {
            return false;
        }
        if (bytes.get(at + 1) == 0x53) {
            return (bytes.get(at + 2) & 0xFF) == code;
        }
        return bytes.get(at + 1) == (byte) 0x80 && bytes.remaining() >= 10 && bytes.getLong(at + 2) == code;
    }

    /**
     * A message without its header.
     *
     * @param failures the header's delivery-count
     * @param maybeSeen an application may have had it before
     */
    record Parsed(EncodedMessage message, int failures, boolean maybeSeen) {}
}
