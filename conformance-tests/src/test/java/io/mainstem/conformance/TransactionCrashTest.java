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
    /** Some tenths of a second of load, on a quiet machine. */
    private static final int COMMITS_MAX = 80;

    private static final int START_MS_MAX = 1200;
    private static final int KILL_IN_START_EVERY = 5;
    private static final int TOKENS = 40;

    @TempDir
    Path folder;

    private final long seed = Long.getLong("mainstem.crash.seed", new Random().nextLong());

    private final TokenJournal journal = new TokenJournal();
    private final BranchJournal branches = new BranchJournal(journal);

    @Test
    @DisplayName("kill -9 at any instant: a transaction's sends and acknowledgements are all there, or none")
    void allOrNothing() throws Exception {
        killUnderLoad(KILLS, null);
    }

    @Test
    @DisplayName("kill -9 between prepare and decision: each prepared branch is recovered, and ends as decided")
    void preparedBranchesSurvive() throws Exception {
        killUnderLoad(Math.max(1, KILLS / 2), branches);
        System.out.println("transaction crash test: " + branches.recovered() + " branches recovered");
    }

    /** @param withBranches transactions are branches, or null */
    private void killUnderLoad(int kills, BranchJournal withBranches) throws Exception {
        SharedBroker.assumeOurs();
        Random random = new Random(seed);
        System.out.println("transaction crash test: -Dmainstem.crash.seed=" + seed);

        // Small files and frequent checkpoints, so that kills fall into rolling, checkpointing and deleting too.
        try (BrokerProcess broker = BrokerProcess.startShortLived(
                folder.resolve("data"),
                "store.segment-bytes=4MiB",
                "store.checkpoint-bytes=1MiB",
                "store.checkpoint-interval=200ms")) {
            TokenRing.fill(broker.address(), TOKENS);
            for (int kill = 1; kill <= kills; kill++) {
                TokenRing ring = TokenRing.start(broker.address(), journal, withBranches, random.nextLong());
                ring.awaitLoad();
                CrashTest.awaitMore(journal::committed, random.nextInt(COMMITS_MAX));
                broker.kill9();
                ring.awaitEnd();
                if (kill % KILL_IN_START_EVERY == 0) {
                    broker.restartAndKillAfter(Duration.ofMillis(random.nextInt(START_MS_MAX)));
                }
                broker.restart();
                if (withBranches != null) {
                    withBranches.recover(broker.address());
                }
            }
            TokenRing.drain(broker.address(), journal);
            System.out.println("transaction crash test: " + journal.summary());

            assertThat(journal.faults(TOKENS))
                    .as("seed %d%n%s", seed, broker.output())
                    .isEmpty();
            assertThat(journal.committed()).as("the load was real").isGreaterThan(kills);
        }
    }
}
