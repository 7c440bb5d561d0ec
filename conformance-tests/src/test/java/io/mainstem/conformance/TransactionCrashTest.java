package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The broker is killed with SIGKILL in the midst of transactions that take tokens from one queue, put them into another
 * one and leave receipts in a third: whatever the instant, no token may get lost or be there twice, and its receipts
 * must tell its way.
 *
 * <p>{@code -Dmainstem.crash.seed=S} repeats the instants, {@code -Dmainstem.crash.kills=N} makes it longer.
 */
final class TransactionCrashTest {
    private static final int KILLS = Integer.getInteger("mainstem.crash.kills", 12);
    private static final int LOAD_MS_MIN = 50;
    private static final int LOAD_MS_MAX = 600;
    private static final int START_MS_MAX = 1200;
    private static final int KILL_IN_START_EVERY = 5;
    private static final int TOKENS = 40;

    @TempDir
    Path folder;

    private final long seed = Long.getLong("mainstem.crash.seed", new Random().nextLong());

    @Test
    @DisplayName("kill -9 at any instant: a transaction's sends and acknowledgements are all there, or none")
    void allOrNothing() throws Exception {
        SharedBroker.assumeOurs();
        Random random = new Random(seed);
        System.out.println("transaction crash test: -Dmainstem.crash.seed=" + seed);
        TokenJournal journal = new TokenJournal();

        // Small files and frequent checkpoints, so that kills fall into rolling, checkpointing and deleting too.
        try (BrokerProcess broker = BrokerProcess.startShortLived(
                folder.resolve("data"),
                "store.segment-bytes=4MiB",
                "store.checkpoint-bytes=1MiB",
                "store.checkpoint-interval=200ms")) {
            TokenRing.fill(broker.address(), TOKENS);
            for (int kill = 1; kill <= KILLS; kill++) {
                TokenRing ring = TokenRing.start(broker.address(), journal, random.nextLong());
                ring.awaitLoad();
                Thread.sleep(
                        random.nextInt(LOAD_MS_MIN, LOAD_MS_MAX)); // the load runs for so long: time is the subject
                broker.kill9();
                ring.awaitEnd();
                if (kill % KILL_IN_START_EVERY == 0) {
                    broker.restartAndKillAfter(Duration.ofMillis(random.nextInt(START_MS_MAX)));
                }
                broker.restart();
            }
            TokenRing.drain(broker.address(), journal);
            System.out.println("transaction crash test: " + journal.summary());

            assertThat(journal.faults(TOKENS))
                    .as("seed %d%n%s", seed, broker.output())
                    .isEmpty();
            assertThat(journal.committed()).as("the load was real").isGreaterThan(KILLS);
        }
    }
}
