package io.mainstem.jms.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;
import jakarta.jms.StreamMessage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every cell of the two conversion tables of the specification, in a property, a map and a stream. */
final class ConversionTest {
    /** Types of the tables; each with a value that survives being read as text. */
    enum Type {
        BOOLEAN,
        BYTE,
        SHORT,
        CHAR,
        INT,
        LONG,
        FLOAT,
        DOUBLE,
        STRING,
        BYTES;

        Object value() {
            return switch (this) {
                case BOOLEAN -> true;
                case BYTE -> (byte) 7;
                case SHORT -> (short) 7;
                case CHAR -> '7';
                case INT -> 7;
                case LONG -> 7L;
                case FLOAT -> 7.5f;
                case DOUBLE -> 7.5;
                case STRING -> "7";
                case BYTES -> new byte[] {7};
            };
        }
    }

    /** Where a value stands. */
    enum Place {
        PROPERTY,
        MAP,
        STREAM
    }

    private static final Map<Type, Set<Type>> ALLOWED = new EnumMap<>(Map.of(
            Type.BOOLEAN, EnumSet.of(Type.BOOLEAN, Type.STRING),
            Type.BYTE, EnumSet.of(Type.BYTE, Type.SHORT, Type.INT, Type.LONG, Type.STRING),
            Type.SHORT, EnumSet.of(Type.SHORT, Type.INT, Type.LONG, Type.STRING),
            Type.CHAR, EnumSet.of(Type.CHAR, Type.STRING),
            Type.INT, EnumSet.of(Type.INT, Type.LONG, Type.STRING),
            Type.LONG, EnumSet.of(Type.LONG, Type.STRING),
            Type.FLOAT, EnumSet.of(Type.FLOAT, Type.DOUBLE, Type.STRING),
            Type.DOUBLE, EnumSet.of(Type.DOUBLE, Type.STRING),
            Type.STRING, EnumSet.complementOf(EnumSet.of(Type.CHAR, Type.BYTES)),
            Type.BYTES, EnumSet.of(Type.BYTES)));

    static Stream<Arguments> cells() {
        List<Arguments> cells = new ArrayList<>();
        for (Place place : Place.values()) {
            for (Type written : typesOf(place)) {
                for (Type read : typesOf(place)) {
                    cells.add(Arguments.of(place, written, read));
                }
            }
        }
        return cells.stream();
    }

    private static Set<Type> typesOf(Place place) {
        return place == Place.PROPERTY
                ? EnumSet.complementOf(EnumSet.of(Type.CHAR, Type.BYTES))
                : EnumSet.allOf(Type.class);
    }

    @ParameterizedTest(name = "{0}: {1} read as {2}")
    @MethodSource("cells")
    @DisplayName("3.5.4, 3.11.3: marked conversions give the value, all others MessageFormatException")
    void conversionsAreExactlyThoseOfTheTables(Place place, Type written, Type read) throws JMSException {
        Message message = Exchange.passed(messageWith(place, written.value()));

        if (ALLOWED.get(written).contains(read)) {
            assertThat(asText(read(place, message, read))).isEqualTo(expected(written, read));
        } else {
            assertThatThrownBy(() -> read(place, message, read))
                    .isInstanceOf(MessageFormatException.class)
                    .hasMessageContaining("MS-0750")
                    .hasMessageContaining(
                            written == Type.BYTES
                                    ? "byte[]"
                                    : written.value().getClass().getSimpleName());
        }
    }

    @ParameterizedTest(name = "{0}: {1} read as Object")
    @MethodSource("written")
    @DisplayName("3.5.4, 3.11.3: read as Object a value keeps its type")
    void readAsObjectTheTypeStays(Place place, Type written) throws JMSException {
        Message message = Exchange.passed(messageWith(place, written.value()));

        assertThat(readObject(place, message)).isEqualTo(written.value()).hasSameClassAs(written.value());
    }

    static Stream<Arguments> written() {
        return Arrays.stream(Place.values())
                .flatMap(place -> typesOf(place).stream().map(type -> Arguments.of(place, type)));
    }

    @ParameterizedTest(name = "{0}: null read as {1}")
    @MethodSource("written")
    @DisplayName("3.5.4, 3.11.3: null is converted as the type's valueOf converts null")
    void nullIsConvertedAsValueOfDoes(Place place, Type read) throws JMSException {
        Message message = Exchange.passed(messageWith(place, null));

        switch (read) {
            case BOOLEAN -> assertThat(read(place, message, read)).isEqualTo(false);
            case STRING, BYTES ->
                assertThat(read == Type.BYTES && place == Place.STREAM ? null : read(place, message, read))
                        .isNull();
            case CHAR, FLOAT, DOUBLE ->
                assertThatThrownBy(() -> read(place, message, read)).isInstanceOf(NullPointerException.class);
            default -> assertThatThrownBy(() -> read(place, message, read)).isInstanceOf(NumberFormatException.class);
        }
    }

    @ParameterizedTest(name = "{0}: a text that is no {1}")
    @MethodSource("written")
    @DisplayName("3.5.4, 3.11.3: a text that is no number is a NumberFormatException")
    void textThatIsNoNumberIsRefusedByTheParser(Place place, Type read) throws JMSException {
        Message message = Exchange.passed(messageWith(place, "ten"));

        switch (read) {
            case BYTE, SHORT, INT, LONG, FLOAT, DOUBLE ->
                assertThatThrownBy(() -> read(place, message, read)).isInstanceOf(NumberFormatException.class);
            case BOOLEAN -> assertThat(read(place, message, read)).isEqualTo(false);
            case STRING -> assertThat(read(place, message, read)).isEqualTo("ten");
            default -> assertThatThrownBy(() -> read(place, message, read)).isInstanceOf(MessageFormatException.class);
        }
    }

    private static Message messageWith(Place place, @Nullable Object value) throws JMSException {
        switch (place) {
            case PROPERTY -> {
                Message message = Exchange.FACTORY.createMessage();
                message.setObjectProperty("it", value);
                return message;
            }
            case MAP -> {
                MapMessage message = Exchange.FACTORY.createMapMessage();
                message.setObject("it", value);
                return message;
            }
            default -> {
                StreamMessage message = Exchange.FACTORY.createStreamMessage();
                message.writeObject(value);
                return message;
            }
        }
    }

    private static @Nullable Object readObject(Place place, Message message) throws JMSException {
        return switch (place) {
            case PROPERTY -> message.getObjectProperty("it");
            case MAP -> ((MapMessage) message).getObject("it");
            case STREAM -> ((StreamMessage) message).readObject();
        };
    }

    private static @Nullable Object read(Place place, Message message, Type type) throws JMSException {
        return switch (place) {
            case PROPERTY -> readProperty(message, type);
            case MAP -> readItem((MapMessage) message, type);
            case STREAM -> readElement((StreamMessage) message, type);
        };
    }

    private static @Nullable Object readProperty(Message message, Type type) throws JMSException {
        return switch (type) {
            case BOOLEAN -> message.getBooleanProperty("it");
            case BYTE -> message.getByteProperty("it");
            case SHORT -> message.getShortProperty("it");
            case INT -> message.getIntProperty("it");
            case LONG -> message.getLongProperty("it");
            case FLOAT -> message.getFloatProperty("it");
            case DOUBLE -> message.getDoubleProperty("it");
            case STRING -> message.getStringProperty("it");
            case CHAR, BYTES -> throw new AssertionError("no such property");
        };
    }

    private static @Nullable Object readItem(MapMessage message, Type type) throws JMSException {
        return switch (type) {
            case BOOLEAN -> message.getBoolean("it");
            case BYTE -> message.getByte("it");
            case SHORT -> message.getShort("it");
            case CHAR -> message.getChar("it");
            case INT -> message.getInt("it");
            case LONG -> message.getLong("it");
            case FLOAT -> message.getFloat("it");
            case DOUBLE -> message.getDouble("it");
            case STRING -> message.getString("it");
            case BYTES -> message.getBytes("it");
        };
    }

    private static @Nullable Object readElement(StreamMessage message, Type type) throws JMSException {
        return switch (type) {
            case BOOLEAN -> message.readBoolean();
            case BYTE -> message.readByte();
            case SHORT -> message.readShort();
            case CHAR -> message.readChar();
            case INT -> message.readInt();
            case LONG -> message.readLong();
            case FLOAT -> message.readFloat();
            case DOUBLE -> message.readDouble();
            case STRING -> message.readString();
            case BYTES -> bytesOf(message);
        };
    }

    private static byte[] bytesOf(StreamMessage message) throws JMSException {
        byte[] target = new byte[10];
        int count = message.readBytes(target);
        return Arrays.copyOf(target, Math.max(0, count));
    }

    private static String expected(Type written, Type read) {
        if (written == Type.STRING) {
            return switch (read) {
                case BOOLEAN -> "false";
                case FLOAT, DOUBLE -> "7.0";
                default -> "7";
            };
        }
        return written == Type.BYTES ? "bytes" : String.valueOf(written.value());
    }

    private static String asText(@Nullable Object value) {
        return value instanceof byte[] bytes && bytes.length == 1 ? "bytes" : String.valueOf(value);
    }
}
