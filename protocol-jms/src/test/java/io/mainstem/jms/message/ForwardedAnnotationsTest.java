package io.mainstem.jms.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.jms.message.section.SectionCodec;
import io.mainstem.jms.message.section.Sections;
import jakarta.jms.JMSException;
import jakarta.jms.TextMessage;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("AMQP 1.0 part 3, 3.2.3: message annotations go on with a message that is sent on")
final class ForwardedAnnotationsTest {
    private static TextMessage withAnnotations(Map<String, Object> annotations) throws JMSException {
        Map<Symbol, Object> map = new LinkedHashMap<>();
        annotations.forEach((name, value) -> map.put(Symbol.valueOf(name), value));
        return (TextMessage) Exchange.received(Exchange.encoded(new MessageAnnotations(map), new AmqpValue("text")));
    }

    private static Map<Symbol, Object> sentOn(TextMessage message) throws JMSException {
        ByteBuffer section = Sections.of(Exchange.sent(message).sections()).annotations();
        return SectionCodec.read(Objects.requireNonNull(section), MessageAnnotations.class, "annotations")
                .getValue();
    }

    @Test
    @DisplayName("Those of other peers do, with their types, whatever happens to properties and body")
    void ofOthers() throws Exception {
        TextMessage message = withAnnotations(Map.of("x-opt-trace", List.of("a", 1), "x-opt-partition-key", "k"));
        message.clearProperties();
        message.clearBody();
        message.setText("other");

        assertThat(sentOn(message))
                .containsEntry(Symbol.valueOf("x-opt-trace"), List.of("a", 1))
                .containsEntry(Symbol.valueOf("x-opt-partition-key"), "k");
        assertThat(sentOn(Exchange.passed(message))).containsKey(Symbol.valueOf("x-opt-trace"));
    }

    @Test
    @DisplayName("What the broker noted does not, nor what the send before asked for")
    void ofTheBrokerAndOfOneSend() throws Exception {
        TextMessage message = withAnnotations(Map.ofEntries(
                Map.entry("x-exchange", "e"),
                Map.entry("x-opt-ingress-time", 1L),
                Map.entry("x-first-death-queue", "q"),
                Map.entry("x-opt-mqtt-qos", 1),
                Map.entry("x-opt-delivery-delay", 5_000),
                Map.entry("x-opt-delivery-time", 5_000L),
                Map.entry("x-opt-dedup-id", "order-7"),
                Map.entry("x-opt-producer-id", "p"),
                Map.entry("x-opt-producer-seq", 7L),
                Map.entry("x-opt-retain", true)));

        assertThat(sentOn(message))
                .containsOnlyKeys(Symbol.valueOf("x-opt-jms-msg-type"), Symbol.valueOf("x-opt-jms-dest"));
    }

    @Test
    @DisplayName("What a send says itself counts above what came")
    void ownCountAbove() throws Exception {
        TextMessage message = withAnnotations(Map.of("x-opt-jms-dest", (byte) 1, "x-opt-trace", "t"));

        assertThat(sentOn(message))
                .containsEntry(
                        Symbol.valueOf("x-opt-jms-dest"), Exchange.QUEUE.kind().code())
                .containsEntry(Symbol.valueOf("x-opt-trace"), "t");
    }
}
