package io.mainstem.transport.websocket;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;

/** A socket that is a WebSocket: each write is a binary frame, and reads are what the server's frames have. Thread: one. */
public final class WebSocketSocket extends Socket {
    private static final int BINARY = 0x82;
    private static final int CLOSE = 0x88;
    private static final int KEY = 0x5A01_FF80;

    private final InputStream unframed = new Unframed();
    private final OutputStream framed = new Framed();
    private final DataInputStream in;
    private int closeStatus;

    /** @param receiveBytes of the socket's buffer; 0 = as usual */
    public WebSocketSocket(InetSocketAddress address, String subprotocol, int receiveBytes) throws IOException {
        if (receiveBytes > 0) {
            setReceiveBufferSize(receiveBytes);
        }
        connect(address);
        in = new DataInputStream(super.getInputStream());
        raw().write(WebSocketBytes.upgrade(subprotocol).getBytes(US_ASCII));
        StringBuilder answer = new StringBuilder();
        while (!answer.toString().endsWith("\r\n\r\n")) {
            answer.append((char) in.readUnsignedByte());
        }
        if (!answer.toString().startsWith("HTTP/1.1 101 ")) {
            throw new IOException(answer.toString());
        }
    }

    private OutputStream raw() throws IOException {
        return super.getOutputStream();
    }

    /** Bytes as they are, frames or not. */
    public void writeRaw(byte[] bytes) throws IOException {
        raw().write(bytes);
    }

    /** Status of the close frame that has come, 0 if none has. */
    public int closeStatus() {
        return closeStatus;
    }

    @Override
    public InputStream getInputStream() {
        return unframed;
    }

    @Override
    public OutputStream getOutputStream() {
        return framed;
    }

    private final class Framed extends OutputStream {
        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            raw().write(WebSocketBytes.frame(BINARY, Arrays.copyOfRange(bytes, offset, offset + length), KEY));
        }
    }

    private final class Unframed extends InputStream {
        private long left;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            while (left == 0) {
                if (!nextFrame()) {
                    return -1;
                }
            }
            int count = in.read(bytes, offset, (int) Math.min(length, left));
            left -= count;
            return count;
        }

        @Override
        public int available() throws IOException {
            return (int) Math.min(left, in.available());
        }

        private boolean nextFrame() throws IOException {
            try {
                int first = in.readUnsignedByte();
                left = in.readUnsignedByte();
                left = left == 126 ? in.readUnsignedShort() : left == 127 ? in.readLong() : left;
                if (first == CLOSE) {
                    if (closeStatus != 0) {
                        throw new AssertionError("a second close frame");
                    }
                    closeStatus = left == 0 ? -1 : in.readUnsignedShort();
                    left = 0;
                    writeRaw(WebSocketBytes.frame(CLOSE, new byte[0], KEY));
                    return nextFrame();
                }
                if (first != BINARY) {
                    throw new AssertionError("a frame that begins with " + Integer.toHexString(first));
                }
                return true;
            } catch (EOFException end) {
                return false;
            }
        }
    }
}
