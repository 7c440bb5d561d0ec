package io.mainstem.benchmarks.mqtt;

import io.mainstem.benchmarks.amqp.LoadException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** One MQTT connection of a load. Thread: that of its {@link MqttLoop}. */
final class MqttClient {
    /** What comes in, beside what answers a connect. */
    interface Events {
        /** @param packetId 0 with QoS 0 */
        void onPublish(MqttClient from, int packetId);

        void onPuback(MqttClient from, int packetId);

        void onOther(MqttClient from, int packetType);

        /** The connection ended without being asked to. */
        void onClosed(MqttClient from, String why);
    }

    final int index;
    private final SocketChannel socket;
    private final Events events;
    private final ByteBuffer out;
    private ByteBuffer in = ByteBuffer.allocate(256).limit(0);
    private @Nullable SelectionKey key;
    private boolean closed;

    /** @param out shared by the loop's connections that never have anything left over, or the connection's own */
    MqttClient(int index, SocketChannel socket, Events events, ByteBuffer out) {
        this.index = index;
        this.socket = socket;
        this.events = events;
        this.out = out;
    }

    void registeredAs(SelectionKey selectionKey) {
        key = selectionKey;
    }

    /** To write packets into; {@link #flush} sends them. */
    ByteBuffer out() {
        return out;
    }

    /** True if there is room for one more small packet. */
    boolean hasRoom(int bytes) {
        return out.remaining() >= bytes;
    }

    boolean isClosed() {
        return closed;
    }

    /** Sends what was written; what the socket does not take now is sent when it does. */
    void flush() {
        if (closed || out.position() == 0) {
            return;
        }
        try {
            out.flip();
            socket.write(out);
            out.compact();
        } catch (IOException e) {
            end(String.valueOf(e.getMessage()));
            return;
        }
        SelectionKey at = key;
        if (at != null) {
            at.interestOps(out.position() == 0 ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        }
    }

    /** Reads what is there, hands the packets over, and sends what was written meanwhile. */
    void read(ByteBuffer shared) {
        try {
            shared.clear();
            if (in.hasRemaining()) {
                shared.put(in);
            }
            if (socket.read(shared) < 0) {
                end("closed by the broker");
                return;
            }
        } catch (IOException e) {
            end(String.valueOf(e.getMessage()));
            return;
        }
        shared.flip();
        while (nextPacket(shared)) {
            // Handed over.
        }
        keepRest(shared);
        flush();
    }

    private void keepRest(ByteBuffer shared) {
        if (shared.remaining() > in.capacity()) {
            in = ByteBuffer.allocate(Math.max(2 * in.capacity(), shared.remaining()));
        }
        in.clear();
        in.put(shared).flip();
    }

    private boolean nextPacket(ByteBuffer from) {
        int length = 0;
        int at = from.position() + 1;
        int shift = 0;
        int digit;
        do {
            if (at >= from.limit()) {
                return false;
            }
            digit = from.get(at++);
            length |= (digit & 0x7F) << shift;
            shift += 7;
        } while ((digit & 0x80) != 0);
        if (at + length > from.limit()) {
            return false;
        }
        packet(from, from.get(from.position()) & 0xFF, at);
        from.position(at + length);
        return true;
    }

    private void packet(ByteBuffer from, int first, int at) {
        int type = first >>> 4;
        if (type == MqttWire.PUBLISH) {
            boolean acknowledged = (first & 0x06) != 0;
            int topicBytes = from.getShort(at) & 0xFFFF;
            events.onPublish(this, acknowledged ? from.getShort(at + 2 + topicBytes) & 0xFFFF : 0);
        } else if (type == MqttWire.PUBACK) {
            events.onPuback(this, from.getShort(at) & 0xFFFF);
        } else if (type == MqttWire.CONNACK && from.get(at + 1) != 0) {
            throw new LoadException("the broker refused a connection with code " + from.get(at + 1));
        } else {
            events.onOther(this, type);
        }
    }

    private void end(String why) {
        if (!closed) {
            close();
            events.onClosed(this, why);
        }
    }

    void close() {
        closed = true;
        try {
            socket.close();
        } catch (IOException e) {
            throw new LoadException("a socket does not close", e);
        }
    }
}
