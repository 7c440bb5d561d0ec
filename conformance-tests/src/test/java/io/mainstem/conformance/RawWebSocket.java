package io.mainstem.conformance;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** A WebSocket client (RFC 6455) that sends the frames it is told and shows those that come. Thread: one. */
final class RawWebSocket implements AutoCloseable {
    static final int TEXT = 1;
    static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int WAIT_MS = 60_000;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final String answer;

    /** @param subprotocols as in the header that offers them */
    RawWebSocket(InetSocketAddress address, String subprotocols) throws IOException {
        socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(WAIT_MS);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
        out.write(("GET /mqtt HTTP/1.1\r\nHost: " + address.getHostString() + ":" + address.getPort()
                        + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: " + subprotocols
                        + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
            head.write(in.readUnsignedByte());
        }
        answer = head.toString(StandardCharsets.US_ASCII);
    }

    /** Status line and headers of the server. */
    String answer() {
        return answer;
    }

    /** One whole frame, masked as a client has to. */
    void send(int opcode, byte[] payload) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.write(0x80 | opcode);
        frame.write(0x80 | payload.length);
        byte[] mask = {1, 2, 3, 4};
        frame.writeBytes(mask);
        for (int i = 0; i < payload.length; i++) {
            frame.write(payload[i] ^ mask[i % 4]);
        }
        out.write(frame.toByteArray());
        out.flush();
    }

    /** At least so many bytes of binary frames, one behind the other. */
    byte[] receive(int bytes) throws IOException {
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        while (received.size() < bytes) {
            int first = in.readUnsignedByte();
            if (first != (0x80 | BINARY)) {
                throw new AssertionError("expected a binary frame, received 0x" + Integer.toHexString(first));
            }
            int length = in.readUnsignedByte();
            byte[] payload = new byte[length == 126 ? in.readUnsignedShort() : length];
            in.readFully(payload);
            received.writeBytes(payload);
        }
        return received.toByteArray();
    }

    /** Expects the end of the connection, after a close frame at most. */
    void expectClosed() throws IOException {
        try {
            int first = in.readUnsignedByte();
            if (first != (0x80 | CLOSE)) {
                throw new AssertionError("expected the end, received 0x" + Integer.toHexString(first));
            }
            in.readFully(new byte[in.readUnsignedByte()]);
            if (in.read() >= 0) {
                throw new AssertionError("expected the end behind the close frame");
            }
        } catch (EOFException | SocketException ended) {
            // As it should be.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
