package io.mainstem.launcher.admin;

import io.mainstem.amqp.v1.wire.FrameReader;
import io.mainstem.amqp.v1.wire.FrameWriter;
import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** AMQP 1.0 frames over a blocking socket. Thread: one. */
final class FrameSocket implements AutoCloseable {
    private static final byte[] AMQP = {'A', 'M', 'Q', 'P', 0, 1, 0, 0};
    private static final byte[] SASL = {'A', 'M', 'Q', 'P', 3, 1, 0, 0};
    private static final int FRAME_BYTES_MIN = 8;
    private static final int FRAME_BYTES_MAX = 16 << 20;

    private final Socket socket;
    private final DataInputStream in;
    private final FrameWriter writer = new FrameWriter();

    /** What came. */
    record Frame(Object body, ByteBuf payload) {}

    /**
     * @param tls for a connection that is encrypted, to a broker whose certificate is for this host; null = none
     * @throws javax.net.ssl.SSLException if the broker's certificate is not trusted, or is for another host
     */
    FrameSocket(String host, int port, @Nullable SSLSocketFactory tls, int timeoutMs) throws IOException {
        Socket plain = new Socket();
        plain.connect(new InetSocketAddress(host, port), timeoutMs);
        plain.setSoTimeout(timeoutMs);
        plain.setTcpNoDelay(true);
        socket = tls == null ? plain : encrypted(tls, plain, host, port);
        in = new DataInputStream(socket.getInputStream());
    }

    private static Socket encrypted(SSLSocketFactory tls, Socket plain, String host, int port) throws IOException {
        SSLSocket socket = (SSLSocket) tls.createSocket(plain, host, port, true);
        try {
            SSLParameters parameters = socket.getSSLParameters();
            // Without it, any certificate of a trusted authority will do, whoever it was issued to (RFC 2818, 3.1).
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Nobody on the way can read what is sent: it is encrypted, or does not leave this machine. */
    boolean isPrivate() {
        return socket instanceof SSLSocket || socket.getInetAddress().isLoopbackAddress();
    }

    /** Agrees on a layer; the peer must want the same. */
    void header(boolean sasl) throws IOException {
        byte[] wanted = sasl ? SASL : AMQP;
        socket.getOutputStream().write(wanted);
        byte[] found = in.readNBytes(wanted.length);
        if (found.length < wanted.length) {
            throw new EOFException(
                    found.length == 0
                            ? "it ended the connection without a word"
                            : "it ended the connection after " + found.length
                                    + " bytes, before it said what it speaks");
        }
        if (!Arrays.equals(wanted, found)) {
            throw new IOException("it answers " + ByteBufUtil.hexDump(found) + ", which is not AMQP 1.0");
        }
    }

    void send(boolean sasl, Object performative, byte... payload) throws IOException {
        ByteBuf out = Unpooled.buffer();
        writer.write(out, sasl ? FrameReader.SASL : FrameReader.AMQP, 0, performative);
        out.writeBytes(payload);
        writer.end(out, 0);
        socket.getOutputStream().write(ByteBufUtil.getBytes(out));
    }

    /** The next frame that is no heartbeat. */
    Frame read() throws IOException {
        while (true) {
            int size = size();
            if (size < FRAME_BYTES_MIN || size > FRAME_BYTES_MAX) {
                throw new IOException("frame of " + size + " bytes");
            }
            ByteBuf frame = Unpooled.wrappedBuffer(in.readNBytes(size - Integer.BYTES));
            if (frame.readableBytes() < size - Integer.BYTES) {
                throw new EOFException("the connection ended within a frame");
            }
            frame.skipBytes((frame.getUnsignedByte(0) - 1) * Integer.BYTES);
            if (frame.isReadable()) {
                @Nullable Object body = PerformativeCodec.ofThread().read(frame, frame.writerIndex());
                if (body == null) {
                    throw new IOException("frame without performative");
                }
                return new Frame(body, frame);
            }
        }
    }

    private int size() throws IOException {
        try {
            return in.readInt();
        } catch (EOFException ended) {
            EOFException said = new EOFException("it ended the connection without saying why");
            said.initCause(ended);
            throw said;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
