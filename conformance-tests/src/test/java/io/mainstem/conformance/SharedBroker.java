package io.mainstem.conformance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * One broker for all classes marked {@link WithBroker}.
 *
 * <p>{@code -Dmainstem.conformance.host=H -Dmainstem.conformance.port=P} points the tests at any running broker;
 * tests of MQTT take an InetSocketAddress and {@code mainstem.conformance.mqtt.host} and {@code .port};
 * otherwise ours is started once and ended with the test run. Its output is printed when a test fails.
 */
final class SharedBroker implements BeforeAllCallback, ParameterResolver, TestWatcher {
    private static final Namespace NAMESPACE = Namespace.create(SharedBroker.class);

    /** The broker named by system properties, if any. */
    static Optional<BrokerAddress> external() {
        return Optional.ofNullable(System.getProperty("mainstem.conformance.port"))
                .map(port -> new BrokerAddress(
                        System.getProperty("mainstem.conformance.host", "127.0.0.1"), Integer.parseInt(port)));
    }

    /** Where another broker speaks MQTT: {@code -Dmainstem.conformance.mqtt.host=H -Dmainstem.conformance.mqtt.port=P}. */
    static Optional<BrokerAddress> externalMqtt() {
        return Optional.ofNullable(System.getProperty("mainstem.conformance.mqtt.port"))
                .map(port -> new BrokerAddress(
                        System.getProperty("mainstem.conformance.mqtt.host", "127.0.0.1"), Integer.parseInt(port)));
    }

    /** Skips the caller if there is no broker of ours to start. */
    static void assumeOurs() {
        assumeTrue(
                external().isEmpty() && externalMqtt().isEmpty(),
                "needs a broker of its own, and an external one is given");
        assumeTrue(BrokerProcess.available(), "the broker's launcher is not built");
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (external().isEmpty() && externalMqtt().isEmpty()) {
            assumeTrue(BrokerProcess.available(), "the broker's launcher is not built");
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == BrokerAddress.class || type == InetSocketAddress.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (parameter.getParameter().getType() == InetSocketAddress.class) {
            BrokerAddress mqtt =
                    externalMqtt().orElseGet(() -> started(context).process().mqttAddress());
            return new InetSocketAddress(mqtt.host(), mqtt.port());
        }
        return external().orElseGet(() -> started(context).process().address());
    }

    @Override
    public void testFailed(ExtensionContext context, Throwable cause) {
        if (external().isEmpty() && externalMqtt().isEmpty()) {
            System.out.println(context.getDisplayName() + " failed; the broker's output:\n"
                    + started(context).process().output());
        }
    }

    private static Started started(ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent("broker", key -> Started.inTempFolder(), Started.class);
    }

    private record Started(Path folder, BrokerProcess process) implements AutoCloseable {
        static Started inTempFolder() {
            try {
                Path folder = Files.createTempDirectory("mainstem-conformance");
                return new Started(folder, BrokerProcess.start(folder.resolve("data")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            process.close();
            TempFolders.delete(folder);
        }
    }
}
