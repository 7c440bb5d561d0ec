package io.mainstem.jms.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.jms.destination.MainstemQueue;
import io.mainstem.jms.destination.MainstemTopic;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;
import jakarta.jms.TextMessage;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** ReceivedHeaders: Jakarta Messaging 3.4. */
final class MessageHeaderTest {
    @Test
    @DisplayName("3.4: what the send call decides stands in the sender's own message and in the received one")
    void theSendCallSetsSevenHeaders() throws JMSException {
        Message message = Exchange.FACTORY.createMessage();
        message.setJMSMessageID("ID:mine");
        message.setJMSPriority(1);
        message.setJMSDeliveryMode(DeliveryMode.PERSISTENT);
        message.setJMSExpiration(1);
        message.setJMSTimestamp(1);
        message.setJMSDeliveryTime(1);
        message.setJMSDestination(new MainstemQueue("elsewhere"));
        SendHeaders headers = new SendHeaders(
                Exchange.QUEUE, DeliveryMode.NON_PERSISTENT, 7, 1000, "ID:sent", 500, 1500, 1200, true, null);

        Message received = Exchange.received(Exchange.FACTORY.freeze(message, headers));

        for (Message seen : new Message[] {message, received}) {
            assertThat(seen.getJMSMessageID()).isEqualTo("ID:sent");
            assertThat(seen.getJMSPriority()).isEqualTo(7);
            assertThat(seen.getJMSDeliveryMode()).isEqualTo(DeliveryMode.NON_PERSISTENT);
            assertThat(seen.getJMSExpiration()).isEqualTo(1500);
            assertThat(seen.getJMSTimestamp()).isEqualTo(1000);
            assertThat(seen.getJMSDeliveryTime()).isEqualTo(1200);
            assertThat(seen.getJMSDestination()).isEqualTo(Exchange.QUEUE);
        }
    }

    @Test
    @DisplayName("errors about a message of an anonymous producer name its address")
    void anEncodedMessageTellsItsAddress() throws JMSException {
        EncodedMessage sent = Exchange.sent(Exchange.FACTORY.createMessage());

        assertThat(EncodedMessage.addressIn(sent.sections())).isEqualTo(Exchange.QUEUE.address());
        assertThat(EncodedMessage.addressIn(Exchange.encoded(new Properties()).sections()))
                .isNull();
        assertThat(EncodedMessage.addressIn(ByteBuffer.wrap(new byte[] {1, 2, 3})))
                .isNull();
    }

    @Test
    @DisplayName("3.4.3, 3.4.4: without id and time stamp the receiver sees null and 0")
    void idAndTimestampMayBeSwitchedOff() throws JMSException {
        SendHeaders headers =
                new SendHeaders(Exchange.QUEUE, DeliveryMode.PERSISTENT, 4, 0, null, 0, 0, 0, false, null);

        Message received = Exchange.received(Exchange.FACTORY.freeze(Exchange.FACTORY.createMessage(), headers));

        assertThat(received.getJMSMessageID()).isNull();
        assertThat(received.getJMSTimestamp()).isZero();
    }

    @Test
    @DisplayName("3.4.5 to 3.4.8: correlation id, reply address and type are the sender's")
    void theSendersHeadersArrive() throws JMSException {
        Message message = Exchange.FACTORY.createMessage();
        message.setJMSCorrelationID("order 7");
        message.setJMSReplyTo(new MainstemTopic("answers"));
        message.setJMSType("quote");

        Message received = Exchange.passed(message);

        assertThat(received.getJMSCorrelationID()).isEqualTo("order 7");
        assertThat(received.getJMSReplyTo()).isEqualTo(new MainstemTopic("answers"));
        assertThat(received.getJMSType()).isEqualTo("quote");
    }

    @Test
    @DisplayName("3.4.5: a correlation id may be bytes")
    void correlationIdsMayBeBytes() throws JMSException {
        Message message = Exchange.FACTORY.createMessage();
        message.setJMSCorrelationIDAsBytes(new byte[] {1, (byte) 0xfe});

        Message received = Exchange.passed(message);

        assertThat(received.getJMSCorrelationIDAsBytes()).containsExactly(1, 0xfe);
        assertThat(received.getJMSCorrelationID()).isEqualTo("ID:AMQP_BINARY:01FE");
    }

    @Test
    @DisplayName("[mapping 4.8] an id that names a type and is none of it is refused when it is set")
    void idsWithAWrongPrefixAreRefused() {
        Message message = Exchange.FACTORY.createMessage();

        assertThatThrownBy(() -> message.setJMSCorrelationID("ID:AMQP_UUID:1"))
                .isInstanceOf(JMSException.class)
                .hasMessageContaining("MS-0762")
                .hasMessageContaining("36 characters");
    }

    @Test
    @DisplayName("API setJMSDeliveryMode, setJMSPriority: other values are refused")
    void impossibleValuesAreRefused() {
        Message message = Exchange.FACTORY.createMessage();

        assertThatThrownBy(() -> message.setJMSDeliveryMode(3)).isInstanceOf(JMSException.class);
        assertThatThrownBy(() -> message.setJMSPriority(-1)).isInstanceOf(JMSException.class);
        assertThatThrownBy(() -> message.setJMSPriority(10))
                .isInstanceOf(JMSException.class)
                .hasMessageContaining("0 to 9");
    }

    @Test
    @DisplayName("3.4.11: headers of a received message may be set")
    void headersOfAReceivedMessageMayBeSet() throws JMSException {
        Message received = Exchange.passed(Exchange.FACTORY.createTextMessage("x"));

        received.setJMSCorrelationID("c");
        received.setJMSType("t");
        received.setJMSPriority(9);

        assertThat(received.getJMSCorrelationID()).isEqualTo("c");
        assertThat(received.getJMSType()).isEqualTo("t");
        assertThat(received.getJMSPriority()).isEqualTo(9);
    }

    @Test
    @DisplayName("3.4.7, 3.5.11: JMSRedelivered and JMSXDeliveryCount are those of the delivery")
    void theDeliveryCountsItself() throws JMSException {
        EncodedMessage sent = Exchange.sent(Exchange.FACTORY.createMessage());

        Message first = Exchange.FACTORY.decode(sent, Exchange.arrival(1));
        Message third = Exchange.FACTORY.decode(sent, Exchange.arrival(3));

        assertThat(first.getJMSRedelivered()).isFalse();
        assertThat(first.getIntProperty("JMSXDeliveryCount")).isEqualTo(1);
        assertThat(third.getJMSRedelivered()).isTrue();
        assertThat(third.getIntProperty("JMSXDeliveryCount")).isEqualTo(3);
    }

    @Test
    @DisplayName("3.9: the sender may change the message after the send; what was sent stays")
    void whatWasSentStays() throws JMSException {
        TextMessage message = Exchange.FACTORY.createTextMessage("first");
        message.setStringProperty("p", "first");
        EncodedMessage sent = Exchange.sent(message);

        message.setText("second");
        message.setStringProperty("p", "second");

        JmsTextMessage received = (JmsTextMessage) Exchange.received(sent);
        assertThat(received.getText()).isEqualTo("first");
        assertThat(received.getStringProperty("p")).isEqualTo("first");
    }

    @Test
    @DisplayName("What a receiver does to a message does not show when it is delivered again")
    void whatAReceiverDoesDoesNotShowAgain() throws JMSException {
        EncodedMessage sent = Exchange.sent(Exchange.FACTORY.createTextMessage("text"));
        JmsTextMessage first = (JmsTextMessage) Exchange.received(sent);
        first.clearBody();
        first.setText("changed");
        first.clearProperties();
        first.setJMSType("changed");

        JmsTextMessage again = (JmsTextMessage) Exchange.FACTORY.decode(sent, Exchange.arrival(2));

        assertThat(again.getText()).isEqualTo("text");
        assertThat(again.getJMSType()).isNull();
    }

    @Test
    @DisplayName("3.4: null cannot be sent")
    void nullCannotBeSent() {
        assertThatThrownBy(() -> Exchange.FACTORY.freeze(null, Exchange.headers()))
                .isInstanceOf(MessageFormatException.class)
                .hasMessageContaining("MS-0766");
    }

    @Test
    @DisplayName(
            "[mapping 3.2] a time to live without a time of expiry counts from the arrival; it ends with the absolute time if both came")
    void expiryComesFromTheAbsoluteTimeOrTheTimeToLive() throws JMSException {
        EncodedMessage empty = Exchange.encoded();
        EncodedMessage withTtl = new EncodedMessage(true, 4, 5000, empty.sections());
        Properties properties = new Properties();
        properties.setAbsoluteExpiryTime(Date.from(Instant.ofEpochMilli(77)));
        EncodedMessage both =
                new EncodedMessage(true, 4, 5000, Exchange.encoded(properties).sections());

        assertThat(Exchange.received(empty).getJMSExpiration()).isZero();
        assertThat(Exchange.received(withTtl).getJMSExpiration()).isEqualTo(Exchange.NOW_MS + 5000);
        assertThat(Exchange.received(both).getJMSExpiration()).isEqualTo(77);
    }

    @Test
    @DisplayName("[mapping 3.2] the delivery time is that of the annotation, long or timestamp, else the time stamp")
    void deliveryTimeComesFromTheAnnotation() throws JMSException {
        Symbol name = Symbol.valueOf("x-opt-delivery-time");
        Properties properties = new Properties();
        properties.setCreationTime(Date.from(Instant.ofEpochMilli(5)));

        assertThat(Exchange.received(Exchange.encoded(new MessageAnnotations(Map.of(name, 9L))))
                        .getJMSDeliveryTime())
                .isEqualTo(9);
        assertThat(Exchange.received(Exchange.encoded(
                                new MessageAnnotations(Map.of(name, Date.from(Instant.ofEpochMilli(8))))))
                        .getJMSDeliveryTime())
                .isEqualTo(8);
        assertThat(Exchange.received(Exchange.encoded(properties)).getJMSDeliveryTime())
                .isEqualTo(5);
    }

    @Test
    @DisplayName("[mapping 3.2] priorities above 9 of other senders are shown as 9")
    void highPrioritiesAreShownAsNine() throws JMSException {
        EncodedMessage high =
                new EncodedMessage(true, 200, 0, Exchange.encoded().sections());

        assertThat(Exchange.received(high).getJMSPriority()).isEqualTo(9);
    }

    @Test
    @DisplayName("A message that was never received has nothing to acknowledge")
    void acknowledgeOfAnOwnMessageDoesNothing() throws JMSException {
        Exchange.FACTORY.createMessage().acknowledge();
        int[] calls = {0};
        EncodedMessage sent = Exchange.sent(Exchange.FACTORY.createMessage());
        Exchange.FACTORY
                .decode(sent, new DeliveryInfo(Exchange.QUEUE, 1, false, () -> calls[0]++))
                .acknowledge();

        assertThat(calls[0]).isEqualTo(1);
    }
}
