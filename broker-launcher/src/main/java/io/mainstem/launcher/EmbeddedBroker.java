package io.mainstem.launcher;

import io.mainstem.launcher.config.BrokerConfig;
import io.mainstem.launcher.config.ConfigKeys;
import io.mainstem.launcher.config.ConfigSources;
import io.mainstem.launcher.lifecycle.Endpoint;
import io.mainstem.launcher.lifecycle.RunningBroker;
import io.mainstem.launcher.security.User;
import io.mainstem.launcher.security.UserList;
import io.mainstem.launcher.security.UsersFile;
import io.mainstem.routing.access.AccessRule;
import io.mainstem.transport.security.SaslPrep;
import io.mainstem.transport.security.Users;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A broker inside this process, for applications and tests:
 *
 * <pre>{@code
 * try (var broker = EmbeddedBroker.builder().start()) {
 *     var factory = new JmsConnectionFactory(broker.uri().toString());
 * }
 * }</pre>
 *
 * <p>Unless told otherwise it listens on any free port of the loopback address and keeps its data in a temporary folder
 * that goes when it is closed. It reads neither a file nor the environment.
 *
 * <p>Thread: any.
 */
public final class EmbeddedBroker implements AutoCloseable {
    private final RunningBroker broker;
    private final String vmName;
    private final AtomicLong aheadMs;
    private final @Nullable Path temporary;

    private EmbeddedBroker(RunningBroker broker, String vmName, AtomicLong aheadMs, @Nullable Path temporary) {
        this.vmName = vmName;
        this.broker = broker;
        this.aheadMs = aheadMs;
        this.temporary = temporary;
    }

    /** Begins with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Where AMQP clients connect, such as {@code amqp://127.0.0.1:40123}. */
    public URI uri() {
        return URI.create("amqp://" + endpoint("amqp").authority());
    }

    /** Where clients of this JVM connect without a socket, such as {@code vm://orders}. */
    public URI vmUri() {
        return URI.create("vm://" + vmName);
    }

    /** The port of {@link #uri}. */
    public int port() {
        return endpoint("amqp").port();
    }

    /** Where MQTT clients connect, such as {@code mqtt://127.0.0.1:40124}. */
    public URI mqttUri() {
        return URI.create("mqtt://" + endpoint("mqtt").authority());
    }

    private Endpoint endpoint(String name) {
        return broker.endpoints().stream()
                .filter(endpoint -> endpoint.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The folder in use, absolute. */
    public Path dataDirectory() {
        return broker.data().path();
    }

    /**
     * Moves the broker's clock ahead: what expires or becomes due in that time does so now. For tests of ttl, delayed
     * delivery and redelivery delays, which need not wait. The clock goes on from there with the system's; that of
     * clients is not touched.
     *
     * @param time not negative; parts of a millisecond are left out
     */
    public void advanceClock(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("time: " + time + " (expected: not negative)");
        }
        aheadMs.addAndGet(time.toMillis());
        broker.clockMoved();
    }

    /**
     * Ends the broker as kill -9 would: nothing more is written, synced or answered. For tests; a broker started on the
     * same folder afterwards recovers. The folder stays, even a temporary one, until {@link #close}.
     */
    public void crash() {
        broker.crash();
    }

    /** Stops cleanly and removes the temporary folder. Idempotent. */
    @Override
    public void close() {
        broker.close();
        if (temporary != null) {
            delete(temporary);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException e) {
            return; // Closed before.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Settings of a broker to be started. Thread: one. */
    public static final class Builder {
        private static final int SALT_BYTES = 16;

        private final List<String> assignments = new ArrayList<>();
        private final Map<String, NewUser> users = new LinkedHashMap<>();
        private @Nullable Path directory;
        private String vmName = "mainstem-" + UUID.randomUUID();

        private record NewUser(String password, List<String> permissions) {}

        private Builder() {
            // Small files: a test's broker starts and goes in a fraction of a second.
            set(ConfigKeys.AMQP_PORT.name(), "0");
            set(ConfigKeys.MQTT_PORT.name(), "0");
            set(ConfigKeys.STORE_SEGMENT_BYTES.name(), "16MiB");
            set(ConfigKeys.STORE_VIEW_FILE_BYTES.name(), "4MiB");
            set(ConfigKeys.STORE_DISK_HIGH_BYTES.name(), "256MiB");
        }

        /** Keeps the data there instead of in a temporary folder; created if missing, never removed. */
        public Builder dataDirectory(Path folder) {
            directory = folder;
            return this;
        }

        /** The name for {@code vm://name}, one that no other broker of this JVM has; without it a made-up one. */
        public Builder name(String name) {
            vmName = name;
            return this;
        }

        /**
         * Sets a configuration key as {@code --set} would.
         *
         * @param key such as {@code amqp.port}
         * @param value as it would stand in the file, such as {@code 64MiB}
         */
        public Builder set(String key, String value) {
            assignments.add(key + "=" + value);
            return this;
        }

        /**
         * Adds a user; from the first one on, nobody comes in without a name and password.
         *
         * @param permissions rules such as {@code allow read,write queue orders.*}; none = everything is allowed
         */
        public Builder user(String name, String password, String... permissions) {
            users.put(name, new NewUser(password, List.of(permissions)));
            return this;
        }

        /**
         * Starts the broker; connections are accepted when this returns.
         *
         * @throws io.mainstem.launcher.config.ConfigException if a key or value is wrong
         * @throws io.mainstem.launcher.lifecycle.StartFailure if a port, the folder or the store is not to be had
         */
        public EmbeddedBroker start() {
            Path temporary = directory == null ? temporaryFolder() : null;
            List<String> all = new ArrayList<>(assignments);
            all.add(ConfigKeys.DATA_DIRECTORY.name() + "=" + (directory == null ? temporary : directory));
            try {
                BrokerConfig config = BrokerConfig.of(new ConfigSources(null, Map.of(), all).load());
                addUsers(config);
                AtomicLong aheadMs = new AtomicLong();
                InstantSource clock = () -> Instant.now().plusMillis(aheadMs.get());
                RunningBroker running = RunningBroker.start(config, BuildInfo.version(), clock, code -> {});
                return opened(running, aheadMs, temporary);
            } catch (RuntimeException e) {
                if (temporary != null) {
                    delete(temporary);
                }
                throw e;
            }
        }

        private EmbeddedBroker opened(RunningBroker running, AtomicLong aheadMs, @Nullable Path temporary) {
            try {
                running.openLocal(vmName);
                return new EmbeddedBroker(running, vmName, aheadMs, temporary);
            } catch (RuntimeException e) {
                running.close();
                throw e;
            }
        }

        private void addUsers(BrokerConfig config) {
            if (users.isEmpty()) {
                return;
            }
            UsersFile file = new UsersFile(config.security().usersFile());
            UserList list = file.read();
            for (Map.Entry<String, NewUser> entry : users.entrySet()) {
                NewUser added = entry.getValue();
                List<String> rules = added.permissions().isEmpty() ? List.of("allow all") : added.permissions();
                byte[] salt = new byte[SALT_BYTES];
                new SecureRandom().nextBytes(salt);
                list = list.with(new User(
                        prepared(entry.getKey(), "user name"),
                        Users.verifiers(
                                prepared(added.password(), "password of user '" + entry.getKey() + "'")
                                        .toCharArray(),
                                salt,
                                config.security().passwordIterations()),
                        rules.stream().map(AccessRule::parse).toList()));
            }
            file.write(list);
        }

        /** As who logs in writes it. */
        private static String prepared(String text, String what) {
            String normal = SaslPrep.prepare(text);
            if (normal == null) {
                throw new IllegalArgumentException("MS-0117 the " + what
                        + " is empty or has control characters. fix: use characters that can be printed.");
            }
            return normal;
        }

        private static Path temporaryFolder() {
            try {
                return Files.createTempDirectory("mainstem");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
