package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageNotWriteableException;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The API documentation of MapMessage, sentence by sentence. */
final class MapApiTest {
    @RegisterExtension
    static final OpenConnections OPEN = new OpenConnections();

    private static MapMessage message(JmsClient client) throws JMSException {
        return OPEN.session(client).createMapMessage();
    }

    private static MapMessage passed(JmsClient client, MapMessage message) throws JMSException {
        Session session = OPEN.session(client);
        Queue queue = session.createQueue(Names.unique("map"));
        session.createProducer(queue).send(message);
        try (MessageConsumer consumer = session.createConsumer(queue)) {
            return (MapMessage) consumer.receive(Names.WAIT_MS);
        }
    }

    private static ThrowingCallable[] setters(MapMessage message, String name) {
        return new ThrowingCallable[] {
            () -> message.setBoolean(name, true),
            () -> message.setByte(name, (byte) 1),
            () -> message.setShort(name, (short) 1),
            () -> message.setChar(name, 'c'),
            () -> message.setInt(name, 1),
            () -> message.setLong(name, 1),
            () -> message.setFloat(name, 1),
            () -> message.setDouble(name, 1),
            () -> message.setString(name, "text"),
            () -> message.setBytes(name, new byte[1]),
            () -> message.setBytes(name, new byte[2], 1, 1),
            () -> message.setObject(name, "text")
        };
    }

    @AllClients
    @Clause({
        "MapMessage.setBoolean: got as set",
        "MapMessage.setByte: got as set",
        "MapMessage.setShort: got as set",
        "MapMessage.setChar: got as set",
        "MapMessage.setInt: got as set",
        "MapMessage.setLong: got as set",
        "MapMessage.setFloat: got as set",
        "MapMessage.setDouble: got as set",
        "MapMessage.setString: got as set",
        "MapMessage.setObject: equivalent to the method of the primitive type",
        "MapMessage.getObject: in objectified format",
        "MapMessage.getObject: byte values as byte[]"
    })
    void everySetterHasItsGetter(JmsClient client) throws Exception {
        MapMessage primitive = message(client);
        primitive.setBoolean("boolean", true);
        primitive.setByte("byte", (byte) 1);
        primitive.setShort("short", (short) 2);
        primitive.setChar("char", 'c');
        primitive.setInt("int", 3);
        primitive.setLong("long", 4);
        primitive.setFloat("float", 5.5f);
        primitive.setDouble("double", 6.5);
        primitive.setString("String", "text");
        primitive.setBytes("bytes", new byte[] {1});
        MapMessage objects = message(client);
        for (String name : Enumerated.names(primitive.getMapNames())) {
            objects.setObject(name, primitive.getObject(name));
        }
        for (MapMessage message : List.of(primitive, objects, passed(client, objects))) {
            assertThat(message.getBoolean("boolean")).isTrue();
            assertThat(message.getByte("byte")).isEqualTo((byte) 1);
            assertThat(message.getShort("short")).isEqualTo((short) 2);
            assertThat(message.getChar("char")).isEqualTo('c');
            assertThat(message.getInt("int")).isEqualTo(3);
            assertThat(message.getLong("long")).isEqualTo(4);
            assertThat(message.getFloat("float")).isEqualTo(5.5f);
            assertThat(message.getDouble("double")).isEqualTo(6.5);
            assertThat(message.getString("String")).isEqualTo("text");
            assertThat(message.getObject("boolean")).isEqualTo(true);
            assertThat(message.getObject("byte")).isEqualTo((byte) 1);
            assertThat(message.getObject("short")).isEqualTo((short) 2);
            assertThat(message.getObject("char")).isEqualTo('c');
            assertThat(message.getObject("int")).isEqualTo(3);
            assertThat(message.getObject("float")).isEqualTo(5.5f);
            assertThat(message.getObject("bytes")).isEqualTo(new byte[] {1});
        }
    }

    @AllClients
    @Clause("MapMessage.setX: IllegalArgumentException if the name is null or an empty string")
    void namesMustBeGiven(JmsClient client) throws Exception {
        MapMessage message = message(client);
        Refused.allWith(IllegalArgumentException.class, setters(message, null));
        Refused.allWith(IllegalArgumentException.class, setters(message, ""));
        assertThat(message.getMapNames().hasMoreElements()).isFalse();
    }

    @AllClients
    @Clause({
        "MapMessage.setX: MessageNotWriteableException in read-only mode",
        "MapMessage.clearBody: a received message can be read and written then"
    })
    void aReceivedMessageIsReadOnlyUntilCleared(JmsClient client) throws Exception {
        MapMessage sent = message(client);
        sent.setInt("n", 1);
        MapMessage received = passed(client, sent);
        Refused.allWith(MessageNotWriteableException.class, setters(received, "n"));
        received.clearBody();
        assertThat(received.itemExists("n")).isFalse();
        received.setInt("m", 2);
        assertThat(received.getInt("m")).isEqualTo(2);
    }

    @AllClients
    @Clause({
        "MapMessage.getString: null if there is no item by this name",
        "MapMessage.getBytes: null if there is no item by this name",
        "MapMessage.getObject: null if there is no item by this name",
        "MapMessage.getX: a null value is read by the valueOf of its type",
        "MapMessage.getChar: NullPointerException for a null value"
    })
    void whatIsNotThereIsNull(JmsClient client) throws Exception {
        MapMessage message = message(client);
        message.setString("null", null);
        for (String name : List.of("missing", "null")) {
            assertThat(message.getString(name)).isNull();
            assertThat(message.getBytes(name)).isNull();
            assertThat(message.getObject(name)).isNull();
            assertThat(message.getBoolean(name)).isFalse();
            Refused.allWith(
                    NumberFormatException.class,
                    () -> message.getByte(name),
                    () -> message.getShort(name),
                    () -> message.getInt(name),
                    () -> message.getLong(name));
            Refused.allWith(
                    NullPointerException.class,
                    () -> message.getFloat(name),
                    () -> message.getDouble(name),
                    () -> message.getChar(name));
        }
    }

    @AllClients
    @Clause({
        "MapMessage.setBytes: the array is copied",
        "MapMessage.getBytes: a copy",
        "MapMessage.getObject: a copy",
        "MapMessage.setBytes: a part of an array"
    })
    void arraysAreCopied(JmsClient client) throws Exception {
        MapMessage message = message(client);
        byte[] bytes = {1, 2, 3};
        message.setBytes("all", bytes);
        message.setBytes("part", bytes, 1, 1);
        bytes[0] = 9;
        bytes[1] = 9;
        message.getBytes("all")[0] = 8;
        ((byte[]) message.getObject("all"))[0] = 8;
        assertThat(message.getBytes("all")).containsExactly(1, 2, 3);
        assertThat(message.getBytes("part")).containsExactly(2);
    }

    @AllClients
    @Clause({
        "MapMessage.getX: MessageFormatException for a conversion that is not in the table",
        "MapMessage.setObject: MessageFormatException for other classes",
        "MapMessage.itemExists: true if the item exists",
        "MapMessage.getMapNames: all the names",
        "MapMessage.setX: a name set again has the new value"
    })
    void itemsHaveNamesAndTypes(JmsClient client) throws Exception {
        MapMessage message = message(client);
        message.setInt("a", 1);
        message.setString("b", null);
        Refused.allWith(
                MessageFormatException.class,
                () -> message.getBoolean("a"),
                () -> message.getByte("a"),
                () -> message.getShort("a"),
                () -> message.getChar("a"),
                () -> message.getFloat("a"),
                () -> message.getDouble("a"),
                () -> message.getBytes("a"),
                () -> message.setObject("c", List.of()),
                () -> message.setObject("c", new Byte[0]));
        assertThat(message.itemExists("a")).isTrue();
        assertThat(message.itemExists("b")).isTrue();
        assertThat(message.itemExists("c")).isFalse();
        assertThat(Enumerated.names(message.getMapNames())).containsExactlyInAnyOrder("a", "b");
        message.setString("a", "new");
        assertThat(message.getString("a")).isEqualTo("new");
    }
}
