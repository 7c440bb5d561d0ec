package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.QueueSpec;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What queues may be declared with. */
@DisplayName("[mapping 5.3] arguments of queues")
final class QueueOptionsTest {
    private static QueueOptions options(String name, Object value) {
        return QueueOptions.of(new QueueSpec("q", true, false, false, false, Map.of(name, value)));
    }

    @ParameterizedTest
    @CsvSource({
        "x-queue-type, stream, classic or quorum",
        "x-queue-type, turbo, classic or quorum",
        "x-overflow, drop-tail, 'drop-head, reject-publish, reject-publish-dlx or block'",
        "x-message-ttl, soon, a whole number from 0",
        "x-expires, never, a whole number from 1",
        "x-max-length, many, a whole number from 0",
        "x-max-length-bytes, much, a whole number from 0",
        "x-max-priority, high, a whole number from 0 to 255",
        "x-delivery-limit, few, a whole number from 0",
        "x-single-active-consumer, maybe, true or false",
    })
    @DisplayName("[mapping 5.3] a wrong value is refused with queue, argument, what was found and what was expected")
    void wrongValue(String name, String found, String expected) {
        assertThatThrownBy(() -> options(name, found))
                .isInstanceOfSatisfying(
                        BrokerException.class,
                        refused -> assertThat(refused.kind()).isEqualTo(ErrorKind.INVALID_ARGUMENT))
                .hasMessageContaining("MS-0331 queue 'q': " + name + ": " + found)
                .hasMessageContaining("(expected: " + expected)
                .hasMessageContaining("fix: ");
    }

    @ParameterizedTest
    @CsvSource({"x-message-ttl, -1", "x-expires, 0", "x-max-length, -5", "x-max-priority, 256"})
    @DisplayName("[mapping 5.3] a number out of range is refused with the range")
    void outOfRange(String name, long found) {
        assertThatThrownBy(() -> options(name, found))
                .hasMessageContaining(name + ": " + found + " (expected: a whole");
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "quorum"})
    @DisplayName("[mapping 5.3] the queue types of RabbitMQ that a plain queue stands for are taken")
    void queueTypes(String type) {
        assertThat(options("x-queue-type", type).lengthLimit()).isNull();
    }
}
