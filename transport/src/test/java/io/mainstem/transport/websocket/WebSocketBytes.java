package io.mainstem.transport.websocket;

import java.nio.ByteBuffer;

/** Frames as clients send them. */
public final class WebSocketBytes {
    private WebSocketBytes() {}

    /** @param first byte of the header */
    public static byte[] frame(int first, byte[] payload, int key) {
        return header(first, payload.length, key, payload);
    }

    /** A frame of a length, and the first bytes of it. */
    public static byte[] header(int first, long length, int key, byte[] begin) {
        ByteBuffer frame = ByteBuffer.allocate(14 + begin.length);
        frame.put((byte) first);
        if (length < 126) {
            frame.put((byte) (0x80 | length));
        } else if (length < 1 << 16) {
            frame.put((byte) 0xFE).putShort((short) length);
        } else {
            frame.put((byte) 0xFF).putLong(length);
        }
        frame.putInt(key);
        for (int i = 0; i < begin.length; i++) {
            frame.put((byte) (begin[i] ^ (key >> (24 - 8 * (i % 4)))));
        }
        byte[] bytes = new byte[frame.position()];
        frame.flip();
        frame.get(bytes);
        return bytes;
    }

    /** A request that makes a connection a WebSocket. */
    public static String upgrade(String subprotocol) {
        return "GET / HTTP/1.1\r\n"
                + "Host: 127.0.0.1\r\n"
                + "Upgrade: websocket\r\n"
                + "Connection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Protocol: " + subprotocol
                + "\r\n\r\n";
    }
}
