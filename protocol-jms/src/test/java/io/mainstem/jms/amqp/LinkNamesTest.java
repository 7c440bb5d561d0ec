package io.mainstem.jms.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.jms.link.Subscription;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names of links, by which a broker knows a subscription again (mapping 4.5). */
final class LinkNamesTest {
    private final LinkNames names = new LinkNames();

    @ParameterizedTest
    @CsvSource({
        "true, false, false, s, s",
        "true, true, false, s|1, s|2",
        "false, true, false, s|volatile1, s|volatile2",
        "true, true, true, s|global1, s|global2",
        "false, true, true, s|global-volatile1, s|global-volatile2"
    })
    @DisplayName(
            "mapping 4.5: a subscription's link has its name before the bar, and consumers of a shared one differ after it")
    void subscriptions(boolean durable, boolean shared, boolean global, String first, String second) {
        Subscription subscription = new Subscription("s", durable, shared, global);

        assertThat(names.receiver(subscription)).isEqualTo(first);
        assertThat(names.receiver(subscription)).isEqualTo(second);
    }

    @Test
    @DisplayName("Shared subscriptions of different kinds count their consumers apart")
    void kindsCountApart() {
        assertThat(names.receiver(new Subscription("s", true, true, false))).isEqualTo("s|1");
        assertThat(names.receiver(new Subscription("s", false, true, false))).isEqualTo("s|volatile1");
    }

    @Test
    @DisplayName("All other links have names that no other link of the container has")
    void others() {
        assertThat(names.receiver(null)).isNotEqualTo(names.receiver(null));
        assertThat(names.next("sender")).isEqualTo("mainstem-jms:sender:3");
    }
}
