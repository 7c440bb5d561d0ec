package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.ExceptionListener;
import jakarta.jms.IllegalStateException;
import jakarta.jms.IllegalStateRuntimeException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Every method of every closed object, by reflection over the API (Jakarta Messaging 6.1.8, 6.2.15, 8.8). */
final class ClosedTest {
    /** Not about the state of the object. */
    private static final Set<String> OTHERS = Set.of("close", "run", "toString", "hashCode", "equals");

    private final List<String> answered = new ArrayList<>();

    /** Calls all methods of the interface; notes those that do not say that the object is closed. */
    private void callAll(Class<?> type, Object closed, Map<Class<?>, Object> arguments) throws Exception {
        for (Method method : type.getMethods()) {
            if (OTHERS.contains(method.getName()) || method.isDefault()) {
                continue;
            }
            Object[] values = new Object[method.getParameterCount()];
            for (int i = 0; i < values.length; i++) {
                values[i] = arguments.get(method.getParameterTypes()[i]);
            }
            try {
                method.invoke(closed, values);
                answered.add(method.toString());
            } catch (InvocationTargetException e) {
                if (!(e.getCause() instanceof IllegalStateException)
                        && !(e.getCause() instanceof IllegalStateRuntimeException)) {
                    answered.add(method + ": " + e.getCause());
                }
            }
        }
    }

    /** Closes it before its block ends. */
    private static void end(AutoCloseable open) throws Exception {
        open.close();
    }

    private static Map<Class<?>, Object> arguments(Queue queue, Topic topic, Message message) {
        return Map.ofEntries(
                Map.entry(boolean.class, false),
                Map.entry(int.class, 1),
                Map.entry(long.class, 1L),
                Map.entry(String.class, "name"),
                Map.entry(Class.class, String.class),
                Map.entry(Queue.class, queue),
                Map.entry(Topic.class, topic),
                Map.entry(Destination.class, queue),
                Map.entry(Message.class, message),
                Map.entry(java.io.Serializable.class, "object"),
                Map.entry(MessageListener.class, (MessageListener) received -> {}),
                Map.entry(ExceptionListener.class, (ExceptionListener) failure -> {}),
                Map.entry(CompletionListener.class, new CompletionListener() {
                    @Override
                    public void onCompletion(Message sent) {
                        throw new AssertionError("sent by a closed producer");
                    }

                    @Override
                    public void onException(Message sent, Exception failure) {
                        throw new AssertionError("sent by a closed producer");
                    }
                }));
    }

    @OurClients
    @Clause({
        "6.1.8",
        "6.2.15",
        "8.8",
        "Connection.close",
        "Session.close",
        "MessageConsumer.close",
        "QueueBrowser.close"
    })
    void everyMethodOfAClosedObjectIsIllegal(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("closed"));
            Map<Class<?>, Object> arguments =
                    arguments(queue, session.createTopic(Names.unique("closed")), session.createMessage());
            MessageProducer producer = session.createProducer(queue);
            MessageConsumer consumer = session.createConsumer(queue);
            QueueBrowser browser = session.createBrowser(queue);
            Session other = connection.createSession();
            MessageProducer ofOther = other.createProducer(queue);
            MessageConsumer consumerOfOther = other.createConsumer(queue);
            producer.close();
            consumer.close();
            browser.close();
            callAll(MessageProducer.class, producer, arguments);
            callAll(MessageConsumer.class, consumer, arguments);
            callAll(QueueBrowser.class, browser, arguments);
            session.close();
            callAll(Session.class, session, arguments);
            end(connection);
            callAll(Session.class, other, arguments);
            callAll(MessageProducer.class, ofOther, arguments);
            callAll(MessageConsumer.class, consumerOfOther, arguments);
            callAll(Connection.class, connection, arguments);
            for (AutoCloseable again : List.of(producer, consumer, browser, session, other, ofOther, connection)) {
                again.close();
            }
        }
        assertThat(answered).isEmpty();
    }

    @OurClients
    @Clause({"6.1.8", "JMSContext.close", "JMSConsumer.close"})
    void everyMethodOfAClosedContextIsIllegal(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            Queue queue = context.createQueue(Names.unique("closed"));
            Map<Class<?>, Object> arguments =
                    arguments(queue, context.createTopic(Names.unique("closed")), context.createMessage());
            JMSConsumer consumer = context.createConsumer(queue);
            JMSConsumer open = context.createConsumer(queue);
            consumer.close();
            callAll(JMSConsumer.class, consumer, arguments);
            end(context);
            callAll(JMSConsumer.class, open, arguments);
            callAll(JMSContext.class, context, arguments);
            consumer.close();
            end(context);
        }
        assertThat(answered).isEmpty();
    }

    @AllClients
    @Clause({"6.1.8", "Message.acknowledge"})
    void messagesOutliveTheirConnectionButForAcknowledge(JmsClient client) throws Exception {
        Message received;
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
            Queue queue = session.createQueue(Names.unique("closed"));
            session.createProducer(queue).send(session.createTextMessage("text"));
            received = session.createConsumer(queue).receive(Names.WAIT_MS);
        }
        assertThat(received.getBody(String.class)).isEqualTo("text");
        received.clearBody();
        org.assertj.core.api.Assertions.assertThatThrownBy(received::acknowledge)
                .isInstanceOf(IllegalStateException.class);
    }
}
