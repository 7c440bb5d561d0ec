package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mainstem.conformance.CrashClients.Feed;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongSupplier;
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
    private static final int CLEAN_STOPS = 2;
    /** Half a second of load, or less, on a quiet machine. */
    private static final int CONFIRMS_MAX = 1000;

    private static final int START_MS_MAX = 1200;
    /** One kill in so many is followed by another one while the broker still starts. */
    private static final int KILL_IN_START_EVERY = 6;

    private static final String TOPIC = "topic://crash.news";
    private static final Feed QUEUE_A = Feed.queue("crash.a");
    private static final Feed QUEUE_B = Feed.queue("crash.b");
    private static final Feed FIRST = new Feed(TOPIC, "first");
    private static final Feed SECOND = new Feed(TOPIC, "second");
    private static final int CLIENTS = 8;

    @TempDir
    Path folder;

    private final long seed = Long.getLong("mainstem.crash.seed", new Random().nextLong());
    private final CrashJournal a = new CrashJournal(seed, 2);
    private final CrashJournal b = new CrashJournal(seed + 1, 1);
    private final CrashJournal first = new CrashJournal(seed + 2, 1);
    private final CrashJournal second = first.mirror();
    private final Map<Feed, CrashJournal> journals = Map.of(QUEUE_A, a, QUEUE_B, b, FIRST, first, SECOND, second);
    private final List<Duration> restarts = new ArrayList<>();

    @Test
    @DisplayName("kill -9 at any instant: nothing confirmed is lost, nothing is invented, repeats are flagged")
    void nothingConfirmedIsLost() throws Exception {
        SharedBroker.assumeOurs();
        Random random = new Random(seed);
        System.out.println("crash test: -Dmainstem.crash.seed=" + seed);

        // Small files and frequent checkpoints, so that kills fall into rolling, checkpointing and deleting too.
        try (BrokerProcess broker = BrokerProcess.startShortLived(
                folder.resolve("data"),
                "store.segment-bytes=4MiB",
                "store.checkpoint-bytes=2MiB",
                "store.checkpoint-interval=300ms")) {
            subscribe(broker.address());
            for (int kill = 1; kill <= KILLS; kill++) {
                CrashClients clients = load(broker, kill);
                awaitMore(a::confirmedCount, random.nextInt(CONFIRMS_MAX));
                broker.kill9();
                clients.awaitEnd();
                if (kill % KILL_IN_START_EVERY == 0) {
                    broker.restartAndKillAfter(Duration.ofMillis(random.nextInt(START_MS_MAX)));
                }
                broker.restart();
                restarts.add(broker.startTime());
            }
            verify(broker);
        }
    }

    @Test
    @DisplayName("SIGTERM under load: exit code 0, and the same holds")
    void cleanStopUnderLoad() throws Exception {
        SharedBroker.assumeOurs();
        try (BrokerProcess broker = BrokerProcess.startShortLived(folder.resolve("data"))) {
            subscribe(broker.address());
            for (int stop = 1; stop <= CLEAN_STOPS; stop++) {
                CrashClients clients = load(broker, stop);
                awaitMore(a::confirmedCount, CONFIRMS_MAX);
                assertThat(broker.terminate()).as(broker::output).isZero();
                clients.awaitEnd();
                broker.restart();
            }
            verify(broker);
        }
    }

    private void verify(BrokerProcess broker) throws Exception {
        for (var feed : journals.entrySet()) {
            CrashClients.drain(broker.address(), feed.getKey(), feed.getValue(), "the last consumer");
        }
        System.out.println("crash test: restart ms (JVM start to ready): "
                + restarts.stream().map(Duration::toMillis).toList());
        journals.forEach((feed, journal) -> System.out.println("crash test: " + feed.name() + " " + journal.summary()));

        journals.forEach((feed, journal) -> {
            assertThat(journal.faults())
                    .as("%s, seed %d%n%s", feed.name(), seed, broker.output())
                    .isEmpty();
            assertThat(journal.lost())
                    .as("confirmed, never received: %s, seed %d", feed.name(), seed)
                    .isEmpty();
        });
        assertThat(a.confirmedCount()).as("the load was real").isPositive();

        // A clean stop keeps every accept, so nothing may be left after it.
        assertThat(broker.terminate()).isZero();
        broker.restart();
        for (var feed : journals.entrySet()) {
            assertThat(CrashClients.drain(broker.address(), feed.getKey(), feed.getValue(), "after the end"))
                    .isZero();
        }
    }

    private static void subscribe(BrokerAddress broker) throws IOException {
        for (Feed subscription : List.of(FIRST, SECOND)) {
            try (AmqpPeer peer = subscription.connect(broker)) {
                subscription.attach(peer, 0);
            }
        }
    }

    private CrashClients load(BrokerProcess broker, int life) throws InterruptedException {
        CrashClients clients = new CrashClients(broker.address(), life, CLIENTS);
        clients.startProducer(0, QUEUE_A.address(), a);
        clients.startProducer(1, QUEUE_A.address(), a);
        clients.startProducer(0, QUEUE_B.address(), b);
        clients.startProducer(0, TOPIC, first);
        clients.startConsumer(0, QUEUE_A, a);
        clients.startConsumer(1, QUEUE_A, a);
        clients.startConsumer(0, FIRST, first);
        clients.startConsumer(0, SECOND, second);
        clients.awaitLoad();
        // In the first life a confirm, too, however slow the disk; later ones may be killed before theirs.
        await().atMost(Duration.ofMinutes(1)).until(() -> a.confirmedCount() > 0);
        return clients;
    }

    /** The load runs until so many more have been confirmed. */
    static void awaitMore(LongSupplier confirmed, int count) {
        long enough = confirmed.getAsLong() + count;
        await().atMost(Duration.ofMinutes(2))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> confirmed.getAsLong() >= enough);
    }
}
