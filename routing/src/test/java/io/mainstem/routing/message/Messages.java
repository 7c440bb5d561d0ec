package io.mainstem.routing.message;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Messages for tests, built section by section. */
public final class Messages {
    private final ByteArrayOutputStream encoded = new ByteArrayOutputStream();

    /** A message without sections. */
    public static Message empty() {
        return new Messages().message();
    }

    /** A section of the given kind with a value of {@link AmqpValueWriter}'s choice. */
    public Messages section(int kind, Object value) {
        return bytes(new AmqpValueWriter().descriptor(kind).value(value).toByteArray());
    }

    /** A section whose map has text keys, as application-properties do. */
    public Messages properties(Map<String, ?> properties) {
        AmqpValueWriter entries = new AmqpValueWriter();
        properties.forEach((name, value) -> entries.value(name).value(value));
        return bytes(new AmqpValueWriter()
                .descriptor(0x74)
                .map(properties.size(), entries)
                .toByteArray());
    }

    /** Encoded bytes as they are. */
    public Messages bytes(byte... bytes) {
        encoded.writeBytes(bytes);
        return this;
    }

    /** Encoded bytes, written as numbers. */
    public Messages bytes(int... bytes) {
        for (int each : bytes) {
            encoded.write(each);
        }
        return this;
    }

    /** All bytes so far. */
    public byte[] encoded() {
        return encoded.toByteArray();
    }

    /** The message as it would be stored, published to "" with key "". */
    public Message message() {
        SectionScanner.BareMessage bare = SectionScanner.split(List.of(encoded()));
        return new Message(envelope(bare.offsets()), bare.sections());
    }

    /** The bytes in pieces of a given length. */
    public static List<byte[]> pieces(byte[] bytes, int length) {
        List<byte[]> pieces = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += length) {
            pieces.add(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + length)));
        }
        return pieces;
    }

    static Envelope envelope(SectionOffsets offsets) {
        return new Envelope(
                "",
                List.of(""),
                true,
                -1,
                1,
                -1,
                0,
                0,
                "",
                null,
                Envelope.Origin.AMQP_1_0,
                0,
                false,
                offsets,
                List.of());
    }
}
