package io.mainstem.jms.jndi;

import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.jms.MainstemXaConnectionFactory;
import io.mainstem.jms.destination.MainstemQueue;
import io.mainstem.jms.destination.MainstemTopic;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Hashtable;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import javax.naming.ConfigurationException;
import javax.naming.Context;
import javax.naming.NamingException;
import javax.naming.spi.InitialContextFactory;
import org.jspecify.annotations.Nullable;

/**
 * A directory of factories, queues and topics that is written in properties, as users of Qpid JMS and ActiveMQ know it:
 *
 * <ul>
 *   <li>{@code connectionfactory.NAME = URI}; more for it: {@code property.connectionfactory.NAME.OPTION = value}
 *   <li>{@code xaconnectionfactory.NAME = URI} for distributed transactions
 *   <li>{@code queue.NAME = address}, {@code topic.NAME = address}
 *   <li>{@code java.naming.provider.url}: a broker's URI, or the place of a properties file with more of these
 * </ul>
 *
 * <p>Without a connection factory among them, {@code ConnectionFactory}, {@code QueueConnectionFactory} and {@code
 * TopicConnectionFactory} are there, for the provider URL's broker or localhost. {@code dynamicQueues/ADDRESS} and {@code
 * dynamicTopics/ADDRESS} are always there. Thread: any.
 */
public final class MainstemInitialContextFactory implements InitialContextFactory {
    private static final String FACTORY = "connectionfactory.";
    private static final String XA_FACTORY = "xaconnectionfactory.";
    private static final String FACTORY_PROPERTY = "property.connectionfactory.";
    private static final String QUEUE = "queue.";
    private static final String TOPIC = "topic.";

    @Override
    public Context getInitialContext(Hashtable<?, ?> environment) throws NamingException {
        Map<String, String> properties = new TreeMap<>();
        Object url = environment.get(Context.PROVIDER_URL);
        String provider = url == null ? null : url.toString();
        String brokerUri = provider != null && isBroker(provider) ? provider : null;
        if (provider != null && brokerUri == null) {
            properties.putAll(read(provider));
        }
        environment.forEach((name, value) -> {
            if (value instanceof String text) {
                properties.put(name.toString(), text);
            }
        });
        Map<String, Object> bindings = new TreeMap<>();
        properties.forEach((name, value) -> {
            if (name.startsWith(QUEUE)) {
                bindings.put(name.substring(QUEUE.length()), new MainstemQueue(value));
            } else if (name.startsWith(TOPIC)) {
                bindings.put(name.substring(TOPIC.length()), new MainstemTopic(value));
            }
        });
        addFactories(bindings, properties, brokerUri);
        return new NamingContext(bindings, environment);
    }

    private static void addFactories(
            Map<String, Object> bindings, Map<String, String> properties, @Nullable String brokerUri)
            throws NamingException {
        boolean none = true;
        for (Map.Entry<String, String> property : properties.entrySet()) {
            boolean xa = property.getKey().startsWith(XA_FACTORY);
            if (xa || property.getKey().startsWith(FACTORY)) {
                String name = property.getKey().substring((xa ? XA_FACTORY : FACTORY).length());
                MainstemConnectionFactory factory =
                        xa ? new MainstemXaConnectionFactory() : new MainstemConnectionFactory();
                bindings.put(name, configured(factory, name, property.getValue(), properties));
                none = false;
            }
        }
        if (none) {
            String uri = brokerUri == null ? MainstemConnectionFactory.DEFAULT_BROKER_URI : brokerUri;
            for (String name : new String[] {"ConnectionFactory", "QueueConnectionFactory", "TopicConnectionFactory"}) {
                bindings.put(name, configured(new MainstemConnectionFactory(), name, uri, properties));
            }
        }
    }

    private static MainstemConnectionFactory configured(
            MainstemConnectionFactory factory, String name, String uri, Map<String, String> properties)
            throws NamingException {
        MainstemObjectFactory.set(factory, MainstemConnectionFactory.BROKER_URI_PROPERTY, uri);
        String prefix = FACTORY_PROPERTY + name + '.';
        for (Map.Entry<String, String> property : properties.entrySet()) {
            if (property.getKey().startsWith(prefix)) {
                MainstemObjectFactory.set(factory, property.getKey().substring(prefix.length()), property.getValue());
            }
        }
        String user = properties.get(Context.SECURITY_PRINCIPAL);
        if (user != null && factory.getUsername() == null) {
            factory.setUsername(user);
            factory.setPassword(properties.get(Context.SECURITY_CREDENTIALS));
        }
        return factory;
    }

    private static boolean isBroker(String url) {
        String lower = url.toLowerCase(Locale.ROOT);
        return lower.startsWith("amqp") || lower.startsWith("vm://") || lower.startsWith("failover:");
    }

    private static Map<String, String> read(String place) throws NamingException {
        Properties properties = new Properties();
        try (InputStream input = open(place)) {
            properties.load(input);
        } catch (IOException | IllegalArgumentException unreadable) {
            ConfigurationException failure = new ConfigurationException("MS-0776 " + Context.PROVIDER_URL + " '" + place
                    + "': " + unreadable + "; fix: name a broker (amqp://...) or a readable properties file");
            failure.setRootCause(unreadable);
            throw failure;
        }
        Map<String, String> result = new TreeMap<>();
        properties.forEach((name, value) -> result.put(name.toString(), value.toString()));
        return result;
    }

    private static InputStream open(String place) throws IOException {
        return place.startsWith("file:")
                ? Files.newInputStream(Path.of(URI.create(place)))
                : Files.newInputStream(Path.of(place));
    }
}
