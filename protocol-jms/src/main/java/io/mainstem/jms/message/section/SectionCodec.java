package io.mainstem.jms.message.section;

import io.mainstem.jms.message.value.MessageErrors;
import jakarta.jms.MessageFormatException;
import java.nio.ByteBuffer;
import org.apache.qpid.proton.amqp.messaging.Section;
import org.apache.qpid.proton.codec.AMQPDefinedTypes;
import org.apache.qpid.proton.codec.DecoderImpl;
import org.apache.qpid.proton.codec.EncoderImpl;
import org.apache.qpid.proton.codec.WritableBuffer;

/** The AMQP codec of one thread. Thread: the one that asked. */
public final class SectionCodec {
    private static final ThreadLocal<SectionCodec> OF_THREAD = ThreadLocal.withInitial(SectionCodec::new);

    private final DecoderImpl decoder = new DecoderImpl();
    private final EncoderImpl encoder = new EncoderImpl(decoder);

    private SectionCodec() {
        AMQPDefinedTypes.registerAllTypes(decoder, encoder);
    }

    public static void write(GrowingBuffer target, Section... sections) {
        EncoderImpl encoder = OF_THREAD.get().encoder;
        encoder.setByteBuffer(target);
        try {
            for (Section section : sections) {
                encoder.writeObject(section);
            }
        } finally {
            encoder.setByteBuffer((WritableBuffer) null);
        }
    }

    /**
     * Reads a section.
     *
     * @param name for the message
     * @throws MessageFormatException if it is malformed, or another
     */
    public static <T> T read(ByteBuffer section, Class<T> type, String name) throws MessageFormatException {
        try {
            return type.cast(read(section));
        } catch (RuntimeException malformed) {
            throw MessageErrors.malformed(name, malformed);
        }
    }

    /**
     * @param encoded one described or plain value; its position does not move
     * @throws RuntimeException of many kinds if it is malformed
     */
    private static Object read(ByteBuffer encoded) {
        DecoderImpl decoder = OF_THREAD.get().decoder;
        decoder.setByteBuffer(encoded.duplicate());
        try {
            return decoder.readObject();
        } finally {
            decoder.setByteBuffer(null);
        }
    }
}
