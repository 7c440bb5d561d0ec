package io.mainstem.jms.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.jms.destination.MainstemQueue;
import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;
import jakarta.jms.ObjectMessage;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Messages that another provider made: Jakarta Messaging 3.12. */
final class ForeignMessageTest {
    /** The message behind an interface of the API only, as another provider's would be. */
    private static <M extends Message> M foreign(Class<M> type, M message) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            try {
                return method.invoke(message, arguments);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Test
    @DisplayName("3.12: all types of a foreign provider are sent, with properties and the sender's headers")
    void foreignMessagesAreSent() throws JMSException {
        MapMessage map = Exchange.FACTORY.createMapMessage();
        map.setInt("a", 1);
        StreamMessage stream = Exchange.FACTORY.createStreamMessage();
        stream.writeInt(1);
        stream.writeString("x");
        BytesMessage bytes = Exchange.FACTORY.createBytesMessage();
        bytes.writeBytes(new byte[10_000]);
        Message plain = Exchange.FACTORY.createMessage();
        plain.setStringProperty("p", "v");
        plain.setStringProperty("JMSXGroupID", "g");
        plain.setJMSCorrelationID("c");
        plain.setJMSType("t");
        plain.setJMSReplyTo(new MainstemQueue("r"));

        assertThat(Exchange.passed(foreign(TextMessage.class, Exchange.FACTORY.createTextMessage("t")))
                        .getText())
                .isEqualTo("t");
        assertThat(Exchange.passed(foreign(MapMessage.class, map)).getInt("a")).isEqualTo(1);
        StreamMessage streamed = Exchange.passed(foreign(StreamMessage.class, stream));
        assertThat(streamed.readInt()).isEqualTo(1);
        assertThat(streamed.readString()).isEqualTo("x");
        assertThat(Exchange.passed(foreign(BytesMessage.class, bytes)).getBodyLength())
                .isEqualTo(10_000);
        assertThat(Exchange.passed(foreign(ObjectMessage.class, Exchange.FACTORY.createObjectMessage(null)))
                        .getObject())
                .isNull();
        Message received = Exchange.passed(foreign(Message.class, plain));
        assertThat(received.getStringProperty("p")).isEqualTo("v");
        assertThat(received.getStringProperty("JMSXGroupID")).isEqualTo("g");
        assertThat(received.getJMSCorrelationID()).isEqualTo("c");
        assertThat(received.getJMSType()).isEqualTo("t");
        assertThat(received.getJMSReplyTo()).isEqualTo(new MainstemQueue("r"));
    }

    @Test
    @DisplayName("3.12: the headers of the send call are set on the foreign object")
    void foreignMessagesAreToldTheirHeaders() throws JMSException {
        Message message = Exchange.FACTORY.createMessage();

        Exchange.sent(foreign(Message.class, message));

        assertThat(message.getJMSMessageID()).isEqualTo("ID:1");
        assertThat(message.getJMSDestination()).isEqualTo(Exchange.QUEUE);
        assertThat(message.getJMSTimestamp()).isEqualTo(Exchange.NOW_MS);
        assertThat(message.getJMSDeliveryTime()).isEqualTo(Exchange.NOW_MS);
    }

    @Test
    @DisplayName("3.12: a foreign message that cannot be read is MessageFormatException, with its cause")
    void unreadableForeignMessagesAreRefused() {
        TextMessage broken = (TextMessage) Proxy.newProxyInstance(
                TextMessage.class.getClassLoader(), new Class<?>[] {TextMessage.class}, (proxy, method, arguments) -> {
                    throw method.getName().equals("getText") ? new JMSException("gone") : new AssertionError(method);
                });

        assertThatThrownBy(() -> Exchange.sent(broken))
                .isInstanceOf(MessageFormatException.class)
                .hasMessageContaining("MS-0761")
                .hasRootCauseMessage("gone");
    }
}
