package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The time a transaction has: a timer of an hour must not outlive a transaction of a millisecond. */
final class TransactionTimerTest {
    private static final long NONE = -1;

    @TempDir
    Path folder;

    private TestServer server;
    private final EmbeddedChannel loop = new EmbeddedChannel();
    private Transactions transactions;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(folder);
        transactions = new Transactions(server.inside(), loop.eventLoop(), 3_600_000);
    }

    @AfterEach
    void stop() {
        var unused = loop.close();
        server.close();
    }

    private OpenTransaction worked() {
        OpenTransaction transaction = transactions.declare(null, late -> {});
        transaction.postingBegan();
        transaction.postingEnded();
        assertThat(loop.runScheduledPendingTasks()).isPositive();
        return transaction;
    }

    @ParameterizedTest
    @EnumSource(
            value = OpenTransaction.End.class,
            names = {"COMMIT", "ROLLBACK"})
    @DisplayName("a discharge leaves no timer behind")
    void discharged(OpenTransaction.End how) {
        transactions.end(transactions.take(worked().id()), how);

        assertThat(loop.runScheduledPendingTasks()).isEqualTo(NONE);
    }

    @Test
    @DisplayName("a coordinator that goes leaves no timer behind")
    void abandoned() {
        transactions.abandon(worked());

        assertThat(loop.runScheduledPendingTasks()).isEqualTo(NONE);
    }

    @Test
    @DisplayName("a connection that is lost leaves no timer behind")
    void lost() {
        worked();
        worked();

        transactions.close();

        assertThat(loop.runScheduledPendingTasks()).isEqualTo(NONE);
    }

    @Test
    @DisplayName("a transaction without work has no timer")
    void idle() {
        transactions.declare(null, late -> {});

        assertThat(loop.runScheduledPendingTasks()).isEqualTo(NONE);
    }
}
