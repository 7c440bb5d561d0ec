package io.mainstem.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.jms.jndi.MainstemObjectFactory;
import jakarta.jms.JMSRuntimeException;
import java.beans.IntrospectionException;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The factory as an administered object: Jakarta Messaging 4.2. */
final class MainstemConnectionFactoryTest {
    private static MainstemConnectionFactory configured() {
        MainstemConnectionFactory factory =
                new MainstemConnectionFactory("anna", "secret", "failover:(amqp://a,amqp://b)?jms.prefetch=3");
        factory.setOptions(Map.of("jms.dedup", "false", "amqp.vhost", "v"));
        return factory;
    }

    @Test
    @DisplayName("What is set counts above the URI; empty gives the URI's value back")
    void whatIsSetCountsAboveTheUri() {
        MainstemConnectionFactory factory = new MainstemConnectionFactory("amqp://u:p@host?jms.prefetch=3");

        assertThat(factory.getPrefetch()).isEqualTo(3);
        assertThat(factory.getUsername()).isEqualTo("u");
        factory.setPrefetch(9);
        factory.setUsername("v");
        assertThat(factory.getPrefetch()).isEqualTo(9);
        assertThat(factory.getUsername()).isEqualTo("v");
        assertThat(factory.getPassword()).isEqualTo("p");
        factory.setOption("jms.prefetch", null);
        assertThat(factory.getPrefetch()).isEqualTo(3);
    }

    @Test
    @DisplayName("Wrong values are refused when they are set, and change nothing")
    void wrongValuesAreRefusedAtOnce() {
        MainstemConnectionFactory factory = new MainstemConnectionFactory();

        assertThatThrownBy(() -> factory.setPrefetch(-1)).isInstanceOf(JMSRuntimeException.class);
        assertThatThrownBy(() -> factory.setSendTimeout(0)).hasMessageContaining("jms.sendTimeout");
        assertThatThrownBy(() -> factory.setBrokerUri("tcp://x")).hasMessageContaining("MS-0770");
        assertThatThrownBy(() -> factory.setOption("jms.prefetchh", "1")).hasMessageContaining("jms.prefetch");
        assertThatThrownBy(() -> new MainstemConnectionFactory("x")).isInstanceOf(JMSRuntimeException.class);
        assertThat(factory.getBrokerUri()).isEqualTo("amqp://localhost:5672");
        assertThat(factory.getPrefetch()).isEqualTo(1000);
    }

    @Test
    @DisplayName("5.1: a factory can be stored by serialisation")
    void factoriesAreSerialisable() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream output = new ObjectOutputStream(bytes)) {
            output.writeObject(configured());
        }
        try (ObjectInputStream input = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat(((MainstemConnectionFactory) input.readObject()).options())
                    .isEqualTo(configured().options());
        }
    }

    @Test
    @DisplayName("5.1: a factory can be stored as a reference of JNDI")
    void factoriesAreReferenceable() throws Exception {
        Object restored =
                new MainstemObjectFactory().getObjectInstance(configured().getReference(), null, null, null);

        assertThat(((MainstemConnectionFactory) restored).options())
                .isEqualTo(configured().options());
    }

    @Test
    @DisplayName("Its text shows no password")
    void itsTextShowsNoPassword() {
        assertThat(configured().toString()).doesNotContain("secret").contains("amqp://a:5672");
    }

    @Test
    @DisplayName("Every bean property can be read and written")
    void beanPropertiesAreReadAndWritten() throws IntrospectionException {
        List<String> writable = Arrays.stream(Introspector.getBeanInfo(MainstemConnectionFactory.class)
                        .getPropertyDescriptors())
                .filter(property -> property.getWriteMethod() != null && property.getReadMethod() != null)
                .map(PropertyDescriptor::getName)
                .toList();

        assertThat(writable)
                .containsExactlyInAnyOrder(
                        "brokerUri",
                        "clientId",
                        "connectTimeout",
                        "password",
                        "prefetch",
                        "requestTimeout",
                        "sendTimeout",
                        "trustedPackages",
                        "username");
    }
}
