package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName(
        "[issue 12 line 5] a commit of more records than one turn takes: what others see between is as if each came"
                + " alone")
final class TransactionTurnsTest {
    /** More than the store folds at a time. */
    private static final int SENDS = 1300;

    private final SteppedBroker broker = SteppedBroker.roomy();
    private final BrokerSession committer = broker.connect("committer");
    private final BrokerSession other = broker.connect("other");

    /** Accepts what it gets. */
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
    }

    private void declare(String queue, Map<String, Object> arguments) {
        broker.ask(other, asked -> asked.declareQueue(new QueueSpec(queue, true, false, false, false, arguments)));
    }

    private ConsumerHandle consumer(String queue, Sink sink) {
        ConsumerSpec spec = new ConsumerSpec("c", false, false, false, 0, Outcome.RELEASED);
        ConsumerHandle handle = Objects.requireNonNull(broker.ask(other, asked -> asked.consume(queue, spec, sink)));
        handle.limit(100_000, false);
        other.flush();
        broker.settle();
        return handle;
    }

    /** Its group is on disk, and the shard has not heard of it. */
    private void commitOnDisk(Transaction transaction) {
        var done = transaction.commit().toCompletableFuture();
        committer.flush();
        broker.turn();
        broker.store().settleLog();
        assertThat(done).isNotDone();
    }

    @Test
    @DisplayName("[L-8] of a last-value queue nobody is given a value while a newer one is there")
    void lastValues() {
        declare("values", Map.of("x-last-value-key", "color"));
        Sink sink = new Sink();
        ConsumerHandle consumer = consumer("values", sink);
        Transaction transaction = committer.begin();
        for (int n = 0; n < SENDS; n++) {
            assertThat(transaction.publish(Colored.to("values").of("red", n))).isInstanceOf(PublishResult.Stored.class);
        }
        commitOnDisk(transaction);
        int turns = 0;
        while (sink.got.isEmpty() || Colored.n(sink.got.get(sink.got.size() - 1)) < SENDS - 1) {
            consumer.limit(100_000 + turns, false); // which has the queue looked at
            other.flush();
            broker.turn();
            turns++;
            assertThat(sink.got)
                    .as("one a turn, the newest of those that are in the queue")
                    .hasSizeLessThanOrEqualTo(turns);
            assertThat(turns).isLessThan(100);
            broker.store().stepRead();
        }
        assertThat(sink.got.stream().map(Colored::n)).isSorted();
    }

    @Test
    @DisplayName("[AMQP extension x-overflow] reject-publish counts each of its messages once: whoever fits comes in")
    void lengthLimit() {
        int limit = SENDS + 200;
        declare("limited", Map.of("x-max-length", (long) limit, "x-overflow", "reject-publish"));
        Transaction transaction = committer.begin();
        for (int n = 0; n < SENDS; n++) {
            transaction.publish(Messages.durable("limited", "m"));
        }
        commitOnDisk(transaction);
        Map<Long, PublishResult> results = new HashMap<>();
        for (long tag = 0; tag < limit - SENDS; tag++) {
            other.publish(Messages.durable("limited", "m"), tag, results::put);
            other.flush();
            broker.turn();
        }
        broker.settle();
        assertThat(results.values())
                .hasSize(limit - SENDS)
                .allSatisfy(result -> assertThat(result).isInstanceOf(PublishResult.Stored.class));
        assertThatThrownBy(() -> other.publish(Messages.durable("limited", "m"), limit, results::put))
                .as("now it is full")
                .hasMessageContaining("MS-0391");
    }

    @Test
    @DisplayName("dead letters of a commit come to a last-value queue in the same way")
    void deadLetters() {
        declare("dead", Map.of("x-last-value-key", "color"));
        declare("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        for (int n = 0; n < SENDS; n++) {
            other.publish(Colored.to("q").of("red", n), n, (tag, result) -> {});
            if (n % 100 == 99) {
                other.flush();
                broker.settle();
            }
        }
        other.flush();
        broker.settle();
        Sink all = new Sink();
        ConsumerSpec spec = new ConsumerSpec("c", false, false, false, 0, Outcome.RELEASED);
        ConsumerHandle handle = Objects.requireNonNull(broker.ask(committer, asked -> asked.consume("q", spec, all)));
        handle.limit(SENDS, false);
        committer.flush();
        broker.settle();
        assertThat(all.got).hasSize(SENDS);
        Sink sink = new Sink();
        consumer("dead", sink);
        Transaction transaction = committer.begin();
        transaction.settle(handle, 0, SENDS - 1, new Outcome.Rejected("no"), true);
        var done = transaction.commit().toCompletableFuture();
        committer.flush();
        int turns = 0;
        while (!done.isDone()) {
            broker.turn();
            broker.store().stepRead();
            broker.store().settleLog();
            assertThat(++turns).isLessThan(10_000);
        }
        broker.settle();
        assertThat(sink.got.stream().map(Colored::n))
                .isSorted()
                .hasSizeLessThanOrEqualTo(4)
                .endsWith(SENDS - 1L);
    }
}
