package io.mainstem.jms.jndi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.jms.destination.MainstemQueue;
import io.mainstem.jms.destination.MainstemTopic;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.QueueConnectionFactory;
import jakarta.jms.XAConnectionFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import javax.naming.Context;
import javax.naming.InitialContext;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.naming.OperationNotSupportedException;
import javax.naming.Reference;
import javax.naming.StringRefAddr;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Look-up by name: Jakarta Messaging 4.2, with properties as users of Qpid JMS and ActiveMQ write them. */
@SuppressWarnings("BanJNDI") // names and objects of this test only
final class NamingTest {
    private static Context context(Map<String, String> properties) throws NamingException {
        Properties environment = new Properties();
        environment.putAll(properties);
        environment.setProperty(Context.INITIAL_CONTEXT_FACTORY, MainstemInitialContextFactory.class.getName());
        return new InitialContext(environment);
    }

    @Test
    @DisplayName("Factories, queues and topics are found by the names that properties give them")
    void namesOfPropertiesAreFound() throws NamingException {
        Context context = context(Map.of(
                "connectionfactory.main", "amqp://host:7?jms.prefetch=3",
                "property.connectionfactory.main.jms.sendTimeout", "99",
                "property.connectionfactory.main.username", "anna",
                "queue.jms/orders", "orders.eu",
                "topic.prices", "prices.*"));

        MainstemConnectionFactory factory = (MainstemConnectionFactory) context.lookup("main");
        assertThat(factory.getBrokerUri()).isEqualTo("amqp://host:7?jms.prefetch=3");
        assertThat(factory.getSendTimeout()).isEqualTo(99);
        assertThat(factory.getUsername()).isEqualTo("anna");
        assertThat(context.lookup("jms/orders")).isEqualTo(new MainstemQueue("orders.eu"));
        assertThat(context.lookup("prices")).isEqualTo(new MainstemTopic("prices.*"));
        assertThat(Collections.list(context.list("")).stream().map(pair -> pair.getName()))
                .containsExactly("jms/orders", "main", "prices");
    }

    @Test
    @DisplayName("Without a factory among the properties the usual names stand for the provider URL's broker and user")
    void theUsualNamesStandForTheProviderUrl() throws NamingException {
        Context context = context(Map.of(
                Context.PROVIDER_URL,
                "amqp://host:7",
                Context.SECURITY_PRINCIPAL,
                "u",
                Context.SECURITY_CREDENTIALS,
                "p"));

        for (String name : new String[] {"ConnectionFactory", "QueueConnectionFactory", "TopicConnectionFactory"}) {
            MainstemConnectionFactory factory = (MainstemConnectionFactory) context.lookup(name);
            assertThat(factory.getBrokerUri()).isEqualTo("amqp://host:7");
            assertThat(factory.getUsername()).isEqualTo("u");
            assertThat(factory.getPassword()).isEqualTo("p");
        }
        assertThat(((MainstemConnectionFactory) context(Map.of()).lookup("ConnectionFactory")).getBrokerUri())
                .isEqualTo("amqp://localhost:5672");
        assertThat(context.lookup("QueueConnectionFactory")).isInstanceOf(QueueConnectionFactory.class);
    }

    @Test
    @DisplayName("The provider URL may be a properties file; the environment counts above it")
    void theProviderUrlMayBeAFile(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("jndi.properties"), "queue.a = fromFile\nqueue.b = b\n");

        for (String place : new String[] {file.toString(), file.toUri().toString()}) {
            Context context = context(Map.of(Context.PROVIDER_URL, place, "queue.a", "fromEnvironment"));
            assertThat(context.lookup("a")).isEqualTo(new MainstemQueue("fromEnvironment"));
            assertThat(context.lookup("b")).isEqualTo(new MainstemQueue("b"));
        }
        assertThatThrownBy(() -> context(
                        Map.of(Context.PROVIDER_URL, folder.resolve("none").toString())))
                .isInstanceOf(NamingException.class)
                .hasMessageContaining("MS-0776");
    }

    @Test
    @DisplayName("dynamicQueues and dynamicTopics are always there")
    void dynamicNamesAreAlwaysThere() throws NamingException {
        assertThat(context(Map.of()).lookup("dynamicQueues/a/b")).isEqualTo(new MainstemQueue("a/b"));
        assertThat(context(Map.of()).lookup("dynamicTopics/a.b")).isEqualTo(new MainstemTopic("a.b"));
    }

    @Test
    @DisplayName("An unknown name is refused with those that are bound; a wrong option with its nearest")
    void unknownNamesAreRefused() throws NamingException {
        Context context = context(Map.of("queue.orders", "o"));

        assertThatThrownBy(() -> context.lookup("order"))
                .isInstanceOf(NameNotFoundException.class)
                .hasMessageContaining("MS-0777")
                .hasMessageContaining("orders");
        assertThatThrownBy(() -> context(Map.of("connectionfactory.x", "amqp://h?jms.prefetsh=1")))
                .isInstanceOf(NamingException.class)
                .hasMessageContaining("jms.prefetch");
    }

    @Test
    @DisplayName("Factories for distributed transactions have names and references, too")
    void xaFactoriesAreFound() throws Exception {
        Object found =
                context(Map.of("xaconnectionfactory.xa", "amqp://host:7")).lookup("xa");

        assertThat(found).isInstanceOf(XAConnectionFactory.class);
        Object restored = new MainstemObjectFactory()
                .getObjectInstance(((MainstemConnectionFactory) found).getReference(), null, null, null);
        assertThat(restored).isInstanceOf(XAConnectionFactory.class);
        assertThat(((MainstemConnectionFactory) restored).getBrokerUri()).isEqualTo("amqp://host:7");
    }

    @Test
    @DisplayName("The context cannot be written")
    void theContextCannotBeWritten() throws NamingException {
        Context context = context(Map.of());

        assertThatThrownBy(() -> context.bind("x", "y")).isInstanceOf(OperationNotSupportedException.class);
        assertThatThrownBy(() -> context.unbind("ConnectionFactory"))
                .isInstanceOf(OperationNotSupportedException.class);
    }

    @Test
    @DisplayName("References that a container's administrator writes are objects of this provider")
    void referencesOfContainersAreUnderstood() throws Exception {
        Reference factory = new Reference("jakarta.jms.ConnectionFactory");
        factory.add(new StringRefAddr("auth", "Container"));
        factory.add(new StringRefAddr("brokerUri", "amqp://host"));
        factory.add(new StringRefAddr("username", "u"));
        factory.add(new StringRefAddr("jms.prefetch", "4"));
        Reference queue = new Reference("jakarta.jms.Queue", new StringRefAddr("address", "q"));
        MainstemObjectFactory objects = new MainstemObjectFactory();

        MainstemConnectionFactory made =
                (MainstemConnectionFactory) objects.getObjectInstance(factory, null, null, null);
        assertThat(made).isInstanceOf(ConnectionFactory.class);
        assertThat(made.getPrefetch()).isEqualTo(4);
        assertThat(made.getUsername()).isEqualTo("u");
        assertThat(objects.getObjectInstance(queue, null, null, null)).isEqualTo(new MainstemQueue("q"));
        assertThat(objects.getObjectInstance(new MainstemTopic("t").getReference(), null, null, null))
                .isEqualTo(new MainstemTopic("t"));
        assertThat(objects.getObjectInstance(new Reference("java.lang.String"), null, null, null))
                .isNull();
        assertThat(objects.getObjectInstance("text", null, null, null)).isNull();
        assertThatThrownBy(() -> objects.getObjectInstance(new Reference("jakarta.jms.Queue"), null, null, null))
                .hasMessageContaining("MS-0775");
    }
}
