package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.management.Request;
import io.mainstem.amqp.v1.management.Response;
import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.MalformedMessageException;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.SectionScanner;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.ApplicationProperties;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.jspecify.annotations.Nullable;

/** Requests and responses of the management node as messages [mapping 5.3]. Thread: the connection's event loop. */
final class ManagementMessages {
    private static final String REPLY_TO = "$me";
    private static final int REQUEST_BYTES_MAX = 1 << 20;
    private static final int PIECE_BYTES_MAX = 1 << 20;
    private static final ApplicationProperties VERSION = new ApplicationProperties(Map.of("http:response", "1.1"));

    private ManagementMessages() {}

    /**
     * A request and what its response has to bear.
     *
     * @param messageId of any type the standard allows
     */
    record Correlated(Request request, Object messageId) {}

    /** @throws AmqpException for the link, if there is no way to answer it */
    static Correlated decode(List<byte[]> payload) {
        ByteBuf in = Unpooled.wrappedBuffer(payload.toArray(byte[][]::new));
        if (in.readableBytes() > REQUEST_BYTES_MAX) {
            throw AmqpException.link(
                    AmqpError.INVALID_FIELD,
                    "MS-0543 request of " + in.readableBytes() + " bytes (expected: at most " + REQUEST_BYTES_MAX
                            + ")");
        }
        try {
            SectionScanner.scan(payload);
        } catch (MalformedMessageException malformed) {
            throw AmqpException.link(AmqpError.DECODE_ERROR, String.valueOf(malformed.getMessage()));
        }
        try {
            return decode(in);
        } catch (AmqpException tooMuch) {
            throw AmqpException.link(tooMuch.condition(), String.valueOf(tooMuch.getMessage()));
        }
    }

    private static Correlated decode(ByteBuf in) {
        Properties properties = null;
        Object body = null;
        while (in.isReadable()) {
            Object section = PerformativeCodec.ofThread().read(in, in.writerIndex());
            if (section instanceof Properties found) {
                properties = found;
            } else if (section instanceof AmqpValue value) {
                body = value.getValue();
            }
        }
        return correlated(properties, body);
    }

    private static Correlated correlated(@Nullable Properties properties, @Nullable Object body) {
        if (properties == null
                || properties.getMessageId() == null
                || properties.getTo() == null
                || properties.getSubject() == null
                || !REPLY_TO.equals(properties.getReplyTo())) {
            throw AmqpException.link(
                    AmqpError.INVALID_FIELD,
                    "MS-0543 request cannot be answered (expected: properties message-id, to = path, subject = method,"
                            + " reply-to = " + REPLY_TO + ")");
        }
        return new Correlated(
                new Request(properties.getSubject(), properties.getTo(), body), properties.getMessageId());
    }

    static Message encode(Response response, Object requestId, long nowMs) {
        Properties properties = new Properties();
        properties.setCorrelationId(requestId);
        properties.setSubject(Integer.toString(response.status()));
        ByteBuf out = Unpooled.buffer();
        PerformativeCodec codec = PerformativeCodec.ofThread();
        codec.write(properties, out);
        codec.write(VERSION, out);
        codec.write(new AmqpValue(response.body()), out);
        List<byte[]> sections = pieces(out);
        Envelope envelope = new Envelope(
                "",
                List.of(""),
                false,
                -1,
                nowMs,
                -1,
                0,
                0,
                "",
                null,
                Envelope.Origin.BROKER,
                0,
                false,
                SectionScanner.scan(sections).offsets(),
                List.of());
        return new Message(envelope, sections);
    }

    private static List<byte[]> pieces(ByteBuf bytes) {
        List<byte[]> pieces = new ArrayList<>(1);
        while (bytes.isReadable()) {
            byte[] piece = new byte[Math.min(bytes.readableBytes(), PIECE_BYTES_MAX)];
            bytes.readBytes(piece);
            pieces.add(piece);
        }
        return pieces;
    }
}
