package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageEOFException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageNotReadableException;
import jakarta.jms.MessageNotWriteableException;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Queue;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Message bodies (Jakarta Messaging 3.11, 3.12, and the interfaces of the five types). */
final class BodyTest {
    private static <M extends Message> M passed(JMSContext context, M message, Class<M> type) {
        Queue queue = context.createQueue(Names.unique("body"));
        context.createProducer().send(queue, message);
        Message received = context.createConsumer(queue).receive(Names.WAIT_MS);
        assertThat(received).as("3.11.4: the type stays").isInstanceOf(type);
        return type.cast(received);
    }

    @AllClients
    @Clause({"3.11.4", "Message.getBody", "Message.isBodyAssignableTo", "TextMessage.getText"})
    void textsArrive(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            for (String text : List.of("", "text", "häßlich \uD83D\uDE00", "x".repeat(70_000))) {
                TextMessage received = passed(context, context.createTextMessage(text), TextMessage.class);
                assertThat(received.getText()).isEqualTo(text);
                assertThat(received.getBody(CharSequence.class)).isEqualTo(text);
                assertThat(received.isBodyAssignableTo(Object.class)).isTrue();
                assertThat(received.isBodyAssignableTo(Integer.class)).isFalse();
                assertThatThrownBy(() -> received.getBody(Integer.class)).isInstanceOf(MessageFormatException.class);
                assertThatThrownBy(() -> received.setText("x")).isInstanceOf(MessageNotWriteableException.class);
            }
            TextMessage none = passed(context, context.createTextMessage(), TextMessage.class);
            assertThat(none.getText()).isNull();
            assertThat(none.getBody(String.class)).isNull();
            assertThat(none.isBodyAssignableTo(Integer.class)).isTrue();
        }
    }

    @AllClients
    @Clause({"3.12", "3.11.4", "ObjectMessage.setObject", "ObjectMessage.getObject"})
    void objectsAreCopied(JmsClient client) throws Exception {
        String trust = client == JmsClient.QPID ? "jms.deserializationPolicy.allowList=*" : "jms.trustedPackages=*";
        try (JMSContext context = client.factory(trust).createContext()) {
            ArrayList<String> object = new ArrayList<>(List.of("a"));
            ObjectMessage sent = context.createObjectMessage(object);
            object.add("b");
            ObjectMessage received = passed(context, sent, ObjectMessage.class);
            assertThat(received.getObject()).isEqualTo(List.of("a")).isNotSameAs(received.getObject());
            assertThat(received.getBody(Serializable.class)).isEqualTo(List.of("a"));
            assertThatThrownBy(() -> received.setObject("x")).isInstanceOf(MessageNotWriteableException.class);
            assertThat(passed(context, context.createObjectMessage(null), ObjectMessage.class)
                            .getObject())
                    .isNull();
        }
    }

    @AllClients
    @Clause({
        "3.11.4",
        "3.12",
        "MapMessage.setBytes",
        "MapMessage.getMapNames",
        "MapMessage.itemExists",
        "Message.getBody"
    })
    void mapsArrive(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            MapMessage sent = context.createMapMessage();
            byte[] bytes = {1, 2, 3};
            sent.setBytes("bytes", bytes);
            bytes[0] = 9;
            sent.setBytes("part", bytes, 1, 2);
            sent.setChar("char", 'c');
            sent.setString("null", null);
            sent.setObject("long", 5L);
            for (String wrong : new String[] {null, ""}) {
                assertThatThrownBy(() -> sent.setInt(wrong, 1)).isInstanceOf(IllegalArgumentException.class);
            }
            assertThatThrownBy(() -> sent.setObject("o", List.of())).isInstanceOf(MessageFormatException.class);
            MapMessage map = passed(context, sent, MapMessage.class);
            assertThat(Enumerated.names(map.getMapNames()))
                    .containsExactlyInAnyOrder("bytes", "part", "char", "null", "long");
            assertThat(map.getBytes("bytes")).containsExactly(1, 2, 3);
            map.getBytes("bytes")[0] = 7;
            assertThat(map.getBytes("bytes")).containsExactly(1, 2, 3);
            assertThat(map.getBytes("part")).containsExactly(2, 3);
            assertThat(map.getChar("char")).isEqualTo('c');
            assertThat(map.getString("null")).isNull();
            assertThat(map.itemExists("null")).isTrue();
            assertThat(map.itemExists("missing")).isFalse();
            assertThat(map.getObject("missing")).isNull();
            assertThatThrownBy(() -> map.setInt("n", 1)).isInstanceOf(MessageNotWriteableException.class);
            Map<?, ?> body = map.getBody(Map.class);
            assertThat(body).hasSize(5);
            assertThat(body.get("long")).isEqualTo(5L);
            assertThat(map.isBodyAssignableTo(List.class)).isFalse();
        }
    }

    @OurClients
    @Clause({"BytesMessage", "BytesMessage.reset", "BytesMessage.getBodyLength", "BytesMessage.readBytes", "3.11.2"})
    void bytesAreWrittenThenRead(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            BytesMessage sent = context.createBytesMessage();
            assertThatThrownBy(sent::readByte).isInstanceOf(MessageNotReadableException.class);
            assertThatThrownBy(sent::getBodyLength).isInstanceOf(MessageNotReadableException.class);
            assertThatThrownBy(() -> sent.writeObject(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> sent.writeObject(List.of())).isInstanceOf(MessageFormatException.class);
            sent.writeByte((byte) -1);
            sent.writeInt(7);
            sent.writeUTF("text");
            sent.writeBytes(new byte[] {1, 2, 3});
            sent.reset();
            assertThatThrownBy(() -> sent.writeByte((byte) 1)).isInstanceOf(MessageNotWriteableException.class);
            BytesMessage received = passed(context, sent, BytesMessage.class);
            for (BytesMessage message : List.of(sent, received)) {
                message.reset();
                assertThat(message.getBodyLength()).isEqualTo(14);
                assertThat(message.readUnsignedByte()).isEqualTo(255);
                assertThat(message.readInt()).isEqualTo(7);
                assertThat(message.readUTF()).isEqualTo("text");
                assertThatThrownBy(message::readInt).isInstanceOf(MessageEOFException.class);
                byte[] all = new byte[5];
                assertThat(message.readBytes(all)).isEqualTo(3);
                assertThat(message.readBytes(all)).isEqualTo(-1);
                assertThatThrownBy(() -> message.readBytes(all, 6)).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(message::readByte).isInstanceOf(MessageEOFException.class);
            }
            assertThat(received.getBody(byte[].class)).hasSize(14);
            assertThatThrownBy(() -> received.getBody(String.class)).isInstanceOf(MessageFormatException.class);
            received.clearBody();
            received.writeByte((byte) 1);
        }
    }

    @AllClients
    @Clause({"StreamMessage", "StreamMessage.readBytes", "StreamMessage.readObject", "3.11.3", "Message.getBody"})
    void streamsKeepTypesAndPosition(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            StreamMessage sent = context.createStreamMessage();
            assertThatThrownBy(sent::readInt).isInstanceOf(MessageNotReadableException.class);
            assertThatThrownBy(() -> sent.writeObject(List.of())).isInstanceOf(MessageFormatException.class);
            sent.writeString("seven");
            sent.writeBytes(new byte[] {1, 2, 3});
            sent.writeObject(null);
            sent.writeChar('c');
            StreamMessage stream = passed(context, sent, StreamMessage.class);
            assertThatThrownBy(() -> stream.writeInt(1)).isInstanceOf(MessageNotWriteableException.class);
            assertThatThrownBy(stream::readInt).isInstanceOf(NumberFormatException.class);
            assertThatThrownBy(stream::readChar).isInstanceOf(MessageFormatException.class);
            assertThat(stream.readString()).isEqualTo("seven");
            byte[] two = new byte[2];
            assertThat(stream.readBytes(two)).isEqualTo(2);
            assertThatThrownBy(stream::readString).isInstanceOf(MessageFormatException.class);
            assertThat(stream.readBytes(two)).isEqualTo(1);
            assertThat(stream.readObject()).isNull();
            assertThatThrownBy(stream::readInt).isInstanceOf(MessageFormatException.class);
            assertThat(stream.readChar()).isEqualTo('c');
            assertThatThrownBy(stream::readInt).isInstanceOf(MessageEOFException.class);
            assertThatThrownBy(() -> stream.getBody(Object.class)).isInstanceOf(MessageFormatException.class);
            assertThat(stream.isBodyAssignableTo(Object.class)).isFalse();
            stream.reset();
            assertThat(stream.readString()).isEqualTo("seven");
        }
    }

    @AllClients
    @Clause({"3.12", "6.2.4"})
    void messagesOfOtherProvidersAndSessionsAreSent(JmsClient client) throws Exception {
        JmsClient maker = client == JmsClient.QPID ? JmsClient.MAINSTEM_AMQP : JmsClient.QPID;
        try (JMSContext other = maker.factory().createContext();
                JMSContext context = client.factory().createContext()) {
            for (JMSContext foreign : List.of(other, context.createContext(JMSContext.AUTO_ACKNOWLEDGE))) {
                Message text = foreign.createTextMessage("text");
                text.setIntProperty("n", 1);
                text.setJMSCorrelationID("c");
                TextMessage received = (TextMessage) passed(context, text, Message.class);
                assertThat(received.getText()).isEqualTo("text");
                assertThat(received.getIntProperty("n")).isEqualTo(1);
                assertThat(received.getJMSCorrelationID()).isEqualTo("c");
                assertThat(text.getJMSMessageID()).isEqualTo(received.getJMSMessageID());
                passedForeign(context, foreign);
            }
        }
    }

    private static void passedForeign(JMSContext context, JMSContext foreign) throws JMSException {
        MapMessage map = foreign.createMapMessage();
        map.setLong("n", 5);
        assertThat(((MapMessage) passed(context, map, Message.class)).getObject("n"))
                .isEqualTo(5L);
        BytesMessage bytes = foreign.createBytesMessage();
        bytes.writeInt(5);
        assertThat(((BytesMessage) passed(context, bytes, Message.class)).readInt())
                .isEqualTo(5);
        StreamMessage stream = foreign.createStreamMessage();
        stream.writeBoolean(true);
        assertThat(((StreamMessage) passed(context, stream, Message.class)).readBoolean())
                .isTrue();
        assertThat(passed(context, foreign.createMessage(), Message.class)).isNotInstanceOf(TextMessage.class);
    }
}
