package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.MessageFormatException;
import jakarta.jms.Queue;
import jakarta.jms.StreamMessage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Table 3-7: what an item of a map or a stream can be read as (Jakarta Messaging 3.11.3). */
final class ItemConversionTest {
    private record Reader(MapGetter map, StreamGetter stream) {}

    private interface MapGetter {
        Object get(MapMessage message, String name) throws JMSException;
    }

    private interface StreamGetter {
        Object get(StreamMessage message) throws JMSException;
    }

    private static final Map<Class<?>, Reader> READERS = new LinkedHashMap<>();

    static {
        READERS.put(Boolean.class, new Reader(MapMessage::getBoolean, StreamMessage::readBoolean));
        READERS.put(Byte.class, new Reader(MapMessage::getByte, StreamMessage::readByte));
        READERS.put(Short.class, new Reader(MapMessage::getShort, StreamMessage::readShort));
        READERS.put(Character.class, new Reader(MapMessage::getChar, StreamMessage::readChar));
        READERS.put(Integer.class, new Reader(MapMessage::getInt, StreamMessage::readInt));
        READERS.put(Long.class, new Reader(MapMessage::getLong, StreamMessage::readLong));
        READERS.put(Float.class, new Reader(MapMessage::getFloat, StreamMessage::readFloat));
        READERS.put(Double.class, new Reader(MapMessage::getDouble, StreamMessage::readDouble));
        READERS.put(String.class, new Reader(MapMessage::getString, StreamMessage::readString));
    }

    private static final Map<Class<?>, Set<Class<?>>> READABLE_AS = Map.of(
            Boolean.class, Set.of(Boolean.class, String.class),
            Byte.class, Set.of(Byte.class, Short.class, Integer.class, Long.class, String.class),
            Short.class, Set.of(Short.class, Integer.class, Long.class, String.class),
            Character.class, Set.of(Character.class, String.class),
            Integer.class, Set.of(Integer.class, Long.class, String.class),
            Long.class, Set.of(Long.class, String.class),
            Float.class, Set.of(Float.class, Double.class, String.class),
            Double.class, Set.of(Double.class, String.class),
            String.class,
                    Set.of(
                            Boolean.class,
                            Byte.class,
                            Short.class,
                            Integer.class,
                            Long.class,
                            Float.class,
                            Double.class,
                            String.class),
            byte[].class, Set.of());

    private static final List<Object> VALUES =
            List.of(true, (byte) 7, (short) 7, '7', 7, 7L, 7.5f, 7.5d, "7", new byte[] {7});

    private static <M> M passed(JMSContext context, jakarta.jms.Message message, Class<M> type) {
        Queue queue = context.createQueue(Names.unique("item"));
        context.createProducer().send(queue, message);
        return type.cast(context.createConsumer(queue).receive(Names.WAIT_MS));
    }

    private static boolean isConverted(Object value, Class<?> as) {
        return READABLE_AS.get(value.getClass()).contains(as);
    }

    @AllClients
    @Clause({"3.11.3", "MapMessage"})
    void itemsOfMaps(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            MapMessage sent = context.createMapMessage();
            for (Object value : VALUES) {
                sent.setObject(value.getClass().getSimpleName(), value);
            }
            MapMessage map = passed(context, sent, MapMessage.class);
            for (Object value : VALUES) {
                String name = value.getClass().getSimpleName();
                for (Map.Entry<Class<?>, Reader> reader : READERS.entrySet()) {
                    if (isConverted(value, reader.getKey())) {
                        assertThat(reader.getValue().map().get(map, name)).isInstanceOf(reader.getKey());
                    } else {
                        assertThatThrownBy(() -> reader.getValue().map().get(map, name))
                                .as("%s as %s", name, reader.getKey())
                                .isInstanceOf(MessageFormatException.class);
                    }
                }
            }
            assertThatThrownBy(() -> map.getBytes("Integer")).isInstanceOf(MessageFormatException.class);
            assertThatThrownBy(() -> map.getChar("missing")).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> map.getInt("missing")).isInstanceOf(NumberFormatException.class);
            assertThat(map.getBoolean("missing")).isFalse();
            assertThat(map.getString("missing")).isNull();
        }
    }

    @AllClients
    @Clause({"3.11.3", "StreamMessage"})
    void itemsOfStreamsAndAFailedReadDoesNotMoveOn(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            StreamMessage sent = context.createStreamMessage();
            for (Object value : VALUES) {
                for (int i = 0; i < READERS.size(); i++) {
                    sent.writeObject(value);
                }
            }
            StreamMessage stream = passed(context, sent, StreamMessage.class);
            for (Object value : VALUES) {
                for (Map.Entry<Class<?>, Reader> reader : READERS.entrySet()) {
                    if (isConverted(value, reader.getKey())) {
                        assertThat(reader.getValue().stream().get(stream)).isInstanceOf(reader.getKey());
                    } else {
                        assertThatThrownBy(() -> reader.getValue().stream().get(stream))
                                .as("%s as %s", value.getClass(), reader.getKey())
                                .isInstanceOf(MessageFormatException.class);
                        assertThat(stream.readObject()).isEqualTo(value);
                    }
                }
            }
        }
    }
}
