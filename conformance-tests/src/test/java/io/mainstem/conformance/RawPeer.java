package io.mainstem.conformance;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.codec.AMQPDefinedTypes;
import org.apache.qpid.proton.codec.DecoderImpl;
import org.apache.qpid.proton.codec.EncoderImpl;

/** A connection on which every byte is the test's own. Thread: one. */
final class RawPeer implements AutoCloseable {
    /** Without a SASL layer. */
    static final byte[] AMQP_HEADER = {'A', 'M', 'Q', 'P', 0, 1, 0, 0};

    static final byte[] SASL_HEADER = {'A', 'M', 'Q', 'P', 3, 1, 0, 0};

    private static final int WAIT_MS = 60_000;
    private static final int PERFORMATIVE_BYTES_MAX = 8192;

    private final Socket socket = new Socket();
    private final DataInputStream in;
    private final DecoderImpl decoder = new DecoderImpl();
    private final EncoderImpl encoder = new EncoderImpl(decoder);

    RawPeer(BrokerAddress broker) throws IOException {
        AMQPDefinedTypes.registerAllTypes(decoder, encoder);
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(broker.host(), broker.port()), WAIT_MS);
        socket.setSoTimeout(WAIT_MS);
        in = new DataInputStream(socket.getInputStream());
    }

    /** Writes bytes; a broker that has closed the connection already is no error here. */
    void send(byte[] bytes) throws IOException {
        try {
            socket.getOutputStream().write(bytes);
        } catch (SocketException e) {
            // Reading will tell how the connection ended.
        }
    }

    void send(String hex) throws IOException {
        send(HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    /** Header and open, both ways; gives the broker's open. */
    Open open() throws IOException {
        Open open = new Open();
        open.setContainerId("raw");
        return open(open);
    }

    Open open(Open open) throws IOException {
        send(AMQP_HEADER);
        readHeader();
        send(frame(0, open, new byte[0]));
        return (Open) read();
    }

    /** An AMQP frame. */
    byte[] frame(int channel, Object performative, byte[] payload) {
        byte[] body = encode(performative);
        byte[] both = Arrays.copyOf(body, body.length + payload.length);
        System.arraycopy(payload, 0, both, body.length, payload.length);
        return frame(channel, both);
    }

    /** A SASL frame. */
    byte[] saslFrame(Object body) {
        byte[] frame = frame(0, encode(body));
        frame[5] = 1;
        return frame;
    }

    private byte[] encode(Object performative) {
        ByteBuffer body = ByteBuffer.allocate(PERFORMATIVE_BYTES_MAX);
        encoder.setByteBuffer(body);
        encoder.writeObject(performative);
        return Arrays.copyOf(body.array(), body.position());
    }

    /** An AMQP frame with any body. */
    static byte[] frame(int channel, byte[] body) {
        return ByteBuffer.allocate(8 + body.length)
                .putInt(8 + body.length)
                .put((byte) 2)
                .put((byte) 0)
                .putShort((short) channel)
                .put(body)
                .array();
    }

    /** The next eight bytes as text. */
    String readHeader() throws IOException {
        return new String(in.readNBytes(8), StandardCharsets.ISO_8859_1);
    }

    /**
     * The performative of the next frame; {@link Heartbeat} for an empty one, {@link Closed} if the broker has ended
     * the connection.
     */
    Object read() throws IOException {
        try {
            int size = in.readInt();
            int doff = in.readUnsignedByte();
            in.skipNBytes(doff * 4L - 5);
            byte[] body = in.readNBytes(size - doff * 4);
            if (body.length == 0) {
                return Heartbeat.HEARTBEAT;
            }
            decoder.setByteBuffer(ByteBuffer.wrap(body));
            return decoder.readObject();
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the broker neither answered nor closed within " + WAIT_MS + " ms", e);
        } catch (EOFException | SocketException e) {
            return Closed.CLOSED;
        }
    }

    /** Reads until a performative of this type; fails if the connection ends before. */
    <T> T readUntil(Class<T> type) throws IOException {
        Object next = read();
        while (!type.isInstance(next)) {
            if (next == Closed.CLOSED) {
                throw new AssertionError("the connection ended before " + type.getSimpleName());
            }
            next = read();
        }
        return type.cast(next);
    }

    /** All that comes until the broker ends the connection, as bytes. */
    byte[] readToEnd() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try {
            in.transferTo(all);
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the broker did not close within " + WAIT_MS + " ms", e);
        } catch (SocketException e) {
            // A reset is an end too.
        }
        return all.toByteArray();
    }

    /** Begins a session on channel 0. */
    void begin(Begin begin) throws IOException {
        send(frame(0, begin, new byte[0]));
        readUntil(Begin.class);
    }

    /** Attaches a link; gives the broker's attach. */
    Attach attach(Attach attach) throws IOException {
        send(frame(0, attach, new byte[0]));
        return readUntil(Attach.class);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** An empty frame. */
    enum Heartbeat {
        HEARTBEAT
    }

    /** The end of the connection. */
    enum Closed {
        CLOSED
    }
}
