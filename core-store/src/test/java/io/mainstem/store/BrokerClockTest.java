package io.mainstem.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("[L-8] the broker's clock")
final class BrokerClockTest {
    private static final long START_MS = 1_700_000_000_000L;
    private static final long HOUR_MS = 3_600_000;

    private long wallMs = START_MS;
    private long nanos = -5_000_000_000L;
    private final BrokerClock clock = new BrokerClock(() -> Instant.ofEpochMilli(wallMs), () -> nanos);

    private void pass(long millis) {
        wallMs += millis;
        nanos += millis * 1_000_000;
    }

    @Test
    void itIsTheWallClock() {
        assertThat(clock.millis()).isEqualTo(START_MS);
        pass(10 * HOUR_MS);

        assertThat(clock.millis()).isEqualTo(START_MS + 10 * HOUR_MS);
        assertThat(clock.instant()).isEqualTo(Instant.ofEpochMilli(START_MS + 10 * HOUR_MS));
    }

    @Test
    void whileTheWallClockIsBehindTimeStandsStill() {
        assertThat(clock.millis()).isEqualTo(START_MS);
        wallMs -= HOUR_MS;
        pass(1000);
        assertThat(clock.millis()).isEqualTo(START_MS);

        pass(HOUR_MS);

        assertThat(clock.millis()).isEqualTo(START_MS + 1000);
        assertThat(clock.doubting()).isFalse();
    }

    @Test
    void aJumpAheadOfUpToAMinuteIsBelieved() {
        wallMs += 60_000;

        assertThat(clock.millis()).isEqualTo(START_MS + 60_000);
    }

    @Test
    void aLongerJumpIsBelievedWhenItHasLastedAMinuteAndUntilThenTimeGoesOnEvenly() {
        wallMs += HOUR_MS;
        assertThat(clock.millis()).isEqualTo(START_MS);
        assertThat(clock.doubting()).isTrue();
        pass(59_999);
        assertThat(clock.millis()).isEqualTo(START_MS + 59_999);

        pass(1);

        assertThat(clock.millis()).isEqualTo(START_MS + HOUR_MS + 60_000);
        assertThat(clock.doubting()).isFalse();
    }

    @Test
    void aJumpThatIsTakenBackNeverHappened() {
        wallMs += HOUR_MS;
        assertThat(clock.millis()).isEqualTo(START_MS);
        pass(30_000);
        wallMs -= HOUR_MS;
        assertThat(clock.millis()).isEqualTo(START_MS + 30_000);
        assertThat(clock.doubting()).isFalse();

        pass(60_000);

        assertThat(clock.millis()).isEqualTo(START_MS + 90_000);
    }

    @Test
    void anotherJumpBeginsAnotherMinute() {
        wallMs += HOUR_MS;
        assertThat(clock.millis()).isEqualTo(START_MS);
        pass(59_000);
        wallMs += HOUR_MS;
        assertThat(clock.millis()).isEqualTo(START_MS + 59_000);
        pass(59_000);
        assertThat(clock.millis()).isEqualTo(START_MS + 118_000);

        pass(1000);

        assertThat(clock.millis()).isEqualTo(START_MS + 2 * HOUR_MS + 119_000);
    }
}
