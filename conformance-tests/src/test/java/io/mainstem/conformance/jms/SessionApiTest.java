package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.MessageConsumer;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The API documentation of Session, MessageConsumer and QueueBrowser, sentence by sentence. */
final class SessionApiTest {
    @RegisterExtension
    static final OpenConnections OPEN = new OpenConnections();

    @AllClients
    @Clause({
        "Connection.createSession(): not transacted, AUTO_ACKNOWLEDGE",
        "Connection.createSession(int): the mode that was given",
        "Connection.createSession(boolean, int): the acknowledge mode is ignored if transacted",
        "Session.getTransacted: true if a local transaction is used",
        "Session.getAcknowledgeMode: SESSION_TRANSACTED if transacted, else as given",
        "Session.SESSION_TRANSACTED: however the transacted session was created"
    })
    void modesOfSessions(JmsClient client) throws Exception {
        Connection connection = OPEN.connection(client);
        assertMode(connection.createSession(), Session.AUTO_ACKNOWLEDGE);
        for (int mode : new int[] {
            Session.AUTO_ACKNOWLEDGE,
            Session.CLIENT_ACKNOWLEDGE,
            Session.DUPS_OK_ACKNOWLEDGE,
            Session.SESSION_TRANSACTED
        }) {
            assertMode(connection.createSession(mode), mode);
            assertMode(connection.createSession(true, mode), Session.SESSION_TRANSACTED);
            if (mode != Session.SESSION_TRANSACTED) {
                assertMode(connection.createSession(false, mode), mode);
            }
        }
    }

    private static void assertMode(Session session, int mode) throws JMSException {
        assertThat(session.getAcknowledgeMode()).isEqualTo(mode);
        assertThat(session.getTransacted()).isEqualTo(mode == Session.SESSION_TRANSACTED);
        session.close();
    }

    @OurClients
    @Clause("Connection.createSession: other modes are refused")
    void otherModesAreRefused(JmsClient client) throws Exception {
        Connection connection = OPEN.connection(client);
        Refused.allWith(
                JMSException.class,
                () -> connection.createSession(-1),
                () -> connection.createSession(4),
                () -> connection.createSession(false, 4));
    }

    @AllClients
    @Clause({
        "Session.createBytesMessage: a BytesMessage",
        "Session.createMapMessage: a MapMessage",
        "Session.createMessage: a message of headers only",
        "Session.createObjectMessage: an ObjectMessage, initialised if an object is given",
        "Session.createStreamMessage: a StreamMessage",
        "Session.createTextMessage: a TextMessage, initialised if a text is given"
    })
    void messagesOfEveryType(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        assertThat(session.createBytesMessage()).isInstanceOf(BytesMessage.class);
        assertThat(session.createMapMessage()).isInstanceOf(MapMessage.class);
        assertThat(session.createStreamMessage()).isInstanceOf(StreamMessage.class);
        assertThat(session.createMessage())
                .isNotInstanceOfAny(
                        BytesMessage.class,
                        MapMessage.class,
                        StreamMessage.class,
                        TextMessage.class,
                        ObjectMessage.class);
        assertThat(session.createObjectMessage().getObject()).isNull();
        assertThat(session.createObjectMessage("object").getBody(String.class)).isEqualTo("object");
        assertThat(session.createTextMessage().getText()).isNull();
        assertThat(session.createTextMessage("text").getText()).isEqualTo("text");
    }

    @AllClients
    @Clause({
        "Session.commit: IllegalStateException without a local transaction",
        "Session.rollback: IllegalStateException without a local transaction",
        "Session.recover: IllegalStateException in a transacted session"
    })
    void callsThatDoNotFitTheMode(JmsClient client) throws Exception {
        Connection connection = OPEN.connection(client);
        for (int mode : new int[] {Session.AUTO_ACKNOWLEDGE, Session.CLIENT_ACKNOWLEDGE, Session.DUPS_OK_ACKNOWLEDGE}) {
            try (Session session = connection.createSession(mode)) {
                Refused.allWith(IllegalStateException.class, session::commit, session::rollback);
                session.recover();
            }
        }
        try (Session session = connection.createSession(Session.SESSION_TRANSACTED)) {
            Refused.allWith(IllegalStateException.class, session::recover);
            session.commit();
            session.rollback();
        }
    }

    @AllClients
    @Clause({
        "Session.createConsumer: InvalidDestinationException for an invalid destination",
        "Session.createSharedConsumer: InvalidDestinationException for an invalid topic",
        "Session.createSharedDurableConsumer: InvalidDestinationException for an invalid topic",
        "Session.createBrowser: InvalidDestinationException for an invalid destination"
    })
    void destinationsMustBeGiven(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Refused.allWith(
                InvalidDestinationException.class,
                () -> session.createConsumer(null),
                () -> session.createConsumer(null, "a = 1"),
                () -> session.createConsumer(null, "a = 1", true),
                () -> session.createSharedConsumer(null, "n"),
                () -> session.createSharedConsumer(null, "n", "a = 1"),
                () -> session.createSharedDurableConsumer(null, "n"),
                () -> session.createSharedDurableConsumer(null, "n", "a = 1"),
                () -> session.createBrowser(null),
                () -> session.createBrowser(null, "a = 1"));
    }

    @AllClients
    @Clause({
        "Session.createDurableConsumer: InvalidDestinationException for an invalid topic",
        "Session.createDurableSubscriber: InvalidDestinationException for an invalid topic",
        "Session.createDurableConsumer: InvalidSelectorException for an invalid selector",
        "Session.createDurableSubscriber: InvalidSelectorException for an invalid selector"
    })
    void durableSubscriptionsNeedATopicAndAValidSelector(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.setClientID(Names.unique("client"));
            Session session = connection.createSession();
            Topic topic = session.createTopic(Names.unique("session"));
            Refused.allWith(
                    InvalidDestinationException.class,
                    () -> session.createDurableConsumer(null, "n"),
                    () -> session.createDurableConsumer(null, "n", null, false),
                    () -> session.createDurableSubscriber(null, "n"),
                    () -> session.createDurableSubscriber(null, "n", null, false));
            Refused.allWith(
                    InvalidSelectorException.class,
                    () -> session.createDurableConsumer(topic, "n", "a =", false),
                    () -> session.createDurableSubscriber(topic, "n", "a =", false));
        }
    }

    @AllClients
    @Clause({
        "Session.createConsumer: InvalidSelectorException for an invalid selector",
        "Session.createSharedConsumer: InvalidSelectorException for an invalid selector",
        "Session.createSharedDurableConsumer: InvalidSelectorException for an invalid selector"
    })
    void selectorsAreChecked(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Queue queue = session.createQueue(Names.unique("session"));
        Topic topic = session.createTopic(Names.unique("session"));
        Refused.allWith(
                InvalidSelectorException.class,
                () -> session.createConsumer(queue, "a ="),
                () -> session.createConsumer(topic, "a =", true),
                () -> session.createSharedConsumer(topic, "n", "a ="),
                () -> session.createSharedDurableConsumer(topic, "n", "a ="));
    }

    @OurClients
    @Clause("Session.createBrowser: InvalidSelectorException for an invalid selector")
    void selectorsOfBrowsersAreChecked(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Queue queue = session.createQueue(Names.unique("session"));
        Refused.allWith(InvalidSelectorException.class, () -> session.createBrowser(queue, "a ="));
    }

    @AllClients
    @Clause({
        "Session.createDurableConsumer: IllegalStateException if the client identifier is unset",
        "Session.createDurableSubscriber: IllegalStateException if the client identifier is unset"
    })
    void unsharedDurableSubscriptionsNeedAClientIdentifier(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            Topic topic = session.createTopic(Names.unique("session"));
            Refused.allWith(
                    client == JmsClient.QPID ? JMSException.class : IllegalStateException.class,
                    () -> session.createDurableConsumer(topic, "n"),
                    () -> session.createDurableConsumer(topic, "n", null, false),
                    () -> session.createDurableSubscriber(topic, "n"),
                    () -> session.createDurableSubscriber(topic, "n", null, false));
        }
    }

    @AllClients
    @Clause({
        "MessageConsumer.getMessageSelector: as given, null if null or empty",
        "QueueBrowser.getMessageSelector: as given, null if null or empty",
        "Session.createConsumer: null or an empty string is no selector",
        "Session.createBrowser: null or an empty string is no selector"
    })
    void selectorsAreTold(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Queue queue = session.createQueue(Names.unique("session"));
        for (String selector : new String[] {"a = 1", "", null}) {
            String told = "a = 1".equals(selector) ? selector : null;
            try (MessageConsumer consumer = session.createConsumer(queue, selector);
                    QueueBrowser browser = session.createBrowser(queue, selector)) {
                assertThat(consumer.getMessageSelector()).isEqualTo(told);
                assertThat(browser.getMessageSelector()).isEqualTo(told);
                assertThat(browser.getQueue()).isEqualTo(queue);
            }
        }
        try (MessageConsumer consumer = session.createConsumer(queue);
                QueueBrowser browser = session.createBrowser(queue)) {
            assertThat(consumer.getMessageSelector()).isNull();
            assertThat(browser.getMessageSelector()).isNull();
        }
    }

    @AllClients
    @Clause({
        "MessageConsumer.getMessageListener: null if none was set",
        "MessageConsumer.setMessageListener: null unsets it",
        "Session.getMessageListener: null if none was set"
    })
    void listenersAreSetAndUnset(JmsClient client) throws Exception {
        try (Session session = OPEN.connection(client).createSession();
                MessageConsumer consumer = session.createConsumer(session.createQueue(Names.unique("session")))) {
            assertThat(session.getMessageListener()).isNull();
            assertThat(consumer.getMessageListener()).isNull();
            jakarta.jms.MessageListener listener = message -> {};
            consumer.setMessageListener(listener);
            assertThat(consumer.getMessageListener()).isSameAs(listener);
            consumer.setMessageListener(null);
            assertThat(consumer.getMessageListener()).isNull();
        }
    }

    @AllClients
    @Clause({
        "MessageConsumer.receive(long): null if the timeout expires",
        "MessageConsumer.receive(long): the next message if there is one",
        "MessageConsumer.receive(long): a timeout of zero never expires",
        "MessageConsumer.receiveNoWait: null if none is available"
    })
    void receives(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Queue queue = session.createQueue(Names.unique("session"));
        try (MessageConsumer consumer = session.createConsumer(queue)) {
            assertThat(consumer.receiveNoWait()).isNull();
            assertThat(consumer.receive(1)).isNull();
            session.createProducer(queue).send(session.createTextMessage("1"));
            assertThat(consumer.receive(Names.WAIT_MS)).isNotNull();
            session.createProducer(queue).send(session.createTextMessage("2"));
            assertThat(consumer.receive(0)).isNotNull();
        }
    }

    @AllClients
    @Clause({
        "QueueBrowser.getEnumeration: in the order they would be received",
        "QueueBrowser.getEnumeration: only what the selector selects",
        "QueueBrowser: messages stay on the queue"
    })
    void browsersLook(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Queue queue = session.createQueue(Names.unique("session"));
        for (int i = 0; i < 4; i++) {
            TextMessage message = session.createTextMessage("" + i);
            message.setIntProperty("odd", i % 2);
            session.createProducer(queue).send(message);
        }
        assertThat(browsed(session, queue, null)).containsExactly("0", "1", "2", "3");
        assertThat(browsed(session, queue, "odd = 1")).containsExactly("1", "3");
        assertThat(browsed(session, queue, null)).hasSize(4);
    }

    private static List<String> browsed(Session session, Queue queue, String selector) throws JMSException {
        try (QueueBrowser browser = session.createBrowser(queue, selector)) {
            List<String> texts = new ArrayList<>();
            for (var messages = browser.getEnumeration(); messages.hasMoreElements(); ) {
                texts.add(((TextMessage) messages.nextElement()).getText());
            }
            return texts;
        }
    }
}
