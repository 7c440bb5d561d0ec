package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageNotWriteableException;
import jakarta.jms.MessageProducer;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The API documentation of Message, TextMessage and ObjectMessage, sentence by sentence. */
final class MessageApiTest {
    @RegisterExtension
    static final OpenConnections OPEN = new OpenConnections();

    private static Message passed(JmsClient client, Message message) throws JMSException {
        Session session = OPEN.session(client);
        Queue queue = session.createQueue(Names.unique("message"));
        try (MessageConsumer consumer = session.createConsumer(queue);
                MessageProducer producer = session.createProducer(queue)) {
            producer.send(message);
            return consumer.receive(Names.WAIT_MS);
        }
    }

    @AllClients
    @Clause({
        "Message.getJMSReplyTo: null if not set",
        "Message.getJMSCorrelationID: null if not set",
        "Message.getJMSType: null if not set"
    })
    void aNewMessageIsEmpty(JmsClient client) throws Exception {
        Message message = OPEN.session(client).createMessage();
        assertThat(message.getJMSReplyTo()).isNull();
        assertThat(message.getJMSCorrelationID()).isNull();
        assertThat(message.getJMSType()).isNull();
    }

    @AllClients
    @Clause({
        "Message.setJMSMessageID: not the client's, ignored by send",
        "Message.setJMSTimestamp: not the client's, ignored by send",
        "Message.setJMSDestination: not the client's, ignored by send",
        "Message.setJMSDeliveryMode: not the client's, ignored by send",
        "Message.setJMSRedelivered: not the client's, ignored by send",
        "Message.setJMSExpiration: not the client's, ignored by send",
        "Message.setJMSDeliveryTime: not the client's, ignored by send",
        "Message.setJMSPriority: not the client's, ignored by send",
        "Message.getJMSTimestamp: between the call of send and its return",
        "Message.getJMSMessageID: starts with ID:",
        "Message.getJMSDestination: the same when received",
        "Message.getJMSPriority: the producer's",
        "Message.getJMSExpiration: 0 without time to live"
    })
    void whatTheProviderSetsIsNotTheClients(JmsClient client) throws Exception {
        Message message = OPEN.session(client).createMessage();
        message.setJMSMessageID("ID:mine");
        message.setJMSTimestamp(1);
        message.setJMSDestination(OPEN.session(client).createQueue("elsewhere"));
        message.setJMSDeliveryMode(DeliveryMode.NON_PERSISTENT);
        message.setJMSRedelivered(true);
        message.setJMSExpiration(1);
        message.setJMSDeliveryTime(Long.MAX_VALUE);
        message.setJMSPriority(9);
        long before = System.currentTimeMillis();
        Message received = passed(client, message);
        long after = System.currentTimeMillis();
        for (Message each : List.of(message, received)) {
            assertThat(each.getJMSMessageID()).startsWith("ID:").isNotEqualTo("ID:mine");
            assertThat(each.getJMSTimestamp()).isBetween(before, after);
            assertThat(each.getJMSDestination().toString()).doesNotContain("elsewhere");
            assertThat(each.getJMSDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
            assertThat(each.getJMSExpiration()).isZero();
            assertThat(each.getJMSPriority()).isEqualTo(4);
        }
        assertThat(received.getJMSDeliveryTime()).isBetween(before, after);
        assertThat(received.getJMSRedelivered()).isFalse();
        assertThat(received.getJMSDestination()).isEqualTo(message.getJMSDestination());
        assertThat(received.getJMSMessageID()).isEqualTo(message.getJMSMessageID());
        assertThat(received.getJMSTimestamp()).isEqualTo(message.getJMSTimestamp());
    }

    @OurClients
    @Clause({"Message.setJMSCorrelationIDAsBytes: the array is copied", "Message.getJMSCorrelationIDAsBytes: as set"})
    void correlationBytesAreCopied(JmsClient client) throws Exception {
        Message message = OPEN.session(client).createMessage();
        byte[] id = {1, 2};
        message.setJMSCorrelationIDAsBytes(id);
        id[0] = 9;
        assertThat(message.getJMSCorrelationIDAsBytes()).containsExactly(1, 2);
        message.getJMSCorrelationIDAsBytes()[0] = 9;
        assertThat(message.getJMSCorrelationIDAsBytes()).containsExactly(1, 2);
    }

    private static ThrowingCallable[] setters(Message message, String name) {
        return new ThrowingCallable[] {
            () -> message.setBooleanProperty(name, true),
            () -> message.setByteProperty(name, (byte) 1),
            () -> message.setShortProperty(name, (short) 1),
            () -> message.setIntProperty(name, 1),
            () -> message.setLongProperty(name, 1),
            () -> message.setFloatProperty(name, 1),
            () -> message.setDoubleProperty(name, 1),
            () -> message.setStringProperty(name, "1"),
            () -> message.setObjectProperty(name, 1)
        };
    }

    @AllClients
    @Clause({
        "Message.setXProperty: IllegalArgumentException if the name is null or an empty string",
        "Message.setXProperty: MessageNotWriteableException if properties are read-only",
        "Message.clearProperties: properties of a received message can be written then",
        "Message.clearProperties: header fields and body stay"
    })
    void propertiesAreSetByNameWhileTheyMay(JmsClient client) throws Exception {
        TextMessage message = OPEN.session(client).createTextMessage("text");
        Refused.allWith(IllegalArgumentException.class, setters(message, null));
        Refused.allWith(IllegalArgumentException.class, setters(message, ""));
        message.setJMSType("t");
        message.setIntProperty("a", 1);
        TextMessage received = (TextMessage) passed(client, message);
        Refused.allWith(MessageNotWriteableException.class, setters(received, "a"));
        received.clearProperties();
        assertThat(received.propertyExists("a")).isFalse();
        assertThat(received.getJMSType()).isEqualTo("t");
        assertThat(received.getText()).isEqualTo("text");
        received.setIntProperty("a", 2);
        assertThat(received.getIntProperty("a")).isEqualTo(2);
    }

    @AllClients
    @Clause({
        "Message.setBooleanProperty: got objectified",
        "Message.setByteProperty: got objectified",
        "Message.setShortProperty: got objectified",
        "Message.setIntProperty: got objectified",
        "Message.setLongProperty: got objectified",
        "Message.setFloatProperty: got objectified",
        "Message.setDoubleProperty: got objectified",
        "Message.setStringProperty: got objectified",
        "Message.setObjectProperty: equivalent to the method of the primitive type",
        "Message.setXProperty: a name set again has the new value",
        "Message.getPropertyNames: all the names, no header fields"
    })
    void everySetterHasItsGetter(JmsClient client) throws Exception {
        Message message = OPEN.session(client).createMessage();
        message.setJMSType("t");
        for (ThrowingCallable setter : setters(message, "again")) {
            assertThatCode(setter).doesNotThrowAnyException();
        }
        assertThat(message.getObjectProperty("again")).isEqualTo(1);
        message.setBooleanProperty("boolean", true);
        message.setByteProperty("byte", (byte) 1);
        message.setShortProperty("short", (short) 2);
        message.setIntProperty("int", 3);
        message.setLongProperty("long", 4);
        message.setFloatProperty("float", 5.5f);
        message.setDoubleProperty("double", 6.5);
        message.setStringProperty("String", "text");
        message.setObjectProperty("object", 7L);
        assertThat(message.getObjectProperty("boolean")).isEqualTo(true);
        assertThat(message.getObjectProperty("byte")).isEqualTo((byte) 1);
        assertThat(message.getObjectProperty("short")).isEqualTo((short) 2);
        assertThat(message.getObjectProperty("int")).isEqualTo(3);
        assertThat(message.getObjectProperty("long")).isEqualTo(4L);
        assertThat(message.getObjectProperty("float")).isEqualTo(5.5f);
        assertThat(message.getObjectProperty("double")).isEqualTo(6.5);
        assertThat(message.getObjectProperty("String")).isEqualTo("text");
        assertThat(message.getLongProperty("object")).isEqualTo(7);
        assertThat(Enumerated.names(message.getPropertyNames()))
                .contains("again", "boolean", "byte", "short", "int", "long", "float", "double", "String", "object")
                .doesNotContain("JMSType");
    }

    @AllClients
    @Clause({
        "Message.getBody: null for a message without a body, whatever the type",
        "Message.isBodyAssignableTo: true for a message without a body, whatever the type"
    })
    void noBodyIsEveryType(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        for (Message message : List.of(
                session.createMessage(),
                session.createTextMessage(),
                session.createObjectMessage(),
                session.createMapMessage(),
                session.createBytesMessage())) {
            for (Class<?> type : List.of(String.class, Integer.class, Map.class, byte[].class, Thread.class)) {
                assertThat(message.isBodyAssignableTo(type)).isTrue();
                Object body = message.getBody(type);
                assertThat(body).isNull();
            }
        }
    }

    @AllClients
    @Clause({
        "Message.getBody: String and its supertypes for a TextMessage",
        "Message.getBody: Map and Object for a MapMessage",
        "Message.getBody: byte[] and Object for a BytesMessage",
        "Message.getBody: the object's supertypes for an ObjectMessage",
        "Message.getBody: MessageFormatException for other types",
        "Message.getBody: MessageFormatException for a StreamMessage",
        "Message.isBodyAssignableTo: tells whether getBody would throw",
        "Message.isBodyAssignableTo: false for a StreamMessage"
    })
    void bodiesHaveTypes(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        var map = session.createMapMessage();
        map.setInt("a", 1);
        BytesMessage bytes = session.createBytesMessage();
        bytes.writeInt(1);
        bytes.reset();
        var stream = session.createStreamMessage();
        stream.writeInt(1);
        assertTypes(session.createTextMessage("text"), String.class, CharSequence.class, Serializable.class);
        assertTypes(map, Map.class, Object.class);
        assertTypes(bytes, byte[].class, Object.class);
        assertTypes(stream);
    }

    private static void assertTypes(Message message, Class<?>... types) throws JMSException {
        for (Class<?> type :
                List.of(String.class, CharSequence.class, Map.class, byte[].class, Serializable.class, Integer.class)) {
            boolean assignable = List.of(types).contains(type);
            if (type != Serializable.class || message instanceof TextMessage) {
                assertThat(message.isBodyAssignableTo(type)).as("%s", type).isEqualTo(assignable);
                if (assignable) {
                    Object body = message.getBody(type);
                    assertThat(body).isInstanceOf(type);
                } else {
                    Refused.allWith(MessageFormatException.class, () -> message.getBody(type));
                }
            }
        }
    }

    @AllClients
    @Clause({
        "TextMessage.getText: null by default",
        "TextMessage.setText: null clears it",
        "TextMessage.setText: MessageNotWriteableException in read-only mode",
        "ObjectMessage.getObject: null by default",
        "ObjectMessage.setObject: MessageNotWriteableException in read-only mode",
        "Message.clearBody: as an empty body of a new message",
        "Message.clearBody: header fields and properties stay"
    })
    void textAndObject(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        TextMessage text = session.createTextMessage();
        assertThat(text.getText()).isNull();
        text.setText("text");
        text.setText(null);
        assertThat(text.getText()).isNull();
        ObjectMessage object = session.createObjectMessage();
        assertThat(object.getObject()).isNull();
        text.setText("text");
        text.setJMSType("t");
        text.setIntProperty("a", 1);
        TextMessage receivedText = (TextMessage) passed(client, text);
        ObjectMessage receivedObject = (ObjectMessage) passed(client, object);
        Refused.allWith(
                MessageNotWriteableException.class, () -> receivedText.setText("x"), () -> receivedObject.setObject(1));
        receivedText.clearBody();
        assertThat(receivedText.getText()).isNull();
        assertThat(receivedText.getJMSType()).isEqualTo("t");
        assertThat(receivedText.getIntProperty("a")).isEqualTo(1);
        receivedText.setText("x");
        receivedObject.clearBody();
        receivedObject.setObject(1);
    }

    @AllClients
    @Clause("ObjectMessage.setObject: MessageFormatException if object serialization fails")
    void objectsThatCannotBeSerialised(JmsClient client) throws Exception {
        ObjectMessage message = OPEN.session(client).createObjectMessage();
        Refused.allWith(MessageFormatException.class, () -> message.setObject(new ArrayList<>(List.of(new Object()))));
    }

    @OurClients
    @Clause({
        "ObjectMessage.getObject: MessageFormatException if object deserialization fails",
        "Message.getBody: MessageFormatException if object deserialization fails",
        "Message.isBodyAssignableTo: false if object deserialization fails"
    })
    void objectsOfPackagesThatAreNotTrusted(JmsClient client) throws Exception {
        ObjectMessage message = OPEN.session(client).createObjectMessage(JmsClient.QPID);
        ObjectMessage received = (ObjectMessage) passed(client, message);
        Refused.allWith(MessageFormatException.class, received::getObject, () -> received.getBody(Serializable.class));
        assertThat(received.isBodyAssignableTo(Serializable.class)).isFalse();
    }

    @AllClients
    @Clause({
        "Message.acknowledge: ignored in transacted sessions",
        "Message.acknowledge: ignored in sessions that acknowledge automatically"
    })
    void acknowledgeIsForClientAcknowledge(JmsClient client) throws Exception {
        Connection connection = OPEN.connection(client);
        try (Session transacted = connection.createSession(Session.SESSION_TRANSACTED)) {
            Queue queue = transacted.createQueue(Names.unique("message"));
            passed(client, transacted.createMessage()).acknowledge();
            OPEN.session(client).createProducer(queue).send(transacted.createMessage());
            MessageConsumer consumer = transacted.createConsumer(queue);
            consumer.receive(Names.WAIT_MS).acknowledge();
            transacted.rollback();
            assertThat(consumer.receive(Names.WAIT_MS).getJMSRedelivered()).isTrue();
            transacted.commit();
        }
    }

    @AllClients
    @Clause({
        "Message: JMSX properties may be in selectors, absent as any other",
        "Message: an empty selector is no selector"
    })
    void selectorsOfAbsentProperties(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Queue queue = session.createQueue(Names.unique("message"));
        session.createProducer(queue).send(session.createMessage());
        try (MessageConsumer none = session.createConsumer(queue, "JMSXGroupID = 'g'")) {
            assertThat(none.receiveNoWait()).isNull();
        }
        try (MessageConsumer absent = session.createConsumer(queue, "JMSXGroupID IS NULL")) {
            assertThat(absent.receive(Names.WAIT_MS)).isNotNull();
        }
        session.createProducer(queue).send(session.createMessage());
        try (MessageConsumer all = session.createConsumer(queue, "")) {
            assertThat(all.receive(Names.WAIT_MS)).isNotNull();
        }
    }
}
