package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.QueueSpec;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arguments of queues that nobody knows are no queue without a limit. */
final class ArgumentNamesTest {
    @ParameterizedTest
    @CsvSource({
        "max-length, x-max-length",
        "x-max-lenght, x-max-length",
        "x-message-tll, x-message-ttl",
        "X-Max-Length, x-max-length",
        "x-dead-letter-exchnage, x-dead-letter-exchange",
    })
    @DisplayName("an unknown name is refused with the nearest one")
    void nearest(String wrong, String meant) {
        assertThatThrownBy(() -> ArgumentNames.check(queue(wrong)))
                .isInstanceOf(BrokerException.class)
                .hasMessageContaining("MS-0331 queue 'orders'")
                .hasMessageContaining("'" + wrong + "'")
                .hasMessageContaining("expected: " + meant + ")")
                .hasMessageContaining("fix:");
    }

    @Test
    @DisplayName("a name that is near none is refused with all")
    void farFromAll() {
        assertThatThrownBy(() -> ArgumentNames.check(queue("colour-of-the-parcel-and-of-its-ribbon")))
                .hasMessageContaining("one of [x-best-effort, x-dead-letter-exchange");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x-queue-mode", "x-quorum-initial-group-size", "x-queue-leader-locator", "x-max-length"})
    @DisplayName("what RabbitMQ's clients declare is taken")
    void ofRabbit(String name) {
        assertThatCode(() -> ArgumentNames.check(queue(name))).doesNotThrowAnyException();
    }

    @Test
    @DisplayName("an argument of streams says that there are none")
    void ofStreams() {
        assertThatThrownBy(() -> ArgumentNames.check(queue("x-max-age")))
                .hasMessageContaining("no argument of streams");
    }

    @Test
    @DisplayName("the broker's own queues carry what they like")
    void ofTheBroker() {
        QueueSpec own = new QueueSpec("amq.sub", true, false, false, true, Map.of("x-subscription-kind", "shared"));

        assertThatCode(() -> ArgumentNames.check(own)).doesNotThrowAnyException();
    }

    private static QueueSpec queue(String argument) {
        return new QueueSpec("orders", true, false, false, false, Map.of(argument, 3));
    }
}
