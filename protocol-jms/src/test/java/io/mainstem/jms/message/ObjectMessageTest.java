package io.mainstem.jms.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.JMSException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.ObjectMessage;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.Data;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Serialised objects, and whose classes are let in. */
final class ObjectMessageTest {
    private record Order(String customer, int count, List<String> lines) implements Serializable {
        private static final long serialVersionUID = 1;
    }

    private static final class Unserialisable implements Serializable {
        private static final long serialVersionUID = 1;

        @SuppressWarnings("unused")
        private final Object thread = new Object();
    }

    private static AmqpMessageFactory trusting(String... packages) {
        return new AmqpMessageFactory(true, Set.of(packages), null, Exchange.CLOCK);
    }

    private static ObjectMessage received(Serializable object, String... trusted) throws JMSException {
        EncodedMessage sent = Exchange.sent(Exchange.FACTORY.createObjectMessage(object));
        return (ObjectMessage) trusting(trusted).decode(sent, Exchange.arrival());
    }

    @Test
    @DisplayName("An object of trusted packages arrives; each getObject gives a new one")
    void trustedObjectsArrive() throws JMSException {
        Order order = new Order("ada", 3, new ArrayList<>(List.of("a", "b")));

        ObjectMessage message = received(order, "io.mainstem", "java.util");

        assertThat(message.getObject()).isEqualTo(order).isNotSameAs(message.getObject());
    }

    @Test
    @DisplayName("Nothing is trusted by default: the refusal names the class and the option")
    void nothingIsTrustedByDefault() throws JMSException {
        ObjectMessage message = received(new Order("ada", 3, List.of()));

        assertThatThrownBy(message::getObject)
                .isInstanceOf(MessageFormatException.class)
                .hasMessageContaining("MS-0759")
                .hasMessageContaining(Order.class.getName())
                .hasMessageContaining("jms.trustedPackages");
        assertThat(message.isBodyAssignableTo(Order.class)).isFalse();
    }

    @Test
    @DisplayName("A class inside a trusted one is looked at too, also in arrays")
    void classesWithinAreCheckedToo() throws JMSException {
        ObjectMessage list = received(new ArrayList<>(List.of(new Order("x", 1, new ArrayList<>()))), "java.util");
        ObjectMessage array = received(new Order[0], "java.util");

        assertThatThrownBy(list::getObject).hasMessageContaining(Order.class.getName());
        assertThatThrownBy(array::getObject).hasMessageContaining("MS-0759");
        assertThat(received(new int[] {1}, "java.util").getObject()).isEqualTo(new int[] {1});
    }

    @Test
    @DisplayName("Trust is by package with all below it, by class, or for all")
    void trustIsByPackageOrClass() throws JMSException {
        Order order = new Order("x", 1, new ArrayList<>());

        assertThat(received(order, "*").getObject()).isEqualTo(order);
        assertThat(received(order, Order.class.getName(), "java.util").getObject())
                .isEqualTo(order);
        assertThatThrownBy(received(order, "io.main", "java.util")::getObject).hasMessageContaining("MS-0759");
    }

    @Test
    @DisplayName("An object that grows without end while it is read is cut short")
    void bombsAreRefused() throws JMSException {
        HashSet<Object> root = new HashSet<>();
        HashSet<Object> left = root;
        for (int depth = 0; depth < 150; depth++) {
            HashSet<Object> inner = new HashSet<>();
            inner.add(depth);
            left.add(inner);
            left = inner;
        }

        ObjectMessage message = received(root, "java.util");

        assertThatThrownBy(message::getObject).isInstanceOf(MessageFormatException.class);
    }

    @Test
    @DisplayName("API setObject: the object is frozen when it is set")
    void theObjectIsFrozenWhenSet() throws JMSException {
        ArrayList<String> list = new ArrayList<>(List.of("a"));
        ObjectMessage message = Exchange.FACTORY.createObjectMessage(list);
        list.add("b");

        assertThat(message.getObject()).isEqualTo(List.of("a"));
    }

    @Test
    @DisplayName("API setObject, getObject: what cannot be serialised or read is MessageFormatException")
    void whatCannotBeSerialisedIsRefused() throws JMSException {
        Properties properties = new Properties();
        properties.setContentType(Symbol.valueOf("application/x-java-serialized-object"));
        EncodedMessage rubbish = Exchange.encoded(properties, new Data(new Binary(new byte[] {1, 2, 3})));
        ObjectMessage message = (ObjectMessage) trusting("*").decode(rubbish, Exchange.arrival());

        assertThatThrownBy(() -> Exchange.FACTORY.createObjectMessage(new Unserialisable()))
                .isInstanceOf(MessageFormatException.class)
                .hasMessageContaining("MS-0760");
        assertThatThrownBy(message::getObject)
                .isInstanceOf(MessageFormatException.class)
                .hasMessageContaining("MS-0760");
    }

    @Test
    @DisplayName("Null is an object; it needs no trust")
    void nullIsAnObject() throws JMSException {
        assertThat(received(null).getObject()).isNull();
    }

    @Test
    @DisplayName("A received object can be sent on without being trusted")
    void receivedObjectsCanBeSentOn() throws JMSException {
        Order order = new Order("x", 1, new ArrayList<>());
        ObjectMessage forwarded = Exchange.passed(received(order));

        ObjectMessage end = (ObjectMessage) trusting("*").decode(Exchange.sent(forwarded), Exchange.arrival());

        assertThat(end.getObject()).isEqualTo(order);
    }

    @Test
    @DisplayName(
            "[mapping 3.4] an object in AMQP's own types comes as plain JDK values, without any class of the sender")
    void typedObjectsAreJdkValues() throws JMSException {
        ObjectMessage message = (ObjectMessage) Exchange.received(Exchange.encoded(
                new MessageAnnotations(Map.of(Symbol.valueOf("x-opt-jms-msg-type"), (byte) 1)),
                new AmqpValue(Map.of("n", UnsignedInteger.valueOf(-1), "l", List.of(Symbol.valueOf("s"))))));

        assertThat(message.getObject()).isEqualTo(Map.of("n", 4294967295L, "l", List.of("s")));
    }
}
