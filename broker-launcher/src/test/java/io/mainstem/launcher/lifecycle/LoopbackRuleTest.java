package io.mainstem.launcher.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LoopbackRuleTest {
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "localhost", "::1", "[::1]"})
    void thisMachineMayConnect(String host) {
        assertThat(LoopbackRule.resolve("amqp.host", host, false).isLoopbackAddress())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1", "::ffff:192.0.2.1"})
    void anyOtherAddressIsRefusedWithTheReason(String host) {
        StartFailure refused =
                catchThrowableOfType(StartFailure.class, () -> LoopbackRule.resolve("amqp.host", host, false));

        assertThat(refused).hasMessageContainingAll("MS-0112", "amqp.host", host, "no users", "fix:");
        assertThat(refused.exitCode()).isEqualTo(ExitCode.REFUSED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1"})
    void onceThereAreUsersAnyAddressWillDo(String host) {
        assertThat(LoopbackRule.resolve("amqp.host", host, true)).isNotNull();
    }

    @Test
    void anUnknownNameIsRefused() {
        assertThat(catchThrowableOfType(
                        StartFailure.class, () -> LoopbackRule.resolve("amqp.host", "no-such-host.invalid", true)))
                .hasMessageContainingAll("MS-0113", "no-such-host.invalid");
    }
}
