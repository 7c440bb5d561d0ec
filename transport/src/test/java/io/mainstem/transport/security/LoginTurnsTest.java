package io.mainstem.transport.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.transport.security.LoginTurns.Answer;
import io.mainstem.transport.security.LoginTurns.Turn;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Logins of one address wait for each other, those of others do not. */
final class LoginTurnsTest {
    private static final InetAddress ONE = InetAddress.getLoopbackAddress();

    private final PasswordChecks checks = new PasswordChecks();
    private final List<Turn> begun = new ArrayList<>();

    @AfterEach
    void close() {
        checks.close();
    }

    private LoginTurns turns(long turnMillisMax) {
        return new LoginTurns(
                new LoginThrottle(3, 60_000, 0, System::nanoTime),
                checks,
                TimeUnit.MILLISECONDS.toNanos(turnMillisMax));
    }

    @Test
    void asManyAreUnderWayAsMayFailAndTheNextOneBeginsWithTheEndOfOne() {
        LoginTurns turns = turns(60_000);
        for (int i = 0; i < 5; i++) {
            assertThat(turns.take(ONE, begun::add)).isEqualTo(Answer.TAKEN);
        }
        assertThat(begun).hasSize(3);

        begun.get(1).over();
        begun.get(1).over();

        assertThat(begun).hasSize(4);
    }

    @Test
    void thoseThatWaitAreRefusedOnceTheAddressHasFailedTooOften() {
        LoginTurns turns = turns(60_000);
        for (int i = 0; i < 5; i++) {
            turns.take(ONE, begun::add);
        }

        List.copyOf(begun).forEach(Turn::failed);

        assertThat(begun.subList(3, 5)).containsOnlyNulls();
        assertThat(turns.take(ONE, begun::add)).isEqualTo(Answer.THROTTLED);
    }

    @Test
    void loginsThatAreLeftInTheMiddleKeepNobodyOut() throws Exception {
        LoginTurns turns = turns(20);
        for (int i = 0; i < 3; i++) {
            turns.take(ONE, left -> {});
        }

        CompletableFuture<Boolean> next = new CompletableFuture<>();
        turns.take(ONE, turn -> next.complete(turn != null));

        assertThat(next.get(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aFailureCountsAlsoWhenItsTurnWasOverBefore() throws Exception {
        LoginTurns turns = turns(1);
        for (int i = 0; i < 3; i++) {
            turns.take(ONE, begun::add);
        }
        CompletableFuture<Boolean> next = new CompletableFuture<>();
        turns.take(ONE, turn -> next.complete(turn != null));
        next.get(60, TimeUnit.SECONDS);

        List.copyOf(begun).forEach(Turn::failed);

        assertThat(turns.take(ONE, begun::add)).isEqualTo(Answer.THROTTLED);
    }

    @Test
    void thoseThatWaitAreBounded() {
        LoginTurns turns = turns(60_000);
        for (int i = 0; i < 3 + PasswordChecks.WAITING_MAX; i++) {
            assertThat(turns.take(ONE, begun::add)).isEqualTo(Answer.TAKEN);
        }

        assertThat(turns.take(ONE, begun::add)).isEqualTo(Answer.CROWDED);
    }
}
