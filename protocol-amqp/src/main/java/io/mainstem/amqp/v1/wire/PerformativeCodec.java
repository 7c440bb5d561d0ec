package io.mainstem.amqp.v1.wire;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.ByteBuffer;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.codec.AMQPDefinedTypes;
import org.apache.qpid.proton.codec.DecoderImpl;
import org.apache.qpid.proton.codec.EncoderImpl;
import org.jspecify.annotations.Nullable;

/**
 * proton-j's codec for all that is not read by hand. It checks nesting (at most 32 deep), sizes and counts against the
 * bytes there are [D-5]. One instance per thread: building one registers some sixty types.
 */
public final class PerformativeCodec {
    private static final int DECODE_DEPTH_MAX = 32;
    private static final int NULL = 0x40;
    private static final int ACCEPTED_CODE = 0x24;
    private static final int LIST_0 = 0x45;
    private static final FastThreadLocal<PerformativeCodec> OF_THREAD = new FastThreadLocal<>() {
        @Override
        protected PerformativeCodec initialValue() {
            return new PerformativeCodec();
        }
    };

    private final DecoderImpl decoder = new DecoderImpl();
    private final EncoderImpl encoder = new EncoderImpl(decoder);
    private final ValueBounds bounds = new ValueBounds();
    private final NettyWritableBuffer output = new NettyWritableBuffer();

    private PerformativeCodec() {
        AMQPDefinedTypes.registerAllTypes(decoder, encoder);
        decoder.setMaxDecodeDepth(DECODE_DEPTH_MAX);
        encoder.setByteBuffer(output);
    }

    /** The calling thread's codec. */
    public static PerformativeCodec ofThread() {
        return OF_THREAD.get();
    }

    /**
     * Reads one value that a peer has sent, within the bounds of {@link ValueBounds}.
     *
     * @param in reader index is moved after the value
     * @param end index that must not be passed
     * @throws AmqpException decode-error or resource-limit-exceeded for the connection
     */
    public @Nullable Object read(ByteBuf in, int end) {
        bounds.check(in, in.readerIndex(), end);
        return decode(in, end);
    }

    /** Reads one value of any size, of somebody who is trusted. */
    public @Nullable Object readTrusted(ByteBuf in, int end) {
        return decode(in, end);
    }

    private @Nullable Object decode(ByteBuf in, int end) {
        ByteBuffer bytes = in.nioBuffer(in.readerIndex(), end - in.readerIndex());
        decoder.setByteBuffer(bytes);
        try {
            Object value = decoder.readObject();
            in.readerIndex(end - bytes.remaining());
            return value;
        } catch (RuntimeException malformed) {
            throw AmqpException.connection(AmqpError.DECODE_ERROR, "malformed AMQP data: " + malformed.getMessage());
        } finally {
            decoder.setByteBuffer(null);
        }
    }

    /** Reads a delivery state or null; {@code accepted} takes no detour. */
    @Nullable
    DeliveryState readDeliveryState(ByteBuf in, int end) {
        int at = in.readerIndex();
        if (end - at >= 1 && in.getUnsignedByte(at) == NULL) {
            in.skipBytes(1);
            return null;
        }
        if (end - at >= 4
                && in.getUnsignedByte(at + 2) == ACCEPTED_CODE
                && in.getUnsignedByte(at + 3) == LIST_0
                && in.getUnsignedShort(at) == 0x0053) {
            in.skipBytes(4);
            return Accepted.getInstance();
        }
        Object value = read(in, end);
        if (value instanceof DeliveryState deliveryState) {
            return deliveryState;
        }
        throw AmqpException.connection(AmqpError.DECODE_ERROR, "field is no delivery state");
    }

    /** Moves over one value. */
    void skip(ByteBuf in, int end) {
        read(in, end);
    }

    /** Appends one value. */
    public void write(Object value, ByteBuf out) {
        output.wrap(out);
        encoder.writeObject(value);
    }
}
