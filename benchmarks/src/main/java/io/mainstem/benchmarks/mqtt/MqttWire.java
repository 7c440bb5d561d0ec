package io.mainstem.benchmarks.mqtt;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The packets of MQTT 3.1.1 that a load needs, written into a buffer. Thread: any; the buffer is the caller's. */
final class MqttWire {
    static final int CONNACK = 2;
    static final int PUBLISH = 3;
    static final int PUBACK = 4;
    static final int SUBACK = 9;
    static final int PINGRESP = 13;
    /** The largest thing that is written into a buffer at once. */
    static final int PACKET_BYTES_MAX = 64 << 10;

    private static final int CLEAN_SESSION = 2;
    private static final int LEVEL_3_1_1 = 4;

    private MqttWire() {}

    static void connect(ByteBuffer out, String clientId, int keepAliveSeconds) {
        byte[] id = clientId.getBytes(StandardCharsets.UTF_8);
        header(out, 0x10, 10 + 2 + id.length);
        string(out, "MQTT".getBytes(StandardCharsets.UTF_8));
        out.put((byte) LEVEL_3_1_1).put((byte) CLEAN_SESSION).putShort((short) keepAliveSeconds);
        string(out, id);
    }

    static void subscribe(ByteBuffer out, int packetId, byte[] filter, int qos) {
        header(out, 0x82, 2 + 2 + filter.length + 1);
        out.putShort((short) packetId);
        string(out, filter);
        out.put((byte) qos);
    }

    /** @param packetId 0 for QoS 0 */
    static void publish(ByteBuffer out, byte[] topic, int packetId, byte[] payload) {
        int idBytes = packetId == 0 ? 0 : 2;
        header(out, packetId == 0 ? 0x30 : 0x32, 2 + topic.length + idBytes + payload.length);
        string(out, topic);
        if (packetId != 0) {
            out.putShort((short) packetId);
        }
        out.put(payload);
    }

    static void puback(ByteBuffer out, int packetId) {
        header(out, 0x40, 2);
        out.putShort((short) packetId);
    }

    static void pingreq(ByteBuffer out) {
        header(out, 0xC0, 0);
    }

    private static void header(ByteBuffer out, int first, int length) {
        out.put((byte) first);
        int rest = length;
        while (rest > 127) {
            out.put((byte) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        out.put((byte) rest);
    }

    private static void string(ByteBuffer out, byte[] utf8) {
        out.putShort((short) utf8.length).put(utf8);
    }
}
