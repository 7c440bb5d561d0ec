package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Packet;
import io.mainstem.mqtt.wire.PacketType;
import io.mainstem.mqtt.wire.PacketWriter;
import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Property;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.mqtt.wire.Version;
import io.mainstem.transport.BatchedOutput;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a client is told besides messages, in the form of its version. 5.0 gets the reason in words, too: always where the
 * broker says no to the whole connection, elsewhere unless the client does not want it [MQTT-3.1.2-29], and nowhere if the
 * packet would be larger than the client takes. What is too large without words is not sent: the connection ends
 * [MQTT-3.1.2-24]. Thread: the connection's event loop.
 */
final class Answers {
    private static final int REASON_CHARS_MAX = 500;
    /** Fixed header, reason code, and flags or packet id, at most. */
    private static final int HEAD_BYTES = 3;
    /** Flags and reason. */
    private static final int CONNACK_BYTES = 2;

    private final BatchedOutput output;
    private final Statistics statistics;
    private final Consumer<String> tooLarge;
    private @Nullable Version version;
    private boolean problemInformation = true;
    private long packetBytesMax = Long.MAX_VALUE;

    /** @param tooLarge told of an answer that is larger than the client takes, and not sent */
    Answers(BatchedOutput output, Statistics statistics, Consumer<String> tooLarge) {
        this.tooLarge = tooLarge;
        this.output = output;
        this.statistics = statistics;
    }

    /** From here on as this CONNECT wants it. */
    void as(Packet.Connect connect) {
        as(connect.version(), connect.properties());
    }

    /** As the beginning of a CONNECT wants it. */
    void as(Version its, Properties properties) {
        version = its;
        problemInformation = properties.number(Property.REQUEST_PROBLEM_INFORMATION, 1) == 1;
        packetBytesMax = properties.number(Property.MAXIMUM_PACKET_SIZE, Long.MAX_VALUE);
    }

    /** For a client whose version is not spoken: the nearest one. */
    void as(Version nearest) {
        version = nearest;
    }

    /** What the client speaks, null before its CONNECT. */
    @Nullable
    Version version() {
        return version;
    }

    private boolean hasProperties() {
        return version != null && version.hasProperties();
    }

    private Version spoken() {
        return version == null ? Version.V3_1_1 : version;
    }

    /**
     * Makes the CONNACK as small as the client takes it, if that is possible.
     *
     * @return null, or what is wrong
     */
    @Nullable
    String shrinkWelcome(Properties properties) {
        if (properties.isEmpty()) {
            return size(properties, CONNACK_BYTES) > packetBytesMax ? larger("CONNACK", CONNACK_BYTES + 3) : null;
        }
        PacketWriter.trim(properties, CONNACK_BYTES, packetBytesMax);
        int bytes = size(properties, CONNACK_BYTES);
        return bytes > packetBytesMax ? larger("CONNACK", bytes) : null;
    }

    private int size(Properties properties, int otherBytes) {
        return PacketWriter.size(spoken(), properties, otherBytes);
    }

    private String larger(String what, int bytes) {
        return "MS-0603 limit: " + what + " of " + bytes + " bytes, and the client takes " + packetBytesMax
                + " fix: let the client announce a larger maximum packet size";
    }

    private boolean fits(PacketType type, int bytes) {
        if (bytes > packetBytesMax) {
            tooLarge.accept(larger(type.name(), bytes));
            return false;
        }
        return true;
    }

    /** The session is open; see {@link #shrinkWelcome}. */
    void welcome(boolean sessionPresent, Properties properties) {
        PacketWriter.connack(output.buffer(), spoken(), sessionPresent, 0, properties);
        appended();
    }

    /** CONNACK that says no. */
    void refuse(ConnectRefused refused) {
        int code = hasProperties() ? refused.connectReason().code() : refused.returnCode();
        Properties words = words(refused.getMessage(), HEAD_BYTES, true);
        if (size(words, CONNACK_BYTES) <= packetBytesMax) {
            PacketWriter.connack(output.buffer(), spoken(), false, code, words);
            appended();
        }
    }

    /** DISCONNECT; nothing in 3.x. */
    void disconnect(Reason reason, @Nullable String text) {
        if (hasProperties()) {
            PacketWriter.disconnect(output.buffer(), reason, words(text, HEAD_BYTES, true));
            appended();
        }
    }

    /** A step of the server. */
    void auth(Reason reason, String method, byte[] data) {
        Properties properties = new Properties().put(Property.AUTHENTICATION_METHOD, method);
        if (data.length > 0) {
            properties.put(Property.AUTHENTICATION_DATA, data);
        }
        if (fits(PacketType.AUTH, size(properties, 1))) {
            PacketWriter.auth(output.buffer(), reason, properties);
            appended();
        }
    }

    void pingResponse() {
        PacketWriter.pingResponse(output.buffer());
        appended();
    }

    /**
     * PUBACK, PUBREC, PUBREL or PUBCOMP.
     *
     * @param text what the reason means here, or null
     */
    void ack(PacketType type, int packetId, Reason reason, @Nullable String text) {
        PacketWriter.ack(
                output.buffer(), spoken(), type, packetId, reason, words(text, HEAD_BYTES, problemInformation));
        appended();
    }

    /**
     * SUBACK or UNSUBACK.
     *
     * @param text what is wrong with some of the filters, or null
     */
    void filtersAck(PacketType type, int packetId, List<Integer> codes, @Nullable String text) {
        Properties properties = words(text, HEAD_BYTES + codes.size(), problemInformation);
        if (fits(type, size(properties, 2 + codes.size()))) {
            PacketWriter.filtersAck(output.buffer(), spoken(), type, packetId, codes, properties);
            appended();
        }
    }

    private void appended() {
        output.appended();
        statistics.packetSent();
    }

    private Properties words(@Nullable String text, int otherBytes, boolean wanted) {
        if (text == null || !wanted || !hasProperties()) {
            return Properties.NONE;
        }
        Properties properties = new Properties().put(Property.REASON_STRING, Topics.line(text, REASON_CHARS_MAX));
        PacketWriter.trim(properties, otherBytes, packetBytesMax);
        return properties;
    }
}
