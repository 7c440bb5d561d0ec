package io.mainstem.jms.message;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.ObjectMessage;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.AmqpSequence;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.Data;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.apache.qpid.proton.amqp.messaging.Section;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages of other senders: [mapping 3.4]. */
final class BodyKindsTest {
    private static Message received(@Nullable Integer said, @Nullable String contentType, Section... body)
            throws JMSException {
        List<Section> sections = new ArrayList<>();
        if (said != null) {
            sections.add(new MessageAnnotations(Map.of(Symbol.valueOf("x-opt-jms-msg-type"), said.byteValue())));
        }
        if (contentType != null) {
            Properties properties = new Properties();
            properties.setContentType(Symbol.valueOf(contentType));
            sections.add(properties);
        }
        sections.addAll(List.of(body));
        return Exchange.received(Exchange.encoded(sections.toArray(Section[]::new)));
    }

    private static Data data(String text) {
        return new Data(new Binary(text.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @CsvSource({
        "text/plain, true",
        "text/plain;charset=utf-8, true",
        "application/json, true",
        "application/ld+json, true",
        "application/xml, true",
        "image/svg+xml, false",
        "application/atom+xml, true",
        "application/javascript, true",
        "application/ecmascript, true",
        "application/xml-dtd, true",
        "application/octet-stream, false",
        "image/png, false",
        ", false"
    })
    @DisplayName("[mapping 3.4] data is text or bytes by its content type")
    void dataIsTextOrBytesByItsContentType(@Nullable String contentType, boolean text) throws JMSException {
        Message message = received(null, contentType, data("{}"));

        assertThat(message).isInstanceOf(text ? TextMessage.class : BytesMessage.class);
        assertThat(
                        text
                                ? message.getBody(String.class)
                                : new String(message.getBody(byte[].class), StandardCharsets.UTF_8))
                .isEqualTo("{}");
    }

    @Test
    @DisplayName("[mapping 3.4] the charset of the content type is used; an unknown one is UTF-8")
    void theCharsetIsUsed() throws JMSException {
        Data latin = new Data(new Binary("ä".getBytes(StandardCharsets.ISO_8859_1)));

        assertThat(received(null, "text/plain; charset=ISO-8859-1", latin).getBody(String.class))
                .isEqualTo("ä");
        assertThat(received(null, "text/plain;charset=none-such", data("ä")).getBody(String.class))
                .isEqualTo("ä");
    }

    @Test
    @DisplayName("[mapping 3.4] several data sections are one body")
    void dataSectionsAreJoined() throws JMSException {
        assertThat(received(null, null, data("a"), data(""), data("bc")).getBody(byte[].class))
                .isEqualTo("abc".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    @DisplayName("[mapping 3.4] values without a word about JMS have the type that fits")
    void valuesHaveTheTypeThatFits() throws JMSException {
        assertThat(received(null, null)).isExactlyInstanceOf(JmsMessage.class);
        assertThat(received(null, null, new AmqpValue("t")).getBody(String.class))
                .isEqualTo("t");
        assertThat(received(null, null, new AmqpValue(null))).isInstanceOf(TextMessage.class);
        assertThat(received(null, null, new AmqpValue(new Binary(new byte[] {1})))
                        .getBody(byte[].class))
                .containsExactly(1);
        assertThat(((ObjectMessage) received(null, null, new AmqpValue(5L))).getObject())
                .isEqualTo(5L);
        assertThat(((ObjectMessage) received(null, null, new AmqpValue(Map.of("a", 1)))).getObject())
                .isEqualTo(Map.of("a", 1));
        assertThat(((ObjectMessage) received(null, null, new AmqpSequence(List.of(1, "x")))).getObject())
                .isEqualTo(List.of(1, "x"));
    }

    @Test
    @DisplayName("[M-12] what the sender said counts where the body is such a one")
    void whatTheSenderSaidCounts() throws JMSException {
        assertThat(received(5, null, data("from mqtt")).getBody(String.class)).isEqualTo("from mqtt");
        assertThat(((MapMessage) received(2, null, new AmqpValue(Map.of("a", 1)))).getInt("a"))
                .isEqualTo(1);
        assertThat(((StreamMessage) received(4, null, new AmqpValue(List.of(1)))).readInt())
                .isEqualTo(1);
        StreamMessage sequences =
                (StreamMessage) received(4, null, new AmqpSequence(List.of(1)), new AmqpSequence(List.of(2)));
        assertThat(sequences.readInt() + sequences.readInt()).isEqualTo(3);
        assertThat(((BytesMessage) received(3, null)).getBodyLength()).isZero();
        assertThat(received(0, null)).isExactlyInstanceOf(JmsMessage.class);
    }

    @Test
    @DisplayName("[D-4] a body that is not what its sender said is given by what it is")
    void aWrongWordDoesNotHideTheBody() throws JMSException {
        assertThat(received(2, null, new AmqpValue("t")).getBody(String.class)).isEqualTo("t");
        assertThat(received(0, null, new AmqpValue("t")).getBody(String.class)).isEqualTo("t");
        assertThat(received(3, null, new AmqpValue(Map.of()))).isInstanceOf(ObjectMessage.class);
        assertThat(received(77, null, data("x"))).isInstanceOf(BytesMessage.class);
    }

    @Test
    @DisplayName("[mapping 3.3] entries of maps and streams of other senders have JMS types")
    void entriesHaveJmsTypes() throws JMSException {
        MapMessage map = (MapMessage) received(
                2,
                null,
                new AmqpValue(
                        Map.of("d", Date.from(Instant.ofEpochMilli(3)), "c", 'c', "b", new Binary(new byte[] {1}))));

        assertThat(map.getObject("d")).isEqualTo(3L);
        assertThat(map.getChar("c")).isEqualTo('c');
        assertThat(map.getBytes("b")).containsExactly(1);
    }

    @Test
    @DisplayName("[D-1] a message that is sent on keeps its body byte for byte, whatever it is")
    void sentOnABodyStaysAsItIs() throws JMSException {
        Message message =
                received(null, "text/plain;charset=ISO-8859-1", new Data(new Binary(new byte[] {(byte) 0xe4})));

        Message end = Exchange.passed(message);

        assertThat(end.getBody(String.class)).isEqualTo("ä");
    }
}
