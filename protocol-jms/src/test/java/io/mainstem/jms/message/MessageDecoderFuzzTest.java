package io.mainstem.jms.message;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageEOFException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.ObjectMessage;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged messages: a MessageFormatException or a message that can be read, in bounded time and memory ([D-4], [D-5]). */
final class MessageDecoderFuzzTest {
    private static final int ROUNDS = 4000;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final AmqpMessageFactory TRUSTING = new AmqpMessageFactory(true, Set.of("*"), null, Exchange.CLOCK);

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    @DisplayName("[D-5] damaged bytes end in MessageFormatException or a readable message")
    void damagedMessagesAreRefusedOrReadable(long seed) {
        Assertions.assertTimeoutPreemptively(LIMIT, () -> {
            Random random = new Random(seed);
            List<byte[]> samples = samples();
            int readable = 0;
            for (int round = 0; round < ROUNDS; round++) {
                byte[] bytes = damaged(samples.get(random.nextInt(samples.size())), random);
                readable += isReadable(bytes, "seed=" + seed + " round=" + round) ? 1 : 0;
            }
            assertThat(readable).isPositive().isLessThan(ROUNDS);
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {11, 12})
    @DisplayName("[D-5] random bytes end in MessageFormatException or a readable message")
    void randomBytesAreRefusedOrReadable(long seed) {
        Assertions.assertTimeoutPreemptively(LIMIT, () -> {
            Random random = new Random(seed);
            for (int round = 0; round < ROUNDS; round++) {
                byte[] bytes = new byte[random.nextInt(64)];
                random.nextBytes(bytes);
                byte[] value = new byte[bytes.length + 3];
                value[1] = 0x53;
                value[2] = (byte) (0x72 + random.nextInt(6));
                System.arraycopy(bytes, 0, value, 3, bytes.length);
                isReadable(bytes, "seed=" + seed + " round=" + round);
                isReadable(value, "seed=" + seed + " round=" + round);
            }
        });
    }

    private static byte[] damaged(byte[] sample, Random random) {
        byte[] bytes = sample.clone();
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
            int at = random.nextInt(bytes.length);
            bytes[at] = random.nextInt(4) == 0 ? (byte) 0xff : (byte) random.nextInt(256);
        }
        return random.nextInt(8) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
    }

    private static boolean isReadable(byte[] bytes, String which) {
        try {
            Message message = TRUSTING.decode(Exchange.encoded(ByteBuffer.wrap(bytes)), Exchange.arrival());
            readAll(message);
            return true;
        } catch (MessageFormatException named) {
            assertThat(named.getErrorCode()).as(which).startsWith("MS-07");
            return false;
        } catch (NumberFormatException | NullPointerException | JMSException | OutOfMemoryError other) {
            throw new AssertionError(which, other);
        }
    }

    private static void readAll(Message message) throws JMSException {
        for (String name : Exchange.list(message.getPropertyNames())) {
            message.getObjectProperty(name);
        }
        message.getJMSCorrelationIDAsBytes();
        if (message instanceof TextMessage text) {
            text.getText();
        } else if (message instanceof MapMessage map) {
            for (String name : Exchange.list(map.getMapNames())) {
                if (!"".equals(name)) {
                    map.getObject(name);
                }
            }
        } else if (message instanceof BytesMessage content) {
            content.readBytes(new byte[(int) content.getBodyLength()]);
        } else if (message instanceof ObjectMessage object) {
            object.getObject();
        } else if (message instanceof StreamMessage stream) {
            try {
                while (true) {
                    stream.readObject();
                }
            } catch (MessageEOFException end) {
                return;
            }
        }
    }

    private static List<byte[]> samples() throws JMSException {
        TextMessage text = Exchange.FACTORY.createTextMessage("text".repeat(100));
        text.setStringProperty("p", "value");
        text.setLongProperty("n", 1L << 40);
        text.setJMSCorrelationID("ID:AMQP_BINARY:0102");
        MapMessage map = Exchange.FACTORY.createMapMessage();
        map.setInt("a", 70_000);
        map.setBytes("b", new byte[300]);
        map.setString("c", "x".repeat(300));
        StreamMessage stream = Exchange.FACTORY.createStreamMessage();
        stream.writeDouble(1);
        stream.writeBytes(new byte[20]);
        stream.writeChar('c');
        BytesMessage bytes = Exchange.FACTORY.createBytesMessage();
        bytes.writeUTF("bytes");
        ObjectMessage object = Exchange.FACTORY.createObjectMessage(new ArrayList<>(List.of("a", 1)));
        List<byte[]> samples = new ArrayList<>();
        for (Message message : List.of(text, map, stream, bytes, object)) {
            ByteBuffer sections = Exchange.sent(message).sections();
            byte[] copy = new byte[sections.remaining()];
            sections.get(copy);
            samples.add(copy);
        }
        return samples;
    }
}
