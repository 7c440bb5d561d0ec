package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.Message;
import io.mainstem.store.files.SimFaults.ReadError;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("[L-10] non-durable messages that do not fit in memory go to the spool")
final class TransientSpoolTest {
    private static final long QUEUE_BYTES = 64 << 10;
    private static final long ALL_BYTES = 256 << 10;
    private static final int MESSAGES = 2000;

    private TestBroker broker;
    private TestClient client;

    @AfterEach
    void close() {
        if (broker != null) {
            broker.close();
        }
    }

    private void open(long spoolBytes) {
        broker = new TestBroker(new ShardSettings(8192, 8192, QUEUE_BYTES, ALL_BYTES, spoolBytes, 1 << 20));
        client = broker.client();
    }

    private static String text(int number) {
        return "m" + number + "-".repeat(200);
    }

    private static List<String> texts(int from, int to) {
        return IntStream.range(from, to).mapToObj(TransientSpoolTest::text).toList();
    }

    /** As a publisher does that waits when it is held back. */
    private void publish(List<Message> messages) {
        for (int from = 0; from < messages.size(); from += 50) {
            awaitWritable();
            assertThat(client.publish(messages.subList(from, Math.min(messages.size(), from + 50))))
                    .allSatisfy(result -> assertThat(result).isInstanceOf(PublishResult.Stored.class));
        }
    }

    private void awaitWritable() {
        CompletableFuture<Boolean> writable = new CompletableFuture<>();
        client.onLoop(() -> {
            client.session().onWritable(() -> writable.complete(true));
            return true;
        });
        TestClient.get(writable);
    }

    /** Whether more may be published; false once the spool is full. While the spool is written it is neither. */
    private boolean writableOrFull() {
        boolean writable = false;
        while (!writable && !blockedReason().contains("shard.spool-bytes-max")) {
            client.sync();
            writable = client.onLoop(() -> client.session().writable());
        }
        return writable;
    }

    private String blockedReason() {
        return Objects.requireNonNullElse(client.onLoop(() -> client.session().blockedReason()), "");
    }

    private void fill(String queue) {
        publish(texts(0, MESSAGES).stream()
                .map(text -> Messages.nonDurable(queue, text))
                .toList());
    }

    private List<String> takeAll(TestConsumer consumer, int count) {
        List<String> taken = new ArrayList<>();
        for (int at = 0; at < count; at++) {
            Delivery delivery = consumer.next();
            taken.add(Messages.text(delivery));
            consumer.settle(delivery, Outcome.ACCEPTED);
        }
        return taken;
    }

    @Test
    @DisplayName("a consumer that does not read holds nobody back, and finds everything in order")
    void aBacklogBeyondMemory() {
        open(1 << 30);
        client.declare("q");

        fill("q");

        assertThat(broker.transientBytes()).isLessThan(2 * QUEUE_BYTES);
        assertThat(broker.spoolBytes()).isGreaterThan(4 * QUEUE_BYTES);
        assertThat(takeAll(client.consume("q").credit(MESSAGES), MESSAGES)).isEqualTo(texts(0, MESSAGES));
        client.sync();
        assertThat(broker.transientBytes()).isZero();
        broker.awaitSpoolBytes(0);
    }

    @Test
    @DisplayName("one that never reads leaves those that do their memory and their pace")
    void aSlowSubscriberBesideFastOnes() {
        open(1 << 30);
        client.declare(new QueueSpec("slow", false, false, false, false, Map.of()));
        client.declare(new QueueSpec("fast", false, false, false, false, Map.of()));
        client.bind("amq.fanout", "slow", "");
        client.bind("amq.fanout", "fast", "");
        client.consume("slow");
        TestConsumer fast = client.consume("fast").credit(MESSAGES);

        publish(texts(0, MESSAGES).stream()
                .map(text -> Messages.to("amq.fanout", "").nonDurable().text(text))
                .toList());

        assertThat(takeAll(fast, MESSAGES)).isEqualTo(texts(0, MESSAGES));
        client.sync();
        assertThat(broker.transientBytes()).isLessThan(2 * QUEUE_BYTES);
    }

    @Test
    @DisplayName("of many queues that together take too much, those nobody reads from go to disk")
    void manySmallBacklogs() {
        open(1 << 30);
        for (int queue = 0; queue < 40; queue++) {
            client.declare("q" + queue);
        }
        for (int number = 0; number < 40; number++) {
            List<Message> batch = new ArrayList<>();
            for (int queue = 0; queue < 40; queue++) {
                batch.add(Messages.nonDurable("q" + queue, text(number)));
            }
            publish(batch);
        }

        broker.awaitTransientBytes(ALL_BYTES);

        for (int queue = 0; queue < 40; queue++) {
            assertThat(takeAll(client.consume("q" + queue).credit(40), 40)).isEqualTo(texts(0, 40));
        }
        client.sync();
        broker.awaitSpoolBytes(0);
    }

    @Test
    @DisplayName("[T-5] what is given back returns to its position, though its neighbours are on disk")
    void givenBackWhileOnDisk() {
        open(1 << 30);
        client.declare("q");
        TestConsumer holder = client.consume("q").credit(300);
        fill("q");
        List<Delivery> held = new ArrayList<>();
        for (int at = 0; at < 300; at++) {
            held.add(holder.next());
        }
        client.sync();
        assertThat(broker.transientBytes()).as("deliveries under way, too").isLessThan(2 * QUEUE_BYTES);
        holder.settle(held.get(0), Outcome.ACCEPTED);
        holder.settle(held.get(1), Outcome.FAILED);

        holder.close(Outcome.RELEASED);

        TestConsumer second = client.consume("q").credit(MESSAGES);
        List<Delivery> again = new ArrayList<>();
        for (int at = 1; at < MESSAGES; at++) {
            again.add(second.next());
        }
        assertThat(again.stream().map(Messages::text).toList()).isEqualTo(texts(1, MESSAGES));
        assertThat(again.get(0).failed()).isEqualTo(1);
        assertThat(again.get(1).failed()).isZero();
        assertThat(again.get(1).acquired()).isTrue();
        assertThat(again.get(400).acquired()).isFalse();
    }

    @Test
    void browsersReadWhatIsOnDiskAndAPurgeFreesIt() {
        open(1 << 30);
        client.declare("q");
        fill("q");

        TestConsumer browser = client.consume("q", new ConsumerSpec("b", false, true, false, 0, Outcome.FAILED))
                .credit(MESSAGES);
        assertThat(browser.nextTexts(MESSAGES)).isEqualTo(texts(0, MESSAGES));
        assertThat(client.purge("q")).isEqualTo(MESSAGES);
        broker.awaitSpoolBytes(0);
    }

    @Test
    @DisplayName("[T-4] what is on disk expires in time, and is dead-lettered")
    void expiryOnDisk() {
        open(1 << 30);
        client.declare("dead");
        client.declare("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        List<Message> messages = new ArrayList<>();
        for (int number = 0; number < 600; number++) {
            long ttlMs = number % 3 == 0 ? 60_000 : 3_600_000;
            messages.add(Messages.to("", "q")
                    .nonDurable()
                    .arrived(broker.nowMs())
                    .withTtl(ttlMs)
                    .text(text(number)));
        }
        publish(messages);

        broker.advanceMs(120_000);

        List<String> expired = IntStream.range(0, 600)
                .filter(number -> number % 3 == 0)
                .mapToObj(TransientSpoolTest::text)
                .toList();
        assertThat(takeAll(client.consume("dead").credit(1000), 200)).containsExactlyInAnyOrderElementsOf(expired);
        List<String> left = IntStream.range(0, 600)
                .filter(number -> number % 3 != 0)
                .mapToObj(TransientSpoolTest::text)
                .toList();
        assertThat(takeAll(client.consume("q").credit(1000), 400)).isEqualTo(left);
    }

    @Test
    @DisplayName("rejected while its chunk is on disk: dead-lettered with its content")
    void deadLettersFromDisk() {
        open(1 << 30);
        client.declare("dead");
        client.declare("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        TestConsumer holder = client.consume("q").credit(1);
        fill("q");
        Delivery held = holder.next();
        client.sync();

        holder.settle(held, new Outcome.Rejected("no"));

        assertThat(client.consume("dead").credit(1).nextText()).isEqualTo(text(0));
    }

    @Test
    @DisplayName("a full spool holds the queue's publishers back, with a reason, until its consumer reads on")
    void fullSpool() {
        open(128 << 10);
        client.declare("q");
        List<Message> some = Collections.nCopies(50, Messages.nonDurable("q", text(1)));
        int published = 0;
        while (writableOrFull()) {
            client.publish(some);
            published += 50;
            assertThat(published).as("publishes without end").isLessThan(20_000);
        }

        assertThat(blockedReason()).contains("'q'", "shard.spool-bytes-max");
        assertThat(broker.spoolBytes()).isLessThan(256 << 10);
        TestClient other = broker.client();
        assertThat(other.onLoop(() -> other.session().writable())).as("others").isTrue();
        takeAll(broker.client().consume("q").credit(published), published);
        awaitWritable();
    }

    @Test
    @DisplayName("[S-6] when the spool is full, what nobody can be held back for is dropped, others keep it all")
    void bestEffortIsDropped() {
        open(128 << 10);
        client.declare(new QueueSpec("q", false, false, false, false, Map.of("x-best-effort", true)));
        client.declare(new QueueSpec("keen", false, false, false, false, Map.of("x-best-effort", true)));
        client.bind("amq.fanout", "q", "");
        client.bind("amq.fanout", "keen", "");
        client.consume("q");
        TestConsumer keen = client.consume("keen").credit(10 * MESSAGES);

        int taken = 0;
        for (int batch = 0; batch < 100; batch++) {
            List<Message> messages = texts(batch * 50, batch * 50 + 50).stream()
                    .map(text -> Messages.to("amq.fanout", "").nonDurable().text(text))
                    .toList();
            client.publish(messages);
            assertThat(takeAll(keen, 50)).isEqualTo(texts(taken, taken + 50));
            taken += 50;
        }

        assertThat(client.onLoop(() -> client.session().writable())).isTrue();
        assertThat(broker.dropped("q")).isPositive();
        assertThat(broker.dropped("keen")).isZero();
        assertThat(broker.transientBytes()).isLessThan(2 * QUEUE_BYTES);
    }

    @Test
    void aRestartBeginsWithAnEmptySpool() {
        open(1 << 30);
        client.declare("q");
        fill("q");
        assertThat(broker.spoolBytes()).isPositive();

        broker.crash();

        assertThat(broker.spoolBytes()).isZero();
        client = broker.client();
        fill("q");
        assertThat(takeAll(client.consume("q").credit(MESSAGES), MESSAGES)).isEqualTo(texts(0, MESSAGES));
    }

    @Test
    void deletingAQueueFreesItsPartOfTheSpool() {
        open(1 << 30);
        client.declare("q");
        fill("q");

        assertThat(client.delete("q")).isEqualTo(MESSAGES);

        broker.awaitSpoolBytes(0);
        assertThat(broker.transientBytes()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ADR 0066: a read that fails proves nothing: it is done again, and nothing is lost")
    void readsThatFail(ReadError how) {
        open(1 << 30);
        client.declare("q");
        fill("q");
        broker.awaitSpoolAtRest(client);
        broker.files().failMessageReads(3, how);

        TestConsumer consumer = client.consume("q").credit(MESSAGES);
        List<String> taken = new ArrayList<>();
        TestBroker.await(() -> {
            broker.advanceMs(1000);
            client.sync();
            for (Delivery delivery : consumer.arrived()) {
                taken.add(Messages.text(delivery));
                consumer.settle(delivery, Outcome.ACCEPTED);
            }
            return taken.size() == MESSAGES;
        });

        assertThat(taken).isEqualTo(texts(0, MESSAGES));
        assertThat(broker.files().messageReadsFailing()).isZero();
    }

    @Test
    @DisplayName("a damaged block costs its own messages: they are never served, and counted out")
    void damageInTheSpool() {
        open(1 << 30);
        client.declare("q");
        fill("q");
        broker.awaitSpoolAtRest(client);
        broker.damageSpool();

        TestConsumer consumer = client.consume("q").credit(MESSAGES);
        List<String> taken = new ArrayList<>();
        boolean more = true;
        while (more) {
            more = client.ask(session -> session.status(List.of("q"))).get(0).ready() > 0;
            client.sync();
            for (Delivery delivery : consumer.arrived()) {
                taken.add(Messages.text(delivery));
                consumer.settle(delivery, Outcome.ACCEPTED);
            }
        }

        List<String> all = new ArrayList<>(texts(0, MESSAGES));
        assertThat(taken).hasSizeLessThan(MESSAGES).hasSizeGreaterThan(100);
        all.retainAll(taken);
        assertThat(taken).isEqualTo(all);
        broker.awaitSpoolBytes(0);
    }
}
