package io.mainstem.jms.message;

import java.nio.ByteBuffer;
import org.apache.qpid.proton.amqp.messaging.Section;
import org.apache.qpid.proton.codec.AMQPDefinedTypes;
import org.apache.qpid.proton.codec.DecoderImpl;
import org.apache.qpid.proton.codec.EncoderImpl;
import org.apache.qpid.proton.codec.WritableBuffer;

/** The AMQP codec of one thread. Thread: the one that asked. */
final class SectionCodec {
    private static final ThreadLocal<SectionCodec> OF_THREAD = ThreadLocal.withInitial(SectionCodec::new);

    private final DecoderImpl decoder = new DecoderImpl();
    private final EncoderImpl encoder = new EncoderImpl(decoder);

    private SectionCodec() {
        AMQPDefinedTypes.registerAllTypes(decoder, encoder);
    }

    static void write(GrowingBuffer target, Section... sections) {
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
     * @param encoded one described or plain value; its position does not move
     * @throws RuntimeException of many kinds if it is malformed
     */
    static Object read(ByteBuffer encoded) {
        DecoderImpl decoder = OF_THREAD.get().decoder;
        decoder.setByteBuffer(encoded.duplicate());
        try {
            return decoder.readObject();
        } finally {
            decoder.setByteBuffer(null);
        }
    }
}
