package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.message.Message;
import org.junit.jupiter.api.Test;

final class TailCacheTest {
    private static Message message(int bytes) {
        return Messages.to("", "q").bytes(new byte[bytes]);
    }

    @Test
    void theOldestMessagesGoFirst() {
        TailCache cache = new TailCache(10 * (100 + TailCache.MESSAGE_OVERHEAD_BYTES));
        for (int number = 0; number < 20; number++) {
            cache.add(64L * number, message(100), 1);
        }

        assertThat(cache.get(64 * 9)).isNull();
        assertThat(cache.get(64 * 10)).isNotNull();
        assertThat(cache.get(64 * 19)).isNotNull();
        assertThat(cache.bytes()).isLessThanOrEqualTo(10 * (100 + TailCache.MESSAGE_OVERHEAD_BYTES));
    }

    @Test
    void aMessageGoesWhenItsLastQueueHasDispatchedIt() {
        TailCache cache = new TailCache(1 << 20);
        cache.add(64, message(100), 2);

        cache.dispatched(64);
        assertThat(cache.get(64)).isNotNull();
        cache.dispatched(64);
        assertThat(cache.get(64)).isNull();
        assertThat(cache.bytes()).isZero();
    }

    @Test
    void aMessageThatStaysDoesNotMakeTheRingGrow() {
        TailCache cache = new TailCache(1 << 20);
        Message stays = message(10);
        cache.add(0, stays, 1);
        for (int number = 1; number < 100_000; number++) {
            cache.add(64L * number, message(10), 1);
            cache.dispatched(64L * number);
        }

        assertThat(cache.get(0)).isSameAs(stays);
        assertThat(cache.slots()).isLessThanOrEqualTo(1024);
    }

    @Test
    void aMessageLargerThanTheCacheIsNotKept() {
        TailCache cache = new TailCache(1024);
        cache.add(64, message(2048), 1);

        assertThat(cache.get(64)).isNull();
        assertThat(cache.bytes()).isZero();
    }
}
