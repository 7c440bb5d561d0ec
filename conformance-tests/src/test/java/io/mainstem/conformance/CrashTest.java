package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The broker is killed with SIGKILL under load again and again; what its clients were told must hold.
 *
 * <p>{@code -Dmainstem.crash.seed=S} repeats the instants and the content of a run, {@code -Dmainstem.crash.kills=N}
 * makes it longer.
 */
final class CrashTest {
    private static final int KILLS = Integer.getInteger("mainstem.crash.kills", 20);
    private static final int LOAD_MS_MIN = 50;
    private static final int LOAD_MS_MAX = 900;
    private static final int START_MS_MAX = 1200;
    /** One kill in so many is followed by another one while the broker still starts. */
    private static final int KILL_IN_START_EVERY = 6;

    private static final String[] QUEUE_OF_PRODUCER = {"crash.a", "crash.a", "crash.b"};
    private static final String[] QUEUE_OF_CONSUMER = {"crash.a", "crash.a", "crash.b"};
    private static final List<String> QUEUES = List.of("crash.a", "crash.b");

    @Test
    @DisplayName("kill -9 at any instant: nothing confirmed is lost, nothing is invented, repeats are flagged")
    void nothingConfirmedIsLost(@TempDir Path folder) throws Exception {
        SharedBroker.assumeOurs();
        long seed = Long.getLong("mainstem.crash.seed", new Random().nextLong());
        Random random = new Random(seed);
        CrashJournal journal = new CrashJournal(seed, QUEUE_OF_PRODUCER.length);
        List<Duration> restarts = new ArrayList<>();
        System.out.println("crash test: -Dmainstem.crash.seed=" + seed);

        // Small files and frequent checkpoints, so that kills fall into rolling, checkpointing and deleting too.
        try (BrokerProcess broker = BrokerProcess.startShortLived(
                folder.resolve("data"),
                "store.segment-bytes=4MiB",
                "store.checkpoint-bytes=2MiB",
                "store.checkpoint-interval=300ms")) {
            for (int kill = 1; kill <= KILLS; kill++) {
                CrashClients clients = load(broker, journal, kill);
                pass(random.nextInt(LOAD_MS_MIN, LOAD_MS_MAX));
                broker.kill9();
                clients.awaitEnd();
                if (kill % KILL_IN_START_EVERY == 0) {
                    broker.restartAndKillAfter(Duration.ofMillis(random.nextInt(START_MS_MAX)));
                }
                broker.restart();
                restarts.add(broker.startTime());
            }
            verify(broker, journal, restarts);
        }
    }

    private static void verify(BrokerProcess broker, CrashJournal journal, List<Duration> restarts) throws Exception {
        for (String queue : QUEUES) {
            CrashClients.drain(broker.address(), queue, journal, "last consumer of " + queue);
        }
        System.out.println("crash test: kills=" + KILLS + " " + journal.summary());
        System.out.println("crash test: restart ms (JVM start to ready): "
                + restarts.stream().map(Duration::toMillis).toList());

        assertThat(journal.faults())
                .as("seed %d%n%s", journal.seed(), broker.output())
                .isEmpty();
        assertThat(journal.lost())
                .as("confirmed, never received; seed %d", journal.seed())
                .isEmpty();
        assertThat(journal.confirmedCount()).as("the load was real").isGreaterThan(KILLS);

        // A clean stop keeps every accept, so nothing may be left after it.
        assertThat(broker.terminate()).isZero();
        broker.restart();
        for (String queue : QUEUES) {
            assertThat(CrashClients.drain(broker.address(), queue, journal, "after the end"))
                    .isZero();
        }
    }

    private static CrashClients load(BrokerProcess broker, CrashJournal journal, int life) throws InterruptedException {
        int count = QUEUE_OF_PRODUCER.length + QUEUE_OF_CONSUMER.length;
        CrashClients clients = new CrashClients(broker.address(), journal, life, count);
        IntStream.range(0, QUEUE_OF_PRODUCER.length).forEach(i -> clients.startProducer(i, QUEUE_OF_PRODUCER[i]));
        IntStream.range(0, QUEUE_OF_CONSUMER.length).forEach(i -> clients.startConsumer(i, QUEUE_OF_CONSUMER[i]));
        clients.awaitLoad();
        return clients;
    }

    /** The load runs for so long: here time is the subject. */
    private static void pass(int millis) throws InterruptedException {
        Thread.sleep(millis);
    }
}
