package io.mainstem.jms.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageNotWriteableException;
import jakarta.jms.TextMessage;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Decimal64;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedByte;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.UnsignedShort;
import org.apache.qpid.proton.amqp.messaging.ApplicationProperties;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

/** Properties: Jakarta Messaging 3.5. */
final class MessagePropertyTest {
    private final Message message = Exchange.FACTORY.createMessage();

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(
            strings = {
                "1st", "a-b", "a.b", "a b", "NULL", "true", "Not", "AND", "or", "BETWEEN", "like", "In", "IS", "escape"
            })
    @DisplayName("3.5.1: names are Java identifiers and no words of the selector language")
    void wrongNamesAreRefused(String name) {
        assertThatThrownBy(() -> message.setStringProperty(name, "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("MS-0751");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "_a", "$a1", "ähm", "AND1", "JMSXGroupID", "JMS_vendor_x"})
    @DisplayName("3.5.1: Java identifiers are taken")
    void identifiersAreTaken(String name) throws JMSException {
        message.setStringProperty(name, "x");

        assertThat(Exchange.passed(message).getStringProperty(name)).isEqualTo("x");
    }

    @Test
    @DisplayName("[M-10] with validatePropertyNames=false other names can be set")
    void theRuleForNamesCanBeSwitchedOff() throws JMSException {
        AmqpMessageFactory lenient = new AmqpMessageFactory(false, Set.of(), null, Exchange.CLOCK);
        Message sent = lenient.createMessage();
        sent.setStringProperty("content-length", "12");

        assertThat(Exchange.passed(sent).getStringProperty("content-length")).isEqualTo("12");
        assertThatThrownBy(() -> sent.setStringProperty("", "x")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("3.5.5: setObjectProperty takes the boxed primitives and String only")
    void objectsOfOtherTypesAreRefused() {
        for (Object value : new Object[] {'c', new byte[1], List.of(), Map.of(), Thread.currentThread()}) {
            assertThatThrownBy(() -> message.setObjectProperty("p", value))
                    .isInstanceOf(MessageFormatException.class)
                    .hasMessageContaining("MS-0752");
        }
    }

    @Test
    @DisplayName("3.5.4, API: a property that is not there reads as null does")
    void aMissingPropertyIsNull() throws JMSException {
        assertThat(message.propertyExists("p")).isFalse();
        assertThat(message.getStringProperty("p")).isNull();
        assertThat(message.getObjectProperty("p")).isNull();
        assertThat(message.getBooleanProperty("p")).isFalse();
        assertThatThrownBy(() -> message.getIntProperty("p")).isInstanceOf(NumberFormatException.class);
    }

    @Test
    @DisplayName("3.5.6: the names are those of the properties, without headers")
    void namesAreThoseOfProperties() throws JMSException {
        message.setJMSCorrelationID("c");
        message.setIntProperty("b", 1);
        message.setStringProperty("a", null);

        assertThat(Exchange.list(message.getPropertyNames())).hasToString("[b, a]");
        assertThat(Exchange.list(Exchange.passed(message).getPropertyNames())).hasToString("[b, a, JMSXDeliveryCount]");
        assertThat(Exchange.passed(message).propertyExists("a")).isTrue();
    }

    @Test
    @DisplayName(
            "3.5.3: properties of a received message can be set after clearProperties only; the body stays read-only")
    void receivedPropertiesAreReadOnlyUntilCleared() throws JMSException {
        TextMessage sent = Exchange.FACTORY.createTextMessage("text");
        sent.setIntProperty("p", 1);
        TextMessage received = Exchange.passed(sent);

        assertThatThrownBy(() -> received.setIntProperty("p", 2))
                .isInstanceOf(MessageNotWriteableException.class)
                .hasMessageContaining("clearProperties");
        received.clearProperties();
        assertThat(received.propertyExists("p")).isFalse();
        assertThat(Exchange.list(received.getPropertyNames())).isEmpty();
        received.setIntProperty("p", 2);

        assertThat(received.getIntProperty("p")).isEqualTo(2);
        assertThat(received.getText()).isEqualTo("text");
        assertThatThrownBy(() -> received.setText("x")).isInstanceOf(MessageNotWriteableException.class);
    }

    @Test
    @DisplayName(
            "3.5.9: JMSXGroupID and JMSXGroupSeq go as AMQP's group; a sequence number is an int, a group id a String")
    void groupsAreTheGroupsOfAmqp() throws JMSException {
        message.setStringProperty("JMSXGroupID", "g");
        message.setShortProperty("JMSXGroupSeq", (short) 3);

        Message received = Exchange.passed(message);

        assertThat(received.getStringProperty("JMSXGroupID")).isEqualTo("g");
        assertThat(received.getObjectProperty("JMSXGroupSeq")).isEqualTo(3);
        assertThatThrownBy(() -> message.setObjectProperty("JMSXGroupID", 1))
                .isInstanceOf(MessageFormatException.class);
        assertThatThrownBy(() -> message.setObjectProperty("JMSXGroupSeq", true))
                .isInstanceOf(MessageFormatException.class);
    }

    @Test
    @DisplayName("3.5.9: what the provider sets is not taken from the application")
    void propertiesOfTheProviderAreNotTakenFromTheApplication() throws JMSException {
        AmqpMessageFactory stamping = new AmqpMessageFactory(true, Set.of(), "anna", Exchange.CLOCK);
        message.setStringProperty("JMSXUserID", "someone else");
        message.setIntProperty("JMSXDeliveryCount", 70);

        Message received = Exchange.received(stamping.freeze(message, Exchange.headers()));

        assertThat(received.getStringProperty("JMSXUserID")).isEqualTo("anna");
        assertThat(received.getIntProperty("JMSXDeliveryCount")).isEqualTo(1);
        assertThat(Exchange.passed(message).propertyExists("JMSXUserID")).isFalse();
    }

    @Test
    @DisplayName("[M-9] what the broker noted is readable as JMS_MAINSTEM_*, not listed, and cannot be set")
    void notesOfTheBrokerAreReadable() throws JMSException {
        Message received = Exchange.received(Exchange.encoded(new MessageAnnotations(Map.of(
                Symbol.valueOf("x-exchange"),
                "amq.topic",
                Symbol.valueOf("x-opt-ingress-time"),
                12L,
                Symbol.valueOf("x-opt-deaths"),
                List.of(Map.of(Symbol.valueOf("queue"), "q", Symbol.valueOf("reason"), "expired"))))));

        assertThat(received.getStringProperty("JMS_MAINSTEM_EXCHANGE")).isEqualTo("amq.topic");
        assertThat(received.getLongProperty("JMS_MAINSTEM_INGRESS_TIME")).isEqualTo(12);
        assertThat(received.getStringProperty("JMS_MAINSTEM_DEATH_QUEUE")).isEqualTo("q");
        assertThat(received.getStringProperty("JMS_MAINSTEM_DEATH_REASON")).isEqualTo("expired");
        assertThat(Exchange.list(received.getPropertyNames())).hasToString("[JMSXDeliveryCount]");
        assertThatThrownBy(() -> message.setStringProperty("JMS_MAINSTEM_EXCHANGE", "x"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("JMS_AMQP_TTL, as Qpid JMS has it: the time to live of the header, whatever the producer says")
    void theTimeToLiveOfTheHeaderCanBeSet() throws JMSException {
        message.setLongProperty("JMS_AMQP_TTL", 1234);

        assertThat(Exchange.sent(message).ttlMs()).isEqualTo(1234);
        assertThat(Exchange.passed(message).propertyExists("JMS_AMQP_TTL")).isFalse();
        assertThatThrownBy(() -> message.setLongProperty("JMS_AMQP_TTL", 1L << 32))
                .isInstanceOf(MessageFormatException.class);
    }

    @Test
    @DisplayName("[mapping 3.3] properties of other senders have the JMS type that holds them")
    void amqpTypesBecomeJmsTypes() throws JMSException {
        UUID uuid = UUID.randomUUID();
        Map<String, Object> sent = new HashMap<>();
        sent.put("ubyte", UnsignedByte.valueOf((byte) 0xff));
        sent.put("ushort", UnsignedShort.valueOf((short) 0xffff));
        sent.put("uint", UnsignedInteger.valueOf(-1));
        sent.put("ulong", UnsignedLong.valueOf(5));
        sent.put("ulongMax", UnsignedLong.valueOf(-1));
        sent.put("symbol", Symbol.valueOf("s"));
        sent.put("char", 'c');
        sent.put("uuid", uuid);
        sent.put("timestamp", Date.from(Instant.ofEpochMilli(9)));
        sent.put("binary", new Binary(new byte[] {1}));
        sent.put("decimal", new Decimal64(0x31C0_0000_0000_0001L));
        sent.put("null", null);
        sent.put("nested", List.of(1));
        Message received = Exchange.received(Exchange.encoded(new ApplicationProperties(sent)));

        assertThat(received.getObjectProperty("ubyte")).isEqualTo((short) 255);
        assertThat(received.getObjectProperty("ushort")).isEqualTo(65535);
        assertThat(received.getObjectProperty("uint")).isEqualTo(4294967295L);
        assertThat(received.getObjectProperty("ulong")).isEqualTo(5L);
        assertThat(received.getObjectProperty("ulongMax")).isEqualTo("18446744073709551615");
        assertThat(received.getObjectProperty("symbol")).isEqualTo("s");
        assertThat(received.getObjectProperty("char")).isEqualTo("c");
        assertThat(received.getObjectProperty("uuid")).isEqualTo(uuid.toString());
        assertThat(received.getObjectProperty("timestamp")).isEqualTo(9L);
        assertThat(received.getObjectProperty("binary")).isEqualTo(new byte[] {1});
        assertThat(received.getObjectProperty("decimal")).isEqualTo("1");
        assertThat(received.propertyExists("null")).isTrue();
        assertThat(received.propertyExists("nested")).isFalse();
    }
}
