package io.mainstem.jms.jndi;

import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.jms.MainstemXaConnectionFactory;
import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.destination.MainstemQueue;
import io.mainstem.jms.destination.MainstemTopic;
import jakarta.jms.JMSRuntimeException;
import java.util.Enumeration;
import java.util.Hashtable;
import java.util.Set;
import javax.naming.Context;
import javax.naming.Name;
import javax.naming.NamingException;
import javax.naming.RefAddr;
import javax.naming.Reference;
import javax.naming.spi.ObjectFactory;
import org.jspecify.annotations.Nullable;

/**
 * Factories and destinations of JNDI references: those that they make of themselves, and those that a container's
 * administrator writes ({@code type}, {@code brokerUri}, options by their names; {@code address} of a destination).
 * Thread: any.
 */
public final class MainstemObjectFactory implements ObjectFactory {
    /** What containers put into a reference for themselves. */
    private static final Set<String> OF_CONTAINER =
            Set.of("scope", "auth", "singleton", "closeMethod", "description", "factory", "type", "forceString");

    @Override
    public @Nullable Object getObjectInstance(
            @Nullable Object object,
            @Nullable Name name,
            @Nullable Context context,
            @Nullable Hashtable<?, ?> environment)
            throws NamingException {
        if (!(object instanceof Reference reference)) {
            return null;
        }
        return switch (reference.getClassName()) {
            case "io.mainstem.jms.destination.MainstemQueue", "jakarta.jms.Queue" ->
                new MainstemQueue(address(reference));
            case "io.mainstem.jms.destination.MainstemTopic", "jakarta.jms.Topic" ->
                new MainstemTopic(address(reference));
            case "io.mainstem.jms.MainstemConnectionFactory",
                    "jakarta.jms.ConnectionFactory",
                    "jakarta.jms.QueueConnectionFactory",
                    "jakarta.jms.TopicConnectionFactory" -> configured(new MainstemConnectionFactory(), reference);
            case "io.mainstem.jms.MainstemXaConnectionFactory",
                    "jakarta.jms.XAConnectionFactory",
                    "jakarta.jms.XAQueueConnectionFactory",
                    "jakarta.jms.XATopicConnectionFactory" -> configured(new MainstemXaConnectionFactory(), reference);
            default -> null;
        };
    }

    private static String address(Reference reference) throws NamingException {
        RefAddr address = reference.get(MainstemDestination.ADDRESS_PROPERTY);
        RefAddr activeMq = reference.get("physicalName");
        RefAddr found = address != null ? address : activeMq;
        if (found == null
                || found.getContent() == null
                || found.getContent().toString().isEmpty()) {
            throw new NamingException("MS-0775 reference of " + reference.getClassName()
                    + " has no address; fix: give the queue's or topic's name as "
                    + MainstemDestination.ADDRESS_PROPERTY);
        }
        return found.getContent().toString();
    }

    private static MainstemConnectionFactory configured(MainstemConnectionFactory factory, Reference reference)
            throws NamingException {
        Enumeration<RefAddr> all = reference.getAll();
        while (all.hasMoreElements()) {
            RefAddr next = all.nextElement();
            if (!OF_CONTAINER.contains(next.getType()) && next.getContent() != null) {
                set(factory, next.getType(), next.getContent().toString());
            }
        }
        return factory;
    }

    /** Sets the URI, an option, or the three that are mostly named without their prefix. */
    static void set(MainstemConnectionFactory factory, String name, String value) throws NamingException {
        try {
            switch (name) {
                case MainstemConnectionFactory.BROKER_URI_PROPERTY, "brokerURL", "remoteURI" ->
                    factory.setBrokerUri(value);
                case "username", "userName" -> factory.setUsername(value);
                case "password" -> factory.setPassword(value);
                case "clientId", "clientID" -> factory.setClientId(value);
                default -> factory.setOption(name, value);
            }
        } catch (JMSRuntimeException refused) {
            NamingException failure = new NamingException(refused.getMessage());
            failure.setRootCause(refused);
            throw failure;
        }
    }
}
