package io.mainstem.jms.vm;

import io.mainstem.jms.link.LinkTransport;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The brokers of this JVM by their names. Thread: any. */
public final class VmBrokers {
    private static final Map<String, LinkTransport> BROKERS = new ConcurrentHashMap<>();

    private VmBrokers() {}

    /** Takes a broker out again. Thread: any. */
    @FunctionalInterface
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Lets clients of this JVM find a broker.
     *
     * @param name as it stands in {@code vm://name}
     * @param transport the way to it
     * @throws IllegalArgumentException if another broker has the name
     */
    public static Registration register(String name, LinkTransport transport) {
        if (BROKERS.putIfAbsent(name, transport) != null) {
            throw new IllegalArgumentException("vm name '" + name + "' (expected: one that no broker of this JVM has)");
        }
        return () -> BROKERS.remove(name, transport);
    }

    /** The way to the broker of that name, if there is one. */
    public static @Nullable LinkTransport find(String name) {
        return BROKERS.get(name);
    }

    /** All names, for messages to people. */
    public static Iterable<String> names() {
        return new TreeSet<>(BROKERS.keySet());
    }
}
