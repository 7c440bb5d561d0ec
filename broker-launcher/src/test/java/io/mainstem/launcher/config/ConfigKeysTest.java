package io.mainstem.launcher.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.mainstem.amqp.v1.AmqpLimits;
import io.mainstem.routing.queue.ShardSettings;
import io.mainstem.store.StoreConfig;
import io.mainstem.transport.ListenerConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The registry says what the modules' records accept, and nothing else. */
final class ConfigKeysTest {
    static List<ConfigKey<?>> all() {
        return ConfigKeys.all();
    }

    @ParameterizedTest
    @MethodSource("all")
    void aKeyHasASectionAndKebabCaseAndADefaultOfItsType(ConfigKey<?> key) {
        assertThat(key.name()).matches("[a-z]+\\.[a-z]+(-[a-z0-9]+)*");
        assertThatCode(() -> key.type().parse(key.defaultText())).doesNotThrowAnyException();
        assertThat(key.meaning()).endsWith(".");
    }

    @Test
    void noTwoKeysShareAVariable() {
        assertThat(ConfigKeys.all().stream().map(ConfigKey::environmentName)).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("all")
    void theRecordsAcceptBothEndsOfEveryRange(ConfigKey<?> key) {
        for (String end : endsOf(key.type())) {
            assertThatCode(() -> config(key.name() + "=" + end))
                    .as("%s=%s", key.name(), end)
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void theDefaultsOfTheFileAreThoseOfTheRecords() {
        Path data = Path.of("data").toAbsolutePath();

        assertThat(config().store()).isEqualTo(StoreConfig.defaults(data.resolve("store")));
        assertThat(config().amqp()).isEqualTo(AmqpLimits.DEFAULT);
        assertThat(config().amqpListener()).isEqualTo(ListenerConfig.of("amqp", "127.0.0.1", 5672));
        assertThat(config().shard())
                .usingRecursiveComparison()
                .ignoringFields("topology.heapShort")
                .isEqualTo(ShardSettings.forHeap(Runtime.getRuntime().maxMemory()));
    }

    @Test
    void aValueThatOnlyTheRecordRefusesIsToldWithItsOrigin() {
        ConfigException refused = catchThrowableOfType(ConfigException.class, () -> config("store.batch-align=100"));

        assertThat(refused).hasMessageContaining("MS-0106 --set: store.batch-align: 100 (expected: 0, 512 or 4096)");
    }

    private static BrokerConfig config(String... assignments) {
        return BrokerConfig.of(new ConfigSources(null, Map.of(), List.of(assignments)).load());
    }

    private static List<String> endsOf(ValueType<?> type) {
        if (type instanceof ValueType.Count count) {
            return List.of("" + count.min(), "" + count.max());
        }
        if (type instanceof ValueType.Size size) {
            return List.of("" + size.min(), "" + size.max());
        }
        if (type instanceof ValueType.SizeOrAuto size) {
            return List.of("auto", "" + size.max());
        }
        if (type instanceof ValueType.Duration duration) {
            return List.of(duration.minMs() + "ms", duration.maxMs() + "ms");
        }
        return List.of();
    }
}
