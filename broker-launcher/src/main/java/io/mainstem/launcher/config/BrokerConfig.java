package io.mainstem.launcher.config;

import io.mainstem.amqp.v1.AmqpLimits;
import io.mainstem.amqp.v1.AmqpOptions;
import io.mainstem.mqtt.MqttLimits;
import io.mainstem.mqtt.MqttOptions;
import io.mainstem.routing.dedup.DedupLimits;
import io.mainstem.routing.queue.ShardSettings;
import io.mainstem.routing.topology.TopologyLimits;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.transport.ListenerConfig;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the modules are built with. Every record checks itself in its constructor.
 *
 * @param dataDirectory absolute
 * @param store the store in {@code store} below it
 * @param shard memory of the shard
 * @param amqpListener where AMQP is spoken
 * @param amqp what AMQP peers may ask for
 * @param amqpOptions how AMQP presents itself
 * @param mqttListener where MQTT is spoken, or null for nowhere
 * @param mqtt what MQTT clients may ask for
 * @param mqttOptions how they are treated
 * @param transport what the listeners speak besides
 * @param security who may come in
 */
public record BrokerConfig(
        Path dataDirectory,
        StoreConfig store,
        ShardSettings shard,
        ListenerConfig amqpListener,
        AmqpLimits amqp,
        AmqpOptions amqpOptions,
        @Nullable ListenerConfig mqttListener,
        MqttLimits mqtt,
        MqttOptions mqttOptions,
        TransportConfig transport,
        SecurityConfig security) {
    private static final int MQTT_HANDSHAKE_BYTES_MAX = 256 << 10;

    /**
     * Builds all records.
     *
     * @throws ConfigException if a record refuses a value that its key's type let through
     */
    public static BrokerConfig of(Settings settings) {
        Path data = settings.get(ConfigKeys.DATA_DIRECTORY).toAbsolutePath().normalize();
        return new BrokerConfig(
                data,
                checked(settings, () -> store(settings, data)),
                checked(settings, () -> shard(settings)),
                checked(settings, () -> amqpListener(settings)),
                checked(settings, () -> amqp(settings)),
                checked(settings, () -> AmqpPresentation.of(settings)),
                settings.get(ConfigKeys.MQTT_PORT).isEmpty() ? null : checked(settings, () -> mqttListener(settings)),
                checked(settings, () -> MqttKeys.limits(settings)),
                checked(settings, () -> MqttKeys.options(settings)),
                checked(settings, () -> TransportConfig.of(settings, amqpListener(settings))),
                checked(settings, () -> SecurityConfig.of(settings, data)));
    }

    private static ShardSettings shard(Settings settings) {
        ShardSettings auto = ShardSettings.forHeap(Runtime.getRuntime().maxMemory());
        return new ShardSettings(
                settings.get(ConfigKeys.SHARD_TAIL_CACHE_BYTES).orElse(auto.tailCacheBytes()),
                settings.get(ConfigKeys.SHARD_READ_AHEAD_BYTES).orElse(auto.readAheadBytes()),
                Math.toIntExact(settings.get(ConfigKeys.SHARD_COLD_READS_MAX)),
                settings.get(ConfigKeys.SHARD_TRANSIENT_QUEUE_BYTES_MAX).orElse(auto.transientQueueBytesMax()),
                settings.get(ConfigKeys.SHARD_TRANSIENT_BYTES_MAX).orElse(auto.transientBytesMax()),
                settings.get(ConfigKeys.SHARD_SPOOL_BYTES_MAX),
                settings.get(ConfigKeys.SHARD_SESSION_IN_FLIGHT_BYTES_MAX).orElse(auto.sessionInFlightBytesMax()),
                auto.nearEntriesMax(),
                settings.get(ConfigKeys.SHARD_LAST_VALUE_BYTES_MAX).orElse(auto.lastValueBytesMax()),
                new DedupLimits(
                        Math.toIntExact(settings.get(ConfigKeys.DEDUP_PRODUCERS_MAX)),
                        Math.toIntExact(settings.get(ConfigKeys.DEDUP_NAMES_MAX)),
                        settings.get(ConfigKeys.DEDUP_AGE),
                        auto.dedup().totalMax()),
                new TopologyLimits(
                        number(
                                settings,
                                ConfigKeys.SHARD_QUEUES_MAX,
                                auto.topology().queuesMax()),
                        number(
                                settings,
                                ConfigKeys.SHARD_EXCHANGES_MAX,
                                auto.topology().exchangesMax()),
                        number(
                                settings,
                                ConfigKeys.SHARD_BINDINGS_MAX,
                                auto.topology().bindingsMax()),
                        Math.toIntExact(settings.get(ConfigKeys.SHARD_USER_SHARE_PERCENT)),
                        new HeapRoom()));
    }

    private static int number(Settings settings, ConfigKey<OptionalLong> key, int auto) {
        return Math.toIntExact(settings.get(key).orElse(auto));
    }

    private static ListenerConfig amqpListener(Settings settings) {
        ListenerConfig defaults = ListenerConfig.of(
                "amqp", settings.get(ConfigKeys.AMQP_HOST), Math.toIntExact(settings.get(ConfigKeys.AMQP_PORT)));
        return new ListenerConfig(
                defaults.name(),
                defaults.host(),
                defaults.port(),
                Math.toIntExact(settings.get(ConfigKeys.AMQP_CONNECTIONS_MAX)),
                Math.toIntExact(settings.get(ConfigKeys.AMQP_CONNECTIONS_PER_ADDRESS_MAX)),
                settings.get(ConfigKeys.AMQP_PROXY_SOURCES),
                Math.toIntExact(settings.get(ConfigKeys.AMQP_HANDSHAKE_TIMEOUT)),
                defaults.handshakeBytesMax(),
                defaults.writeBufferLow(),
                defaults.writeBufferHigh());
    }

    private static ListenerConfig mqttListener(Settings settings) {
        ListenerConfig defaults = ListenerConfig.of(
                "mqtt",
                settings.get(ConfigKeys.MQTT_HOST),
                Math.toIntExact(settings.get(ConfigKeys.MQTT_PORT).orElse(0)));
        return new ListenerConfig(
                defaults.name(),
                defaults.host(),
                defaults.port(),
                Math.toIntExact(settings.get(ConfigKeys.MQTT_CONNECTIONS_MAX)),
                Math.toIntExact(settings.get(ConfigKeys.MQTT_CONNECTIONS_PER_ADDRESS_MAX)),
                settings.get(ConfigKeys.MQTT_PROXY_SOURCES),
                Math.toIntExact(settings.get(ConfigKeys.MQTT_HANDSHAKE_TIMEOUT)),
                // A CONNECT may bring a will and a password of 64 KiB each.
                MQTT_HANDSHAKE_BYTES_MAX,
                defaults.writeBufferLow(),
                defaults.writeBufferHigh());
    }

    private static AmqpLimits amqp(Settings settings) {
        long messageBytesMax = settings.get(ConfigKeys.AMQP_MESSAGE_BYTES_MAX);
        return new AmqpLimits(
                Math.toIntExact(settings.get(ConfigKeys.AMQP_FRAME_BYTES_MAX)),
                Math.toIntExact(settings.get(ConfigKeys.AMQP_SESSIONS_MAX)),
                Math.toIntExact(settings.get(ConfigKeys.AMQP_LINKS_MAX)),
                messageBytesMax,
                settings.get(ConfigKeys.AMQP_INCOMPLETE_BYTES_MAX)
                        .orElse(Math.max(messageBytesMax, AmqpLimits.DEFAULT.incompleteBytesMax())),
                Math.toIntExact(settings.get(ConfigKeys.AMQP_LINK_CREDIT)),
                Math.toIntExact(settings.get(ConfigKeys.AMQP_IDLE_TIMEOUT)),
                Math.toIntExact(settings.get(ConfigKeys.AMQP_TRANSACTION_TIMEOUT)));
    }

    private static StoreConfig store(Settings settings, Path data) {
        return new StoreConfig(
                data.resolve("store"),
                settings.get(ConfigKeys.STORE_SEGMENT_BYTES),
                settings.get(ConfigKeys.STORE_VIEW_FILE_BYTES),
                Math.toIntExact(settings.get(ConfigKeys.STORE_BATCH_ALIGN)),
                Math.toIntExact(settings.get(ConfigKeys.STORE_POOL_SEGMENTS_MAX)),
                settings.get(ConfigKeys.STORE_IN_FLIGHT_BYTES_MAX),
                settings.get(ConfigKeys.STORE_CHECKPOINT_BYTES),
                settings.get(ConfigKeys.STORE_CHECKPOINT_INTERVAL),
                DiskShare.atLeast(
                        data,
                        settings.get(ConfigKeys.STORE_DISK_HIGH_BYTES),
                        settings.get(ConfigKeys.STORE_DISK_HIGH_PERCENT)),
                Math.toIntExact(settings.get(ConfigKeys.STORE_READ_THREADS)),
                settings.get(ConfigKeys.STORE_CONVOY_MICROS_MAX),
                new StoreUpkeep(
                        settings.get(ConfigKeys.STORE_COMPACTION_RATE),
                        settings.get(ConfigKeys.STORE_COMPACTION_QUIET),
                        settings.get(ConfigKeys.STORE_SCRUB_RATE)));
    }

    /** The records name the key they refuse first in their texts; that leads to who set it. */
    private static <T> T checked(Settings settings, Supplier<T> record) {
        try {
            return record.get();
        } catch (IllegalArgumentException e) {
            String text = String.valueOf(e.getMessage());
            String key = text.substring(0, Math.max(0, text.indexOf(':')));
            String place = ConfigKeys.find(key)
                    .map(known -> settings.setting(known).origin().place())
                    .orElse("configuration");
            throw new ConfigException(new ConfigProblem(
                    "MS-0106", place, text + ".", "'mainstem config explain " + key + "' tells what it means."));
        }
    }
}
