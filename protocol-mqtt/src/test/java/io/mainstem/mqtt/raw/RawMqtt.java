package io.mainstem.mqtt.raw;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An MQTT client that sends what it is told, byte by byte, and shows what comes back. Thread: one. */
public final class RawMqtt implements AutoCloseable {
    public static final int CONNACK = 2;
    public static final int PUBLISH = 3;
    public static final int PUBACK = 4;
    public static final int PUBREC = 5;
    public static final int PUBREL = 6;
    public static final int PUBCOMP = 7;
    public static final int SUBACK = 9;
    public static final int UNSUBACK = 11;
    public static final int PINGRESP = 13;
    public static final int DISCONNECT = 14;
    public static final int AUTH = 15;

    private static final int WAIT_MS = 60_000;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final int version;
    private final Deque<Received> early = new ArrayDeque<>();
    private @Nullable ByteArrayOutputStream held;

    /** @param version 3, 4 or 5 */
    public RawMqtt(InetSocketAddress address, int version) throws IOException {
        this(new Socket(address.getAddress(), address.getPort()), version);
    }

    /** @param connected to the server; closed with the client */
    public RawMqtt(Socket connected, int version) throws IOException {
        this.version = version;
        socket = connected;
        socket.setSoTimeout(WAIT_MS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    public int version() {
        return version;
    }

    // ---- sending ----------------------------------------------------------------------------------------------

    public RawMqtt send(byte[] bytes) throws IOException {
        ByteArrayOutputStream together = held;
        if (together != null) {
            together.write(bytes);
            return this;
        }
        out.write(bytes);
        out.flush();
        return this;
    }

    /** What is sent from now on waits for {@link #sendHeld}. */
    public RawMqtt hold() {
        held = new ByteArrayOutputStream();
        return this;
    }

    /** All that was held, in one write. */
    public RawMqtt sendHeld() throws IOException {
        ByteArrayOutputStream together = held;
        held = null;
        return together == null ? this : send(together.toByteArray());
    }

    /** As {@link #send}, where the server may have closed already. */
    public RawMqtt sendAnyway(byte[] bytes) {
        try {
            return send(bytes);
        } catch (IOException closed) {
            return this;
        }
    }

    /** CONNECT up to the payload. */
    public Bytes connectHead(int flags, int keepAlive, Bytes properties) {
        Bytes head = new Bytes()
                .text(version == 3 ? "MQIsdp" : "MQTT")
                .u8(version, flags)
                .u16(keepAlive);
        return version == 5 ? head.properties(properties) : head;
    }

    public RawMqtt connect(String clientId, boolean clean, Bytes properties) throws IOException {
        return send(connectHead(clean ? 2 : 0, 0, properties).text(clientId).packet(0x10));
    }

    /** Connects and expects that to work; returns whether a session was present. */
    public boolean open(String clientId, boolean clean, Bytes properties) throws IOException {
        connect(clientId, clean, properties);
        Received connack = expect(CONNACK);
        int flags = connack.u8();
        int code = connack.u8();
        if (code != 0) {
            throw new AssertionError("CONNACK " + code);
        }
        return flags == 1;
    }

    public boolean open(String clientId, boolean clean) throws IOException {
        return open(clientId, clean, new Bytes());
    }

    /** A session that stays, whatever the version. */
    public boolean openKept(String clientId) throws IOException {
        return open(clientId, false, new Bytes().u8(0x11).u32(3600));
    }

    public RawMqtt publish(String topic, int qos, int packetId, String payload) throws IOException {
        return publish(qos << 1, topic, packetId, new Bytes(), payload.getBytes(StandardCharsets.UTF_8));
    }

    /** @param flags the low four bits of the first byte */
    public RawMqtt publish(int flags, String topic, int packetId, Bytes properties, byte[] payload) throws IOException {
        Bytes body = new Bytes().text(topic);
        if ((flags & 6) != 0) {
            body.u16(packetId);
        }
        if (version == 5) {
            body.properties(properties);
        }
        return send(body.raw(payload).packet(0x30 | flags));
    }

    public RawMqtt subscribe(int packetId, String filter, int options) throws IOException {
        return subscribe(packetId, filter, options, new Bytes());
    }

    public RawMqtt subscribe(int packetId, String filter, int options, Bytes properties) throws IOException {
        Bytes body = new Bytes().u16(packetId);
        if (version == 5) {
            body.properties(properties);
        }
        return send(body.text(filter).u8(options).packet(0x82));
    }

    /** Subscribes and returns the one code of the SUBACK. */
    public int subscribed(String filter, int options) throws IOException {
        return subscribed(filter, options, new Bytes());
    }

    public int subscribed(String filter, int options, Bytes properties) throws IOException {
        subscribe(77, filter, options, properties);
        Received suback = expectAnswer(SUBACK);
        suback.u16();
        if (version == 5) {
            suback.properties();
        }
        return suback.u8();
    }

    public RawMqtt unsubscribe(int packetId, String filter) throws IOException {
        Bytes body = new Bytes().u16(packetId);
        if (version == 5) {
            body.properties(new Bytes());
        }
        return send(body.text(filter).packet(0xA2));
    }

    /** PUBACK, PUBREC, PUBREL or PUBCOMP. */
    public RawMqtt ack(int type, int packetId) throws IOException {
        return send(new Bytes().u16(packetId).packet(type << 4 | (type == PUBREL ? 2 : 0)));
    }

    public RawMqtt disconnect() throws IOException {
        return send(new byte[] {(byte) 0xE0, 0});
    }

    // ---- receiving --------------------------------------------------------------------------------------------

    /** Whether something has come that was not read yet. */
    public boolean hasMore() throws IOException {
        return !early.isEmpty() || in.available() > 0;
    }

    /** The next packet; those that {@link #expectAnswer} passed over come first. */
    public Received next() throws IOException {
        return early.isEmpty() ? read() : early.remove();
    }

    /** As {@link #expect}; messages may come before the answer and are kept for later. */
    public Received expectAnswer(int type) throws IOException {
        while (true) {
            Received received = read();
            if (received.type() == type) {
                return received;
            }
            if (received.type() != PUBLISH) {
                throw new AssertionError("expected type " + type + ", received " + received);
            }
            early.add(received);
        }
    }

    private Received read() throws IOException {
        int first = in.readUnsignedByte();
        int length = 0;
        for (int shift = 0; ; shift += 7) {
            int next = in.readUnsignedByte();
            length |= (next & 127) << shift;
            if (next < 128) {
                break;
            }
        }
        byte[] body = new byte[length];
        in.readFully(body);
        return new Received(first, body);
    }

    public Received expect(int type) throws IOException {
        Received received = next();
        if (received.type() != type) {
            throw new AssertionError("expected type " + type + ", received " + received);
        }
        return received;
    }

    /** Expects PUBACK, PUBREC, PUBREL or PUBCOMP for the id, and returns its reason code. */
    public int expectAck(int type, int packetId) throws IOException {
        Received ack = expect(type);
        int id = ack.u16();
        if (id != packetId) {
            throw new AssertionError("expected packet id " + packetId + ", received " + id);
        }
        return ack.remaining() == 0 ? 0 : ack.u8();
    }

    /** A PUBLISH, taken apart. */
    public Published expectPublish() throws IOException {
        return published(expect(PUBLISH));
    }

    public Published published(Received publish) {
        int qos = publish.flags() >> 1 & 3;
        String topic = publish.text();
        int packetId = qos == 0 ? 0 : publish.u16();
        var properties = version == 5 ? publish.properties() : List.<String>of();
        return new Published(
                topic,
                qos,
                (publish.flags() & 8) != 0,
                (publish.flags() & 1) != 0,
                packetId,
                properties,
                new String(publish.rest(), StandardCharsets.UTF_8));
    }

    /** What a PUBLISH says. */
    public record Published(
            String topic,
            int qos,
            boolean dup,
            boolean retain,
            int packetId,
            List<String> properties,
            String payload) {}

    /** Expects the end of the stream, after a DISCONNECT or CONNACK at most; returns its reason or -1. */
    public int expectClosed() throws IOException {
        int reason = -1;
        try {
            while (true) {
                Received received = next();
                if (received.type() == DISCONNECT) {
                    reason = received.remaining() == 0 ? 0 : received.u8();
                } else if (received.type() == CONNACK) {
                    received.u8();
                    reason = received.u8();
                } else {
                    throw new AssertionError("expected the end, received " + received);
                }
            }
        } catch (EOFException end) {
            return reason;
        } catch (SocketTimeoutException open) {
            throw new AssertionError("expected the end, the connection is open", open);
        } catch (SocketException reset) {
            return reason;
        }
    }

    /** As {@link #expectClosed}, with any number of acknowledgements before the end. */
    public void expectAcksThenClosed() throws IOException {
        try {
            while (true) {
                int type = next().type();
                if (type < PUBACK || type > PUBCOMP) {
                    throw new AssertionError("expected acknowledgements and the end, received type " + type);
                }
            }
        } catch (EOFException | SocketException end) {
            // As it should be.
        }
    }

    /** PINGREQ and its answer: what was sent before has been handled, and nothing else came. */
    public void expectNothing() throws IOException {
        send(new byte[] {(byte) 0xC0, 0});
        expect(PINGRESP);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
