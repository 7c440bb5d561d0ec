package io.mainstem.launcher.config;

import io.mainstem.store.StoreConfig;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * What the modules are built with. Every record checks itself in its constructor.
 *
 * @param dataDirectory absolute
 * @param store the store in {@code store} below it
 */
public record BrokerConfig(Path dataDirectory, StoreConfig store) {
    /**
     * Builds all records.
     *
     * @throws ConfigException if a record refuses a value that its key's type let through
     */
    public static BrokerConfig of(Settings settings) {
        Path data = settings.get(ConfigKeys.DATA_DIRECTORY).toAbsolutePath().normalize();
        return new BrokerConfig(data, checked(settings, () -> store(settings, data)));
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
                settings.get(ConfigKeys.STORE_DISK_HIGH_BYTES),
                Math.toIntExact(settings.get(ConfigKeys.STORE_READ_THREADS)));
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
