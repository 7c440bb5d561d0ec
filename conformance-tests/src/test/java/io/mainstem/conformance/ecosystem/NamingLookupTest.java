package io.mainstem.conformance.ecosystem;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.jms.jndi.MainstemInitialContextFactory;
import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;
import java.util.Properties;
import javax.naming.Context;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Programs that know the API and JNDI only: Jakarta Messaging 5.1. */
@SuppressWarnings("BanJNDI") // names and objects of this test only
final class NamingLookupTest {
    @Test
    @DisplayName("5.1: a program that looks up its factory and queue needs no class of the provider")
    void aPortableProgramWorks() throws NamingException {
        try (EmbeddedBroker broker =
                EmbeddedBroker.builder().user("anna", "secret").start()) {
            Properties properties = new Properties();
            properties.setProperty(Context.INITIAL_CONTEXT_FACTORY, MainstemInitialContextFactory.class.getName());
            properties.setProperty("connectionfactory.jms/main", broker.uri().toString());
            properties.setProperty("queue.jms/orders", "orders");
            Context names = new InitialContext(properties);
            ConnectionFactory factory = (ConnectionFactory) names.lookup("jms/main");
            Queue orders = (Queue) names.lookup("jms/orders");

            try (JMSContext context = factory.createContext("anna", "secret")) {
                context.createProducer().send(orders, "a text");
                assertThat(context.createConsumer(orders).receiveBody(String.class, 20_000))
                        .isEqualTo("a text");
            }
        }
    }
}
