package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.Branch;
import io.mainstem.routing.BranchId;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.Policy;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.Transaction;
import io.mainstem.store.files.SimDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Whoever asks for much waits for it, and nobody else does")
final class TurnTest {
    private static final int STEPS = 32;
    private static final int MANY = 2000;
    /** As many as a transaction has room for in memory. */
    private static final int SOME = 400;

    private final SteppedBroker broker = new SteppedBroker(new SimDisk(), new SteppedBroker.Clock(), STEPS);
    private final BrokerSession greedy = broker.connect("greedy");
    private final BrokerSession honest = broker.connect("honest");

    /** Keeps what it gets. */
    private static final class Sink implements DeliverySink {
        private final List<Delivery> got = new ArrayList<>();

        @Override
        public void onDeliveries(List<Delivery> deliveries) {
            got.addAll(deliveries);
        }

        @Override
        public void onDrained(long limit) {}

        @Override
        public void onCancelled(ErrorKind why, String text) {}

        List<String> texts() {
            return got.stream().map(Messages::text).toList();
        }
    }

    private void declare(BrokerSession session, String queue) {
        broker.ask(session, asked -> asked.declareQueue(new QueueSpec(queue, true, false, false, false, Map.of())));
    }

    private void fill(BrokerSession session, String queue, int count) {
        for (int number = 0; number < count; number++) {
            session.publish(Messages.nonDurable(queue, "m" + number), number, (tag, result) -> {});
            if (number % 100 == 99) {
                session.flush();
                broker.settle();
            }
        }
        session.flush();
        broker.settle();
    }

    private ConsumerHandle consume(BrokerSession session, String queue, Sink sink, long credit) {
        ConsumerSpec spec = new ConsumerSpec("c", false, false, false, 0, Outcome.RELEASED);
        ConsumerHandle handle = Objects.requireNonNull(broker.ask(session, asked -> asked.consume(queue, spec, sink)));
        handle.limit(credit, false);
        session.flush();
        broker.settle();
        return handle;
    }

    /** Iterations until a message of the honest pair has been taken and delivered. */
    private int turnsOfHonestPair(Sink sink) {
        int before = sink.got.size();
        honest.publish(Messages.nonDurable("honest", "hello"), 0, (tag, result) -> {});
        honest.flush();
        int turns = 0;
        while (sink.got.size() == before) {
            broker.turn();
            turns++;
        }
        return turns;
    }

    private Sink honestConsumer() {
        declare(honest, "honest");
        Sink sink = new Sink();
        consume(honest, "honest", sink, 1000);
        return sink;
    }

    private ConsumerHandle greedyConsumer(Sink sink) {
        declare(greedy, "deep");
        fill(greedy, "deep", MANY);
        ConsumerHandle handle = consume(greedy, "deep", sink, MANY);
        assertThat(sink.got).hasSize(MANY);
        return handle;
    }

    @Test
    @DisplayName("a consumer that leaves with much unsettled: it goes back in turns, and comes again in order")
    void detachWithManyUnsettled() {
        Sink sink = honestConsumer();
        ConsumerHandle greedyOne = greedyConsumer(new Sink());
        Sink next = new Sink();
        consume(honest, "deep", next, MANY);

        greedyOne.close(Outcome.RELEASED);
        greedy.flush();

        assertThat(turnsOfHonestPair(sink)).isLessThanOrEqualTo(3);
        assertThat(next.got).as("nothing overtakes what is given back").isEmpty();
        broker.settle();
        assertThat(next.texts())
                .startsWith("m0", "m1", "m2")
                .isSortedAccordingTo(
                        (a, b) -> Integer.compare(Integer.parseInt(a.substring(1)), Integer.parseInt(b.substring(1))));
        assertThat(next.got).hasSize(MANY);
    }

    @Test
    @DisplayName(
            "a transaction of many messages that stay in memory: its commit, in order, and what is published behind it")
    void transactionInMemory() {
        Sink sink = honestConsumer();
        declare(greedy, "deep");
        Transaction transaction = greedy.begin();
        for (int number = 0; number < SOME; number++) {
            transaction.publish(Messages.nonDurable("deep", "m" + number));
        }
        transaction.commit();
        greedy.publish(Messages.nonDurable("deep", "m" + SOME), 0, (tag, result) -> {});
        greedy.flush();

        assertThat(turnsOfHonestPair(sink)).isLessThanOrEqualTo(3);
        broker.settle();
        Sink all = new Sink();
        consume(greedy, "deep", all, SOME + 1);
        assertThat(all.got).hasSize(SOME + 1);
        for (int number = 0; number <= SOME; number++) {
            assertThat(all.texts().get(number)).isEqualTo("m" + number);
        }
    }

    @Test
    @DisplayName("a prepared branch of many messages that stay in memory: its commit")
    void branchInMemory() {
        Sink sink = honestConsumer();
        declare(greedy, "deep");
        BranchId id = new BranchId("01");
        Branch branch = greedy.begin(id);
        for (int number = 0; number < SOME; number++) {
            branch.publish(Messages.nonDurable("deep", "m" + number));
        }
        branch.prepare();
        greedy.flush();
        broker.settle();
        greedy.commitPrepared(id);
        greedy.flush();

        assertThat(turnsOfHonestPair(sink)).isLessThanOrEqualTo(3);
        broker.settle();
        Sink all = new Sink();
        consume(greedy, "deep", all, SOME);
        assertThat(all.got).hasSize(SOME);
    }

    @Test
    @DisplayName("a large transaction: its settlements, its rollback and its commit")
    void largeTransaction() {
        Sink sink = honestConsumer();
        Sink many = new Sink();
        ConsumerHandle consumer = greedyConsumer(many);
        Transaction rolledBack = greedy.begin();
        rolledBack.settle(consumer, 0, MANY - 1, Outcome.ACCEPTED, true);
        greedy.flush();
        assertThat(turnsOfHonestPair(sink)).as("settlements").isLessThanOrEqualTo(3);
        broker.settle();

        rolledBack.rollback();
        greedy.flush();
        assertThat(turnsOfHonestPair(sink)).as("rollback").isLessThanOrEqualTo(3);
        broker.settle();

        consumer.limit(2 * MANY, false);
        greedy.flush();
        assertThat(turnsOfHonestPair(sink)).as("deliveries").isLessThanOrEqualTo(3);
        broker.settle();
        assertThat(many.texts().subList(MANY, 2 * MANY)).isEqualTo(many.texts().subList(0, MANY));

        Transaction committed = greedy.begin();
        for (long id = MANY; id < 2 * MANY; id++) {
            committed.settle(consumer, id, id, Outcome.ACCEPTED, true);
        }
        var done = committed.commit().toCompletableFuture();
        greedy.flush();
        assertThat(turnsOfHonestPair(sink)).as("commit").isLessThanOrEqualTo(3);
        broker.settle();
        assertThat(done).isCompleted();
    }

    @Test
    @DisplayName("a purge of a deep queue")
    void purge() {
        Sink sink = honestConsumer();
        declare(greedy, "deep");
        fill(greedy, "deep", MANY);
        CompletionStage<Long> purged = greedy.purgeQueue("deep");
        greedy.flush();

        assertThat(turnsOfHonestPair(sink)).isLessThanOrEqualTo(3);
        broker.settle();
        assertThat(purged.toCompletableFuture()).isCompletedWithValue((long) MANY);
    }

    @Test
    @DisplayName("a purge of a deep queue with a message in flight: what is ready is settled some at a time")
    void purgeWithAMessageInFlight() {
        declare(greedy, "deep");
        for (int number = 0; number < MANY; number++) {
            greedy.publish(Messages.durable("deep", "m"), number, (tag, result) -> {});
            if (number % 100 == 99) {
                greedy.flush();
                broker.settle();
            }
        }
        Sink sink = new Sink();
        consume(greedy, "deep", sink, 1);
        assertThat(sink.got).hasSize(1);
        CompletionStage<Long> purged = greedy.purgeQueue("deep");
        greedy.flush();
        int turns = 0;
        while (!purged.toCompletableFuture().isDone()) {
            broker.turn();
            broker.store().settleLog();
            broker.store().stepRead();
            turns++;
        }

        assertThat(turns).isGreaterThanOrEqualTo((MANY - 1) / STEPS);
        assertThat(purged.toCompletableFuture()).isCompletedWithValue(MANY - 1L);
    }

    @Test
    @DisplayName("a policy that leaves a deep queue little room: what is too much goes some at a time")
    void shortenedByAPolicy() {
        Sink sink = honestConsumer();
        declare(greedy, "deep");
        fill(greedy, "deep", MANY);
        CompletionStage<?> policy = greedy.setPolicy(new Policy("short", "deep", 0, Map.of("max-length", 10L)));
        greedy.flush();
        long before = MANY;
        for (int turn = 0; before > 10; turn++) {
            assertThat(turn).isLessThan(MANY);
            var status = honest.status(List.of("deep")).toCompletableFuture();
            honest.flush();
            broker.turn();
            broker.store().settleLog();
            if (status.isDone()) {
                long ready = status.join().get(0).ready();
                assertThat(before - ready).as("dropped in about a turn").isLessThanOrEqualTo(2 * STEPS);
                before = ready;
            }
        }
        assertThat(policy.toCompletableFuture()).isCompleted();
        assertThat(turnsOfHonestPair(sink)).isLessThanOrEqualTo(3);
    }

    @Test
    @DisplayName("thousands of queues that become dirty at once, by a message to all, and by a policy for all")
    void manyDirtyQueues() {
        Sink sink = honestConsumer();
        int queues = 300;
        for (int number = 0; number < queues; number++) {
            String queue = "fan" + number;
            declare(greedy, queue);
            broker.ask(greedy, asked -> asked.bind(new BindingSpec("amq.fanout", queue, true, "", Map.of())));
            consume(greedy, queue, new Sink(), 1000);
        }
        for (int message = 0; message < 5; message++) {
            greedy.publish(Messages.to("amq.fanout", "").text("all"), message, (tag, result) -> {});
        }
        greedy.flush();
        assertThat(turnsOfHonestPair(sink)).as("message to all").isLessThanOrEqualTo(5);
        broker.settle();

        CompletionStage<?> policy = greedy.setPolicy(new Policy("all", "fan*", 0, Map.of("message-ttl", 100_000L)));
        greedy.flush();
        assertThat(turnsOfHonestPair(sink)).as("policy for all").isLessThanOrEqualTo(3);
        broker.settle();
        assertThat(policy.toCompletableFuture()).isCompleted();
    }

    @Test
    @DisplayName("thousands of requests in one write")
    void manyRequests() {
        Sink sink = honestConsumer();
        List<CompletionStage<?>> asked = new ArrayList<>();
        for (int number = 0; number < MANY; number++) {
            asked.add(greedy.barrier());
        }
        greedy.flush();

        assertThat(turnsOfHonestPair(sink)).isLessThanOrEqualTo(3);
        assertThat(asked.get(MANY - 1).toCompletableFuture()).isNotDone();
        broker.settle();
        assertThat(asked)
                .allSatisfy(each -> assertThat(each.toCompletableFuture()).isCompleted());
    }

    @Test
    @DisplayName("the end of a session with thousands of consumers")
    void endOfSession() {
        Sink sink = honestConsumer();
        declare(greedy, "many");
        for (int number = 0; number < 500; number++) {
            greedy.consume(
                    "many", new ConsumerSpec("c" + number, false, false, false, 0, Outcome.RELEASED), new Sink());
        }
        greedy.flush();
        broker.settle();
        greedy.close();

        assertThat(turnsOfHonestPair(sink)).isLessThanOrEqualTo(3);
        broker.settle();
    }
}
