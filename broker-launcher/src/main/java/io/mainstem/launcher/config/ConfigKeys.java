package io.mainstem.launcher.config;

import io.mainstem.routing.Spelling;
import io.mainstem.store.StoreConfig;
import io.mainstem.transport.AddressRange;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The one list of configuration keys. The file's schema, {@code config explain} and the error texts come from here; the
 * ranges are those of the modules' records, and a test holds the two together.
 */
public final class ConfigKeys {
    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    private static final long SECOND_MS = 1_000;

    private static final Map<String, ConfigKey<?>> BY_NAME = new LinkedHashMap<>();

    public static final ConfigKey<Path> DATA_DIRECTORY = key(
            "data.directory",
            new ValueType.Folder(),
            "data",
            "Folder that holds everything the broker keeps: the store and the endpoints file. Same as --data DIR. A"
                    + " relative path starts at the working directory.");

    public static final ConfigKey<String> AMQP_HOST = key(
            "amqp.host",
            new ValueType.Host(),
            "127.0.0.1",
            "Address the AMQP listener binds. Beyond loopback only once there are users, see 'mainstem user'.");

    public static final ConfigKey<Long> AMQP_PORT = key(
            "amqp.port",
            new ValueType.Count(0, 65_535),
            "5672",
            "Port of the AMQP listener; 0 takes any free one, which <data>/endpoints then tells.");

    public static final ConfigKey<Long> AMQP_CONNECTIONS_MAX = key(
            "amqp.connections-max",
            new ValueType.Count(1, 1_000_000),
            "10000",
            "Open AMQP connections; one more is closed at once.");

    public static final ConfigKey<Long> AMQP_HANDSHAKE_TIMEOUT = key(
            "amqp.handshake-timeout",
            new ValueType.Duration(100, 600 * SECOND_MS),
            "10s",
            "An AMQP connection that has not introduced itself after so long is closed.");

    public static final ConfigKey<Long> AMQP_IDLE_TIMEOUT = key(
            "amqp.idle-timeout",
            new ValueType.Duration(200, 24 * 3_600 * SECOND_MS),
            "1m",
            "An AMQP peer that sends nothing, not even an empty frame, for so long is closed; half of it is"
                    + " announced.");

    public static final ConfigKey<Long> AMQP_FRAME_BYTES_MAX = key(
            "amqp.frame-bytes-max",
            new ValueType.Size(512, 16 * MIB),
            "128KiB",
            "Largest AMQP frame accepted; larger messages come in several frames.");

    public static final ConfigKey<Long> AMQP_MESSAGE_BYTES_MAX = key(
            "amqp.message-bytes-max", new ValueType.Size(1, Integer.MAX_VALUE), "128MiB", "Largest message accepted.");

    public static final ConfigKey<OptionalLong> AMQP_INCOMPLETE_BYTES_MAX = key(
            "amqp.incomplete-bytes-max",
            new ValueType.SizeOrAuto(MIB, 1024 * GIB),
            "auto",
            "Bytes of messages of which frames are missing yet, over all connections; at least amqp.message-bytes-max."
                    + " auto is a quarter of the heap, at least 256MiB.");

    public static final ConfigKey<Long> AMQP_SESSIONS_MAX =
            key("amqp.sessions-max", new ValueType.Count(1, 65_536), "4096", "Sessions an AMQP connection may have.");

    public static final ConfigKey<Long> AMQP_LINKS_MAX =
            key("amqp.links-max", new ValueType.Count(1, 65_536), "4096", "Links an AMQP session may have.");

    public static final ConfigKey<List<String>> AMQP_COMPATIBILITY = key(
            "amqp.compatibility",
            new ValueType.Words(),
            "rabbitmq",
            "Habits of other brokers' clients that AMQP goes along with: rabbitmq (open tells version 4.2.0, which its"
                    + " AMQP 1.0 clients insist on), artemis (an address a::q is queue q bound to a).");

    public static final ConfigKey<List<String>> AMQP_QUEUE_PREFIX = key(
            "amqp.queue-prefix",
            new ValueType.Words(),
            "none",
            "AMQP addresses that begin so name a queue, such as jms.queue. for jms.queue.orders.");

    public static final ConfigKey<List<String>> AMQP_TOPIC_PREFIX = key(
            "amqp.topic-prefix",
            new ValueType.Words(),
            "none",
            "AMQP addresses that begin so name a topic, such as jms.topic. for jms.topic.news.");

    public static final ConfigKey<List<String>> AMQP_FAILOVER_SERVERS = key(
            "amqp.failover-servers",
            new ValueType.Words(),
            "none",
            "Other brokers that AMQP clients are told of, host:port each: failover-server-list in open.");

    public static final ConfigKey<Long> AMQP_LINK_CREDIT = key(
            "amqp.link-credit",
            new ValueType.Count(2, 100_000),
            "1000",
            "Publishes a sender may have under way on one link.");

    public static final ConfigKey<Long> AMQP_TRANSACTION_TIMEOUT = key(
            "amqp.transaction-timeout",
            new ValueType.Duration(0, 24 * 3_600 * SECOND_MS),
            "1h",
            "A transaction that is not discharged so long after its first work is rolled back; 0s = never.");
    public static final ConfigKey<Long> AMQP_CONNECTIONS_PER_ADDRESS_MAX = key(
            "amqp.connections-per-address-max",
            new ValueType.Count(1, 1_000_000),
            "10000",
            "Open AMQP connections of one address; one more is closed at once.");

    public static final ConfigKey<List<AddressRange>> AMQP_PROXY_SOURCES = key(
            "amqp.proxy-sources",
            new ValueType.Ranges(),
            "none",
            "Proxies in front of the AMQP listener, addresses or networks: connections from there have to begin with a"
                    + " PROXY header, version 1 or 2, and count as those of the address in it.");

    public static final ConfigKey<String> AMQP_TLS = key(
            "amqp.tls",
            new ValueType.Choice(List.of("auto", "required", "off")),
            "auto",
            "Whether the AMQP port speaks TLS. auto: TLS and plain text on the same port if tls.certificate-file is"
                    + " set.");

    public static final ConfigKey<String> AMQP_WEBSOCKET = key(
            "amqp.websocket",
            new ValueType.Choice(List.of("on", "off")),
            "on",
            "Whether the AMQP port also speaks AMQP over WebSocket, on any path.");

    public static final ConfigKey<String> MQTT_HOST = key(
            "mqtt.host",
            new ValueType.Host(),
            "127.0.0.1",
            "Address the MQTT listener binds. Beyond loopback only once there are users, see 'mainstem user'.");

    public static final ConfigKey<OptionalLong> MQTT_PORT = key(
            "mqtt.port",
            new ValueType.CountOr("off", 0, 65_535),
            "1883",
            "Port of the MQTT listener; 0 takes any free one, which <data>/endpoints then tells. off: MQTT is not spoken.");

    public static final ConfigKey<Long> MQTT_CONNECTIONS_MAX = key(
            "mqtt.connections-max",
            new ValueType.Count(1, 1_000_000),
            "10000",
            "Open MQTT connections; one more is closed at once.");

    public static final ConfigKey<Long> MQTT_HANDSHAKE_TIMEOUT = key(
            "mqtt.handshake-timeout",
            new ValueType.Duration(100, 600 * SECOND_MS),
            "10s",
            "An MQTT connection without a CONNECT after so long is closed.");

    static {
        MqttKeys.all().forEach(key -> BY_NAME.put(key.name(), key));
    }

    public static final ConfigKey<Long> MQTT_CONNECTIONS_PER_ADDRESS_MAX = key(
            "mqtt.connections-per-address-max",
            new ValueType.Count(1, 1_000_000),
            "10000",
            "Open MQTT connections of one address; one more is closed at once.");

    public static final ConfigKey<List<AddressRange>> MQTT_PROXY_SOURCES = key(
            "mqtt.proxy-sources",
            new ValueType.Ranges(),
            "none",
            "Proxies in front of the MQTT listener, addresses or networks: connections from there have to begin with a"
                    + " PROXY header, version 1 or 2, and count as those of the address in it.");

    public static final ConfigKey<String> MQTT_TLS = key(
            "mqtt.tls",
            new ValueType.Choice(List.of("auto", "required", "off")),
            "auto",
            "Whether the MQTT port speaks TLS. auto: TLS and plain text on the same port if tls.certificate-file is"
                    + " set.");

    public static final ConfigKey<String> MQTT_WEBSOCKET = key(
            "mqtt.websocket",
            new ValueType.Choice(List.of("on", "off")),
            "on",
            "Whether the MQTT port also speaks MQTT over WebSocket, on any path.");

    public static final ConfigKey<String> AMQPS_HOST = key(
            "amqps.host",
            new ValueType.Host(),
            "127.0.0.1",
            "Address that a second AMQP listener binds, which speaks TLS only. Beyond loopback only once there are"
                    + " users.");

    public static final ConfigKey<OptionalLong> AMQPS_PORT = key(
            "amqps.port",
            new ValueType.CountOr("off", 0, 65_535),
            "off",
            "Port of the AMQP listener for TLS only, usually 5671; 0 takes any free one.");

    public static final ConfigKey<Optional<Path>> TLS_CERTIFICATE_FILE = key(
            "tls.certificate-file",
            new ValueType.FileOr("none"),
            "none",
            "The broker's certificate: PEM, its own first, then those that lead to its authority; or PKCS #12 with the"
                    + " key. Changed files are taken over without a restart.");

    public static final ConfigKey<Optional<Path>> TLS_KEY_FILE = key(
            "tls.key-file",
            new ValueType.FileOr("none"),
            "none",
            "The key of the certificate, PEM in PKCS #8. none: it is in tls.certificate-file.");

    public static final ConfigKey<Optional<Path>> TLS_PASSWORD_FILE = key(
            "tls.password-file",
            new ValueType.FileOr("none"),
            "none",
            "File whose first line decrypts the key or the PKCS #12 file.");

    public static final ConfigKey<String> TLS_CLIENT_CERTIFICATES = key(
            "tls.client-certificates",
            new ValueType.Choice(List.of("none", "want", "require")),
            "none",
            "Whether clients have to show a certificate. The common name in it is the user of SASL EXTERNAL.");

    public static final ConfigKey<Optional<Path>> TLS_AUTHORITY_FILE = key(
            "tls.authority-file",
            new ValueType.FileOr("none"),
            "none",
            "PEM, the certificates of those who vouch for clients.");

    public static final ConfigKey<List<String>> WEBSOCKET_ORIGINS = key(
            "websocket.origins",
            new ValueType.Words(),
            "none",
            "Web pages that may connect, such as https://shop.example. Programs that are no browsers always may.");

    public static final ConfigKey<Optional<Path>> SECURITY_USERS_FILE = key(
            "security.users-file",
            new ValueType.FileOr("auto"),
            "auto",
            "Who may come in and what they may do; see 'mainstem user'. auto is users.yaml in the data folder.");

    public static final ConfigKey<String> SECURITY_ANONYMOUS = key(
            "security.anonymous",
            new ValueType.Choice(List.of("auto", "off", "loopback", "everywhere")),
            "auto",
            "Who may come in without a name: nobody, clients on this machine, or everybody. auto is loopback as long as"
                    + " there are no users, then off. Permissions are those of the user 'anonymous'.");

    public static final ConfigKey<String> SECURITY_PLAIN_TEXT_PASSWORDS = key(
            "security.plain-text-passwords",
            new ValueType.Choice(List.of("loopback", "everywhere")),
            "loopback",
            "Who may send a password over a connection without TLS. Clients elsewhere can use SCRAM, or TLS.");

    public static final ConfigKey<Long> SECURITY_PASSWORD_ITERATIONS = key(
            "security.password-iterations",
            new ValueType.Count(4096, 10_000_000),
            "120000",
            "How slow the hash of a password is that is set from now on: iterations of PBKDF2.");

    public static final ConfigKey<Long> SECURITY_FAILED_LOGINS_BURST = key(
            "security.failed-logins-burst",
            new ValueType.Count(1, 100_000),
            "10",
            "Failed logins that an address has free; after them its logins wait.");

    public static final ConfigKey<Long> SECURITY_FAILED_LOGIN_INTERVAL = key(
            "security.failed-login-interval",
            new ValueType.Duration(1, 3_600 * SECOND_MS),
            "1s",
            "An address gets one free failed login back after so long.");

    public static final ConfigKey<OptionalLong> SHARD_TAIL_CACHE_BYTES = key(
            "shard.tail-cache-bytes",
            new ValueType.SizeOrAuto(KIB, 1024 * GIB),
            "auto",
            "Recent messages kept on the heap for consumers that keep up. auto is an eighth of the heap.");

    public static final ConfigKey<OptionalLong> SHARD_READ_AHEAD_BYTES = key(
            "shard.read-ahead-bytes",
            new ValueType.SizeOrAuto(KIB, 1024 * GIB),
            "auto",
            "Messages read back from the log and not dispatched yet. auto is a sixteenth of the heap.");

    public static final ConfigKey<Long> SHARD_COLD_READS_MAX = key(
            "shard.cold-reads-max",
            new ValueType.Count(4, 4096),
            "64",
            "Messages that are being read back from the log at a time; a quarter of them for one consumer, so that nobody"
                    + " who catches up keeps the others waiting.");

    public static final ConfigKey<OptionalLong> SHARD_TRANSIENT_QUEUE_BYTES_MAX = key(
            "shard.transient-queue-bytes-max",
            new ValueType.SizeOrAuto(KIB, 1024 * GIB),
            "auto",
            "Memory for non-durable messages of one queue. From half of it on they go to disk; above it, which is when"
                    + " disk space is short, their publishers are held back. auto is an eighth of the heap, at most"
                    + " 64MiB.");

    public static final ConfigKey<OptionalLong> SHARD_TRANSIENT_BYTES_MAX = key(
            "shard.transient-bytes-max",
            new ValueType.SizeOrAuto(KIB, 1024 * GIB),
            "auto",
            "Memory for non-durable messages of all queues, as shard.transient-queue-bytes-max for one. auto is a"
                    + " quarter of the heap.");

    public static final ConfigKey<Long> SHARD_SPOOL_BYTES_MAX = key(
            "shard.spool-bytes-max",
            new ValueType.Size(0, 1024 * GIB),
            "4GiB",
            "Disk space for non-durable messages that do not fit in memory, in store/spool of the data folder. 0 keeps"
                    + " them all in memory.");

    public static final ConfigKey<OptionalLong> SHARD_SESSION_IN_FLIGHT_BYTES_MAX = key(
            "shard.session-in-flight-bytes-max",
            new ValueType.SizeOrAuto(KIB, 1024 * GIB),
            "auto",
            "Publishes of one connection that are not answered yet; above it the connection is held back. auto is a"
                    + " sixteenth of the heap, at most 8MiB.");

    public static final ConfigKey<OptionalLong> SHARD_LAST_VALUE_BYTES_MAX = key(
            "shard.last-value-bytes-max",
            new ValueType.SizeOrAuto(KIB, 1024 * GIB),
            "auto",
            "Memory for the keys of last-value queues, 24 to 96 bytes each; messages of further keys are not replaced."
                    + " auto is a thirty-second of the heap.");

    public static final ConfigKey<OptionalLong> SHARD_QUEUES_MAX = key(
            "shard.queues-max",
            new ValueType.CountOr("auto", 10, Integer.MAX_VALUE),
            "auto",
            "Queues of a virtual host, those of subscriptions and sessions included; further ones are refused. auto:"
                    + " what half of the heap has room for, at most a million.");

    public static final ConfigKey<Long> SHARD_USER_SHARE_PERCENT = key(
            "shard.user-share-percent",
            new ValueType.Count(1, 100),
            "100",
            "Percent of its queues, exchanges and bindings that one user of a virtual host may make. 100 = all.");

    public static final ConfigKey<OptionalLong> SHARD_EXCHANGES_MAX = key(
            "shard.exchanges-max",
            new ValueType.CountOr("auto", 10, Integer.MAX_VALUE),
            "auto",
            "Exchanges of a virtual host; further ones are refused. auto: a tenth of its queues.");

    public static final ConfigKey<OptionalLong> SHARD_BINDINGS_MAX = key(
            "shard.bindings-max",
            new ValueType.CountOr("auto", 10, Integer.MAX_VALUE),
            "auto",
            "Bindings of a virtual host, subscriptions included; further ones are refused. auto: twice its queues.");

    public static final ConfigKey<Long> DEDUP_PRODUCERS_MAX = key(
            "dedup.producers-max",
            new ValueType.Count(1, 10_000_000),
            "10000",
            "Producers of one user whose last sequences are remembered, so that what they send again is stored once.");

    public static final ConfigKey<Long> DEDUP_NAMES_MAX = key(
            "dedup.names-max",
            new ValueType.Count(1, 10_000_000),
            "100000",
            "Dedup ids of one user that are remembered, so that what is sent again is stored once.");

    public static final ConfigKey<Long> DEDUP_AGE = key(
            "dedup.age",
            new ValueType.Duration(1000, 365L * 86_400_000),
            "1d",
            "How long they are remembered at most.");

    public static final ConfigKey<Long> STORE_SEGMENT_BYTES = key(
            "store.segment-bytes",
            new ValueType.Size(StoreConfig.SEGMENT_BYTES_SERVED, StoreConfig.SEGMENT_BYTES_MAX),
            "256MiB",
            "Size of one log segment file. Fixed when the store is created; later changes have no effect on it.");

    public static final ConfigKey<Long> STORE_VIEW_FILE_BYTES = key(
            "store.view-file-bytes",
            new ValueType.Size(MIB, GIB),
            "64MiB",
            "Size of one file of consume-queue blocks.");

    public static final ConfigKey<Long> STORE_BATCH_ALIGN = key(
            "store.batch-align",
            new ValueType.Count(0, 4096),
            "512",
            "Log batches start at multiples of so many bytes: 0 (off), 512 or 4096. Later writes then never touch a"
                    + " sector that was already promised durable.");

    public static final ConfigKey<Long> STORE_POOL_SEGMENTS_MAX = key(
            "store.pool-segments-max",
            new ValueType.Count(0, 64),
            "4",
            "Dead segment files kept for reuse, which makes syncs faster than writing to new files.");

    public static final ConfigKey<Long> STORE_IN_FLIGHT_BYTES_MAX = key(
            "store.in-flight-bytes-max",
            new ValueType.Size(MIB, 4 * GIB),
            "64MiB",
            "Publishers are held back while more than this is on its way to the disk.");

    public static final ConfigKey<Long> STORE_CHECKPOINT_BYTES = key(
            "store.checkpoint-bytes",
            new ValueType.Size(MIB, 4 * GIB),
            "256MiB",
            "A checkpoint is taken after so much log; a restart replays at most about twice as much.");

    public static final ConfigKey<Long> STORE_CHECKPOINT_INTERVAL = key(
            "store.checkpoint-interval",
            new ValueType.Duration(10, 3_600 * SECOND_MS),
            "30s",
            "A checkpoint is also taken after so long, if anything changed.");

    public static final ConfigKey<Long> STORE_DISK_HIGH_BYTES = key(
            "store.disk-high-bytes",
            new ValueType.Size(0, 1024 * 1024 * GIB),
            "1GiB",
            "Publishers are held back while less than this is free on the data folder's disk; consuming goes on.");

    public static final ConfigKey<Long> STORE_DISK_HIGH_PERCENT = key(
            "store.disk-high-percent",
            new ValueType.Count(0, 90),
            "0",
            "The same as a share of the whole disk, found out at the start; the larger of the two counts. 0: only"
                    + " store.disk-high-bytes does.");

    public static final ConfigKey<Long> STORE_READ_THREADS =
            key("store.read-threads", new ValueType.Count(1, 64), "2", "Threads for reads that miss memory.");

    public static final ConfigKey<Long> STORE_CONVOY_MICROS_MAX = key(
            "store.convoy-micros-max",
            new ValueType.Count(0, 100_000),
            "1000",
            "Microseconds that a sync waits at most, and never longer than the last one took, for publishers that come back"
                    + " together, so that one serves all of them; a lone publisher never waits. 0 = off.");

    public static final ConfigKey<Long> STORE_COMPACTION_RATE = key(
            "store.compaction-rate",
            new ValueType.Size(0, 1024 * GIB),
            "48MiB",
            "What compaction of the log may read and write a second; 0 = no limit. Twice as much while the disk is low.");

    public static final ConfigKey<Long> STORE_COMPACTION_QUIET = key(
            "store.compaction-quiet",
            new ValueType.Duration(0, 24 * 3_600 * SECOND_MS),
            "1m",
            "A segment of the log is compacted when nothing in it has been settled for so long.");

    public static final ConfigKey<Long> STORE_SCRUB_RATE = key(
            "store.scrub-rate",
            new ValueType.Size(0, 1024 * GIB),
            "5MiB",
            "What is read again a second in the background to find damage on the disk; 0 = nothing but the blocks of consume"
                    + " queues, with which counters are compared once a day.");

    public static final ConfigKey<String> LOG_LEVEL = key(
            "log.level",
            new ValueType.Choice(List.of("error", "warn", "info", "debug", "trace")),
            "info",
            "What is written to the log on standard error. Nothing is logged per message below debug.");

    private ConfigKeys() {}

    /** All keys, in the order of the file. */
    public static List<ConfigKey<?>> all() {
        return List.copyOf(BY_NAME.values());
    }

    /** The key of that name. */
    public static Optional<ConfigKey<?>> find(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    /** The key whose name is spelled most like {@code name}, if any is near. */
    public static Optional<String> nearest(String name) {
        return Spelling.nearest(name, Collections.unmodifiableSet(BY_NAME.keySet()));
    }

    private static <T> ConfigKey<T> key(String name, ValueType<T> type, String defaultText, String meaning) {
        ConfigKey<T> key = new ConfigKey<>(name, type, defaultText, meaning);
        BY_NAME.put(name, key);
        return key;
    }
}
