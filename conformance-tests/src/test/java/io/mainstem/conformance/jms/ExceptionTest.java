package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.mainstem.jms.MainstemConnectionFactory;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.IllegalStateException;
import jakarta.jms.IllegalStateRuntimeException;
import jakarta.jms.InvalidClientIDException;
import jakarta.jms.InvalidClientIDRuntimeException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidDestinationRuntimeException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.InvalidSelectorRuntimeException;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import jakarta.jms.MessageEOFException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageFormatRuntimeException;
import jakarta.jms.MessageNotReadableException;
import jakarta.jms.MessageNotWriteableException;
import jakarta.jms.MessageNotWriteableRuntimeException;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import jakarta.jms.TransactionInProgressException;
import jakarta.jms.TransactionInProgressRuntimeException;
import jakarta.jms.XAConnection;
import jakarta.jms.XAJMSContext;
import jakarta.jms.XASession;
import java.io.IOException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Exceptions: each of its standard class, with a reason and an error code (Jakarta Messaging 10). */
final class ExceptionTest {
    @RegisterExtension
    static final OpenConnections OPEN = new OpenConnections();

    /** The class is exactly this one, and the code leads the reason, so that a log line is enough to look it up. */
    private static void assertChecked(Class<? extends JMSException> type, ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isExactlyInstanceOf(type);
        String code = ((JMSException) thrown).getErrorCode();
        assertThat(code).as("error code of %s", thrown).matches("MS-\\d{4}");
        assertThat(thrown.getMessage()).startsWith(code + " ");
    }

    private static void assertUnchecked(Class<? extends JMSRuntimeException> type, ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isExactlyInstanceOf(type);
        String code = ((JMSRuntimeException) thrown).getErrorCode();
        assertThat(code).as("error code of %s", thrown).matches("MS-\\d{4}");
        assertThat(thrown.getMessage()).startsWith(code + " ");
    }

    @OurClients
    @Clause({
        "10.2",
        "10.3",
        "JMSException.getErrorCode: the provider's code",
        "IllegalStateException: a call at an illegal time",
        "InvalidClientIDException: a client identifier that is in use",
        "InvalidDestinationException: a destination that is not understood",
        "InvalidSelectorException: a selector with a syntax error"
    })
    void standardExceptionsOfConnectionsAndSessions(JmsClient client) throws Exception {
        String id = Names.unique("client");
        try (Connection first = client.factory().createConnection();
                Connection second = client.factory().createConnection()) {
            first.setClientID(id);
            Session session = first.createSession();
            Queue queue = session.createQueue(Names.unique("exception"));
            Topic none = null;
            assertChecked(IllegalStateException.class, session::commit);
            assertChecked(IllegalStateException.class, () -> first.setClientID("x"));
            assertChecked(InvalidClientIDException.class, () -> second.setClientID(id));
            assertChecked(InvalidDestinationException.class, () -> session.createConsumer(none));
            assertChecked(InvalidDestinationException.class, () -> session.unsubscribe("missing"));
            assertChecked(InvalidSelectorException.class, () -> session.createConsumer(queue, "a ="));
            assertChecked(
                    JMSException.class, () -> session.createProducer(queue).setPriority(10));
            session.close();
            assertChecked(IllegalStateException.class, () -> session.createConsumer(queue));
        }
    }

    @OurClients
    @Clause({
        "10.2",
        "10.3",
        "MessageEOFException: the end of a stream or of bytes",
        "MessageFormatException: a type that is not supported, or a conversion that is not",
        "MessageNotReadableException: reading what is being written",
        "MessageNotWriteableException: writing what is read-only"
    })
    void standardExceptionsOfMessages(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        BytesMessage bytes = session.createBytesMessage();
        assertChecked(MessageNotReadableException.class, bytes::readInt);
        bytes.reset();
        assertChecked(MessageEOFException.class, bytes::readInt);
        assertChecked(MessageNotWriteableException.class, () -> bytes.writeInt(1));
        var stream = session.createStreamMessage();
        stream.writeBoolean(true);
        assertChecked(MessageNotReadableException.class, stream::readInt);
        assertChecked(MessageFormatException.class, () -> stream.writeObject(List.of()));
        stream.reset();
        assertChecked(MessageFormatException.class, stream::readInt);
        stream.readBoolean();
        assertChecked(MessageEOFException.class, stream::readInt);
        assertChecked(MessageNotWriteableException.class, () -> stream.writeInt(1));
        Message message = session.createTextMessage("x");
        assertChecked(MessageFormatException.class, () -> message.setObjectProperty("a", List.of()));
        assertChecked(MessageFormatException.class, () -> message.getBody(Integer.class));
        message.setIntProperty("a", 1);
        assertChecked(MessageFormatException.class, () -> message.getBooleanProperty("a"));
        assertChecked(
                MessageFormatException.class, () -> session.createMapMessage().setObject("a", List.of()));
    }

    @OurClients
    @Clause({
        "10.2",
        "10.3",
        "JMSRuntimeException.getErrorCode: the provider's code",
        "IllegalStateRuntimeException: a call at an illegal time",
        "InvalidClientIDRuntimeException: a client identifier that is in use",
        "InvalidDestinationRuntimeException: a destination that is not understood",
        "InvalidSelectorRuntimeException: a selector with a syntax error",
        "MessageFormatRuntimeException: a type or a message that is not supported",
        "MessageNotWriteableRuntimeException: writing what is read-only"
    })
    void uncheckedExceptionsAreOfTheSameKinds(JmsClient client) {
        String id = Names.unique("client");
        try (JMSContext first = client.factory().createContext();
                JMSContext second = client.factory().createContext()) {
            first.setClientID(id);
            Queue queue = first.createQueue(Names.unique("exception"));
            JMSProducer producer = first.createProducer();
            assertUnchecked(IllegalStateRuntimeException.class, first::commit);
            assertUnchecked(InvalidClientIDRuntimeException.class, () -> second.setClientID(id));
            assertUnchecked(InvalidDestinationRuntimeException.class, () -> first.createConsumer(null));
            assertUnchecked(InvalidSelectorRuntimeException.class, () -> first.createConsumer(queue, "a ="));
            assertUnchecked(MessageFormatRuntimeException.class, () -> producer.send(queue, (Message) null));
            assertUnchecked(JMSRuntimeException.class, () -> producer.setPriority(10));
            producer.send(queue, "text");
            Message received = first.createConsumer(queue).receive(Names.WAIT_MS);
            producer.setProperty("a", 1);
            assertUnchecked(MessageNotWriteableRuntimeException.class, () -> producer.send(queue, received));
        }
    }

    @OurClients
    @Clause({
        "10.3",
        "XASession.getTransacted: true",
        "XASession.commit: TransactionInProgressException",
        "XASession.rollback: TransactionInProgressException",
        "XAJMSContext.getTransacted: true",
        "XAJMSContext.commit: TransactionInProgressRuntimeException",
        "XAJMSContext.rollback: TransactionInProgressRuntimeException",
        "XASession.getXAResource: the session's",
        "XAJMSContext.getXAResource: the context's"
    })
    void sessionsOfDistributedTransactionsDoNotCommit(JmsClient client) throws Exception {
        try (XAConnection connection = client.xaFactory().createXAConnection();
                XASession session = connection.createXASession();
                XAJMSContext context = client.xaFactory().createXAContext()) {
            assertThat(session.getTransacted()).isTrue();
            assertThat(session.getXAResource()).isNotNull();
            assertThat(session.getXAResource().isSameRM(session.getXAResource()))
                    .isTrue();
            assertChecked(TransactionInProgressException.class, session::commit);
            assertChecked(TransactionInProgressException.class, session::rollback);
            assertThat(context.getTransacted()).isTrue();
            assertThat(context.getXAResource()).isNotNull();
            assertUnchecked(TransactionInProgressRuntimeException.class, context::commit);
            assertUnchecked(TransactionInProgressRuntimeException.class, context::rollback);
        }
    }

    @OurClients
    @Clause({
        "10.2",
        "JMSException.getLinkedException: the lower-level problem, if there is one",
        "JMSException.getCause: the lower-level problem, if there is one"
    })
    void theProblemBelowIsLinked(JmsClient client) throws Exception {
        String uri = client == JmsClient.MAINSTEM_VM
                ? "vm://" + Names.unique("nobody")
                : "amqp://127.0.0.1:1"; // no ephemeral port, so that no broker of another test comes to listen there
        Throwable thrown = catchThrowable(() -> new MainstemConnectionFactory(uri).createConnection());
        assertThat(thrown).isInstanceOf(JMSException.class);
        assertThat(((JMSException) thrown).getErrorCode()).matches("MS-\\d{4}");
        if (client != JmsClient.MAINSTEM_VM) {
            assertThat(((JMSException) thrown).getLinkedException()).isInstanceOf(IOException.class);
            assertThat(thrown).hasRootCauseInstanceOf(IOException.class);
        }
    }
}
