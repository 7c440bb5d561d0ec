package io.mainstem.jms;

import static io.mainstem.jms.Unchecked.call;
import static io.mainstem.jms.Unchecked.maybe;
import static io.mainstem.jms.Unchecked.run;

import io.mainstem.jms.error.Errors;
import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.message.MessageFactory;
import io.mainstem.jms.metrics.ClientCounters;
import io.mainstem.jms.options.Options;
import jakarta.jms.BytesMessage;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.Destination;
import jakarta.jms.ExceptionListener;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.StreamMessage;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The simplified API: a session and its connection in one. The session is opened when it is first needed, so that a
 * client identifier can still be set before. Thread: one at a time, except close.
 */
class MainstemContext implements JMSContext {
    private final SharedConnection shared;
    private final MainstemConnection connection;
    private final int mode;
    private @Nullable MainstemSession session;
    private @Nullable MainstemProducer relay;
    private boolean autoStart = true;
    private boolean closed;

    /**
     * A context with a connection of its own.
     *
     * @throws JMSRuntimeException the runtime kind of what opening the connection throws
     */
    static MainstemContext open(
            Options options, LinkTransport transport, MessageFactory messages, ClientCounters counters, int mode) {
        if (mode < SESSION_TRANSACTED || mode > DUPS_OK_ACKNOWLEDGE) {
            throw Unchecked.of(Errors.wrong("session mode " + mode
                    + " (expected: AUTO_ACKNOWLEDGE, CLIENT_ACKNOWLEDGE, DUPS_OK_ACKNOWLEDGE or SESSION_TRANSACTED)"));
        }
        return new MainstemContext(
                new SharedConnection(call(() -> new MainstemConnection(options, transport, messages, counters))), mode);
    }

    MainstemContext(SharedConnection shared, int mode) {
        this.shared = shared;
        this.connection = shared.connection();
        this.mode = mode;
        shared.begin();
    }

    private void checkOpen() throws JMSException {
        if (closed) {
            throw Errors.closed("context");
        }
    }

    MainstemConnection connection() {
        return connection;
    }

    /** Opens the session of this context. */
    MainstemSession openSession() throws JMSException {
        return connection.openSession(mode);
    }

    final synchronized MainstemSession session() throws JMSException {
        checkOpen();
        MainstemSession open = session;
        if (open == null) {
            open = openSession();
            session = open;
        }
        return open;
    }

    /** The producer that sends to wherever each message goes. */
    final synchronized MainstemProducer relay() throws JMSException {
        MainstemProducer made = relay;
        if (made == null) {
            made = session().producer(null);
            relay = made;
        }
        return made;
    }

    @Override
    public JMSContext createContext(int sessionMode) {
        run(this::checkOpen);
        run(connection.broker()::checkUsable);
        if (sessionMode < SESSION_TRANSACTED || sessionMode > DUPS_OK_ACKNOWLEDGE) {
            throw Unchecked.of(Errors.wrong("session mode " + sessionMode + " (expected: one of JMSContext)"));
        }
        return new MainstemContext(shared, sessionMode);
    }

    @Override
    public JMSProducer createProducer() {
        return call(() -> {
            session();
            return new MainstemJmsProducer(this);
        });
    }

    @Override
    public @Nullable String getClientID() {
        return maybe(() -> {
            checkOpen();
            return connection.getClientID();
        });
    }

    @Override
    public void setClientID(String clientId) {
        run(() -> {
            checkOpen();
            connection.setClientID(clientId);
        });
    }

    @Override
    public ConnectionMetaData getMetaData() {
        return call(() -> {
            checkOpen();
            return connection.getMetaData();
        });
    }

    @Override
    public @Nullable ExceptionListener getExceptionListener() {
        return maybe(() -> {
            checkOpen();
            return connection.getExceptionListener();
        });
    }

    @Override
    public void setExceptionListener(ExceptionListener listener) {
        run(() -> {
            checkOpen();
            connection.setExceptionListener(listener);
        });
    }

    @Override
    public void start() {
        run(() -> {
            checkOpen();
            connection.start();
        });
    }

    @Override
    public void stop() {
        run(() -> {
            checkOpen();
            connection.stop();
        });
    }

    @Override
    public void setAutoStart(boolean next) {
        run(this::checkOpen);
        autoStart = next;
    }

    @Override
    public boolean getAutoStart() {
        run(this::checkOpen);
        return autoStart;
    }

    @Override
    public void close() {
        run(() -> {
            MainstemSession open;
            synchronized (this) {
                if (closed) {
                    return;
                }
                open = session;
            }
            if (open != null) {
                open.close();
            }
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
            }
            shared.end();
        });
    }

    @Override
    public BytesMessage createBytesMessage() {
        return call(() -> session().createBytesMessage());
    }

    @Override
    public MapMessage createMapMessage() {
        return call(() -> session().createMapMessage());
    }

    @Override
    public Message createMessage() {
        return call(() -> session().createMessage());
    }

    @Override
    public ObjectMessage createObjectMessage() {
        return call(() -> session().createObjectMessage());
    }

    @Override
    public ObjectMessage createObjectMessage(@Nullable Serializable object) {
        return call(() -> session().createObjectMessage(object));
    }

    @Override
    public StreamMessage createStreamMessage() {
        return call(() -> session().createStreamMessage());
    }

    @Override
    public TextMessage createTextMessage() {
        return call(() -> session().createTextMessage());
    }

    @Override
    public TextMessage createTextMessage(@Nullable String text) {
        return call(() -> session().createTextMessage(text));
    }

    @Override
    public boolean getTransacted() {
        return getSessionMode() == SESSION_TRANSACTED;
    }

    @Override
    public int getSessionMode() {
        run(this::checkOpen);
        return mode;
    }

    @Override
    public void commit() {
        run(() -> session().commit());
    }

    @Override
    public void rollback() {
        run(() -> session().rollback());
    }

    @Override
    public void recover() {
        run(() -> session().recover());
    }

    /** Makes the consumer, and lets messages come. */
    private JMSConsumer consumer(Unchecked.Call<MessageConsumer> create) {
        return call(() -> {
            MainstemConsumer consumer = (MainstemConsumer) create.run();
            if (autoStart) {
                connection.start();
            }
            return new MainstemJmsConsumer(consumer);
        });
    }

    @Override
    public JMSConsumer createConsumer(Destination destination) {
        return consumer(() -> session().createConsumer(destination));
    }

    @Override
    public JMSConsumer createConsumer(Destination destination, @Nullable String selector) {
        return consumer(() -> session().createConsumer(destination, selector));
    }

    @Override
    public JMSConsumer createConsumer(Destination destination, @Nullable String selector, boolean noLocal) {
        return consumer(() -> session().createConsumer(destination, selector, noLocal));
    }

    @Override
    public JMSConsumer createDurableConsumer(Topic topic, String name) {
        return consumer(() -> session().createDurableConsumer(topic, name));
    }

    @Override
    public JMSConsumer createDurableConsumer(Topic topic, String name, @Nullable String selector, boolean noLocal) {
        return consumer(() -> session().createDurableConsumer(topic, name, selector, noLocal));
    }

    @Override
    public JMSConsumer createSharedDurableConsumer(Topic topic, String name) {
        return consumer(() -> session().createSharedDurableConsumer(topic, name));
    }

    @Override
    public JMSConsumer createSharedDurableConsumer(Topic topic, String name, @Nullable String selector) {
        return consumer(() -> session().createSharedDurableConsumer(topic, name, selector));
    }

    @Override
    public JMSConsumer createSharedConsumer(Topic topic, String name) {
        return consumer(() -> session().createSharedConsumer(topic, name));
    }

    @Override
    public JMSConsumer createSharedConsumer(Topic topic, String name, @Nullable String selector) {
        return consumer(() -> session().createSharedConsumer(topic, name, selector));
    }

    @Override
    public QueueBrowser createBrowser(Queue queue) {
        return createBrowser(queue, null);
    }

    @Override
    public QueueBrowser createBrowser(Queue queue, @Nullable String selector) {
        return call(() -> {
            QueueBrowser browser = session().createBrowser(queue, selector);
            if (autoStart) {
                connection.start();
            }
            return browser;
        });
    }

    @Override
    public Queue createQueue(String name) {
        return call(() -> session().createQueue(name));
    }

    @Override
    public Topic createTopic(String name) {
        return call(() -> session().createTopic(name));
    }

    @Override
    public TemporaryQueue createTemporaryQueue() {
        return call(() -> session().createTemporaryQueue());
    }

    @Override
    public TemporaryTopic createTemporaryTopic() {
        return call(() -> session().createTemporaryTopic());
    }

    @Override
    public void unsubscribe(String name) {
        run(() -> session().unsubscribe(name));
    }

    @Override
    public void acknowledge() {
        run(() -> {
            if (mode == CLIENT_ACKNOWLEDGE) {
                session().core().acknowledge();
            } else {
                checkOpen();
            }
        });
    }
}
