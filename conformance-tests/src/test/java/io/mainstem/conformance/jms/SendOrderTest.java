package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.jms.MainstemConnectionFactory;
import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The order of the sends of one session to one queue is that of its messages (Jakarta Messaging 6.2.9): for every way of
 * sending, and at each limit of the client, one less and one more.
 */
@ExtendWith(ClauseTable.class)
final class SendOrderTest {
    /** Of a transaction, so much leaves with one wake-up of the loop: small messages count as 1 KiB. */
    private static final int GATHERED_KIB = 64;
    /** Frames on the wire; a body of this size takes two. */
    private static final int FRAME_BYTES = 64 << 10;
    /** So much may be under way without an answer. */
    private static final int WINDOW_KIB = 8 << 10;

    private static final int NUMBER_BYTES = 4;
    private static final CompletionListener NOBODY = new CompletionListener() {
        @Override
        public void onCompletion(Message message) {
            // Asked for by what is received.
        }

        @Override
        public void onException(Message message, Exception exception) {
            throw new AssertionError(exception);
        }
    };

    /** How an application sends. */
    private enum Way {
        PERSISTENT,
        NON_PERSISTENT,
        LISTENER,
        MIXED_MODES,
        TRANSACTED,
        TRANSACTED_LISTENER,
        TRANSACTED_MIXED,
        TRANSACTED_ANONYMOUS,
        TRANSACTED_FAILOVER,
        TRANSACTED_FAILOVER_DEDUP,
        TRANSACTED_CONTEXT;

        boolean transacted() {
            return name().startsWith("TRANSACTED");
        }

        boolean fails() {
            return name().contains("FAILOVER");
        }

        /** Each send returns with the broker's answer. */
        boolean waits() {
            return this == PERSISTENT || this == MIXED_MODES;
        }

        String uri(JmsClient client) {
            String plain = client.uri(TestBroker.shared(), "");
            return switch (this) {
                case TRANSACTED_FAILOVER -> "failover:(" + plain + ")?jms.dedup=false";
                case TRANSACTED_FAILOVER_DEDUP -> "failover:(" + plain + ")?jms.dedup=true";
                default -> plain;
            };
        }
    }

    static Stream<Arguments> cases() {
        List<Arguments> cases = new ArrayList<>();
        for (JmsClient client : List.of(JmsClient.MAINSTEM_AMQP, JmsClient.MAINSTEM_VM)) {
            for (Way way : Way.values()) {
                if (client == JmsClient.MAINSTEM_VM && way.fails()) {
                    continue; // A broker in this JVM needs no failover.
                }
                int count = way.waits() ? 20 : 2 * GATHERED_KIB + 2;
                int[] batches = {1, 10, GATHERED_KIB - 1, GATHERED_KIB, GATHERED_KIB + 1, count};
                for (int batch : way.transacted() ? batches : new int[] {1}) {
                    cases.add(Arguments.of(client, way, count, batch, 0));
                }
                if (way.fails() || way == Way.TRANSACTED_CONTEXT) {
                    continue; // Their bodies are those of TRANSACTED.
                }
                for (int body : new int[] {1 << 10, (GATHERED_KIB / 2) << 10, GATHERED_KIB << 10, FRAME_BYTES - 512}) {
                    for (int more = -1; more <= 1; more++) {
                        cases.add(Arguments.of(client, way, 12, 7, body + more));
                    }
                }
                if (!way.waits()) {
                    for (int more = -1; more <= 1; more++) {
                        cases.add(Arguments.of(client, way, 3, 3, ((WINDOW_KIB / 2) << 10) + more));
                    }
                }
            }
        }
        return cases.stream();
    }

    @ParameterizedTest(name = "{0}, {1}: {2} messages, commit every {3}, {4} bytes")
    @MethodSource("cases")
    @Clause("6.2.9")
    void messagesAreInTheOrderOfTheirSends(JmsClient client, Way way, int count, int batch, int bodyBytes)
            throws Exception {
        String name = Names.unique("order");
        if (way == Way.TRANSACTED_CONTEXT) {
            sendByContext(client, name, count, batch, bodyBytes);
        } else {
            send(client, way, name, count, batch, bodyBytes);
        }
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession(Session.DUPS_OK_ACKNOWLEDGE);
            MessageConsumer consumer = session.createConsumer(session.createQueue(name));
            List<Integer> received = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                BytesMessage message = (BytesMessage) consumer.receive(Names.WAIT_MS);
                assertThat(message).as("message %d of %d", i, count).isNotNull();
                received.add(message.readInt());
            }
            assertThat(received).isEqualTo(IntStream.range(0, count).boxed().toList());
        }
    }

    private static BytesMessage numbered(BytesMessage message, int number, int bodyBytes) throws JMSException {
        message.writeInt(number);
        message.writeBytes(new byte[Math.max(0, bodyBytes - NUMBER_BYTES)]);
        return message;
    }

    private static void send(JmsClient client, Way way, String name, int count, int batch, int bodyBytes)
            throws JMSException {
        try (Connection connection = new MainstemConnectionFactory(way.uri(client)).createConnection()) {
            Session session =
                    connection.createSession(way.transacted() ? Session.SESSION_TRANSACTED : Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue(name);
            boolean anonymous = way == Way.TRANSACTED_ANONYMOUS;
            MessageProducer producer = session.createProducer(anonymous ? null : queue);
            for (int i = 0; i < count; i++) {
                BytesMessage message = numbered(session.createBytesMessage(), i, bodyBytes);
                switch (way) {
                    case NON_PERSISTENT -> producer.send(message, DeliveryMode.NON_PERSISTENT, 4, 0);
                    case LISTENER, TRANSACTED_LISTENER -> producer.send(message, NOBODY);
                    case MIXED_MODES -> sendMixed(producer, message, i);
                    case TRANSACTED_MIXED -> sendMixed(producer, message, i + 1);
                    case TRANSACTED_ANONYMOUS -> producer.send(queue, message);
                    default -> producer.send(message);
                }
                if (way.transacted() && i % batch == batch - 1) {
                    session.commit();
                }
            }
            if (way.transacted()) {
                session.commit();
            }
        }
    }

    /** One kind of send behind the other; all PERSISTENT ones, for only those have an order among them. */
    private static void sendMixed(MessageProducer producer, Message message, int i) throws JMSException {
        if (i % 3 == 0) {
            producer.send(message, NOBODY);
        } else {
            producer.send(message);
        }
    }

    private static void sendByContext(JmsClient client, String name, int count, int batch, int bodyBytes)
            throws JMSException {
        try (JMSContext context = client.factory().createContext(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createQueue(name);
            JMSProducer producer = context.createProducer();
            for (int i = 0; i < count; i++) {
                producer.send(queue, numbered(context.createBytesMessage(), i, bodyBytes));
                if (i % batch == batch - 1) {
                    context.commit();
                }
            }
            context.commit();
        }
    }
}
