package io.mainstem.store.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InterruptedIOException;
import org.junit.jupiter.api.Test;

/** Background work pays for its bytes with time. */
final class ThrottleTest {
    private long nanos = 1_000_000_000L;
    private long slept;
    private final Throttle throttle = new Throttle(1000, () -> nanos, this::sleep);

    private void sleep(long forNanos) {
        slept += forNanos;
        nanos += forNanos;
    }

    @Test
    void overAnyLongTimeTheRateIsKept() throws InterruptedIOException {
        for (int i = 0; i < 100; i++) {
            throttle.take(50);
        }

        assertThat(slept).isBetween(4_800_000_000L, 5_000_000_000L);
    }

    @Test
    void idleTimeSavesUpATenthOfASecondAtMost() throws InterruptedIOException {
        nanos += 3_600_000_000_000L;

        throttle.take(1000);

        assertThat(slept).isEqualTo(900_000_000L);
    }

    @Test
    void zeroIsNoLimit() throws InterruptedIOException {
        throttle.rate(0);

        throttle.take(Long.MAX_VALUE);

        assertThat(slept).isZero();
    }

    @Test
    void cancelledWorkEndsAtItsNextStep() {
        throttle.cancel();

        assertThatThrownBy(() -> throttle.take(1)).isInstanceOf(InterruptedIOException.class);
    }
}
