package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.amqp.v1.ContainerIds.Enforcement;
import io.mainstem.amqp.v1.ContainerIds.Holder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("[issue 12 line 38] the only connection with its container-id")
final class ContainerIdsTest {
    private final ContainerIds ids = new ContainerIds();

    private static Holder holder(@Nullable String user, boolean sole) {
        return new Holder("/", "orders", user, sole, () -> {});
    }

    @Test
    @DisplayName("is so among those of its user: nobody keeps another user's service out by taking its id")
    void ofItsUser() {
        assertThat(ids.take(holder("mallory", true), Enforcement.REFUSE_CONNECTION))
                .isTrue();

        assertThat(ids.take(holder("alice", false), Enforcement.REFUSE_CONNECTION))
                .isTrue();
        assertThat(ids.take(holder("mallory", false), Enforcement.REFUSE_CONNECTION))
                .isFalse();
        assertThat(ids.take(holder(null, true), Enforcement.REFUSE_CONNECTION)).isTrue();
    }
}
