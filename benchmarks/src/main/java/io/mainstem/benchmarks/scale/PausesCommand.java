package io.mainstem.benchmarks.scale;

import io.mainstem.benchmarks.measure.Folders;
import io.mainstem.benchmarks.measure.Latencies;
import io.mainstem.benchmarks.measure.Machine;
import io.mainstem.benchmarks.measure.Table;
import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.Policy;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.Transaction;
import io.mainstem.routing.queue.ShardBroker;
import io.mainstem.routing.queue.ShardSettings;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.files.NioFiles;
import io.mainstem.store.shard.LocalShardStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench pauses}. */
@Command(
        name = "pauses",
        description = "The worst pause that an honest pair sees while somebody else asks for much.",
        showDefaultValues = true)
public final class PausesCommand implements Callable<Integer> {
    @Option(names = "--dir", description = "Folder on the disk to use.")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--messages", description = "Settled, rolled back, given back, purged.")
    private int messages = 80_000;

    @Option(names = "--queues", description = "That a policy is for, and that become dirty at once.")
    private int queues = 100_000;

    @Option(names = "--rounds", description = "Of all of it; the last one counts.")
    private int rounds = 3;

    @Override
    public Integer call() throws IOException {
        Table table = new Table("meanwhile", "how many", "seconds", "messages of the pair", "p99 us", "worst pause us");
        try (Folders folders = Folders.below(directory)) {
            LocalShardStore store = LocalShardStore.open(
                    StoreConfig.defaults(folders.resolve("store")), new NioFiles(), Clock.systemUTC());
            ShardSettings settings = ShardSettings.forHeap(Runtime.getRuntime().maxMemory());
            try (ShardBroker broker = ShardBroker.open(store, settings, Clock.systemUTC(), "bench", failure -> {});
                    LocalClient greedy = new LocalClient(broker, "greedy");
                    HonestPair pair = new HonestPair(broker)) {
                declareMany(greedy);
                for (int round = 1; round <= rounds; round++) {
                    boolean last = round == rounds;
                    deep(greedy, new Rows(last ? table : new Table(""), pair));
                    wide(greedy, new Rows(last ? table : new Table(""), pair));
                }
            }
        }
        table.print(System.out, "Pauses of an honest pair, non-durable, one message under way; " + Machine.describe());
        return 0;
    }

    /** Measures the pair while something is done. */
    private record Rows(Table table, HonestPair pair) {
        void measure(String what, int count, Runnable act) {
            pair.takeLatencies();
            long begin = System.nanoTime();
            act.run();
            double seconds = (System.nanoTime() - begin) / 1e9;
            pair.awaitNext();
            Latencies seen = pair.takeLatencies();
            table.row(what, count, seconds, seen.count(), seen.percentileMicros(99), seen.maxNanos() / 1000.0);
        }
    }

    private void deep(LocalClient greedy, Rows rows) {
        greedy.ask(open -> open.declareQueue(QueueSpec.durable("deep")));
        greedy.publish("", "deep", messages);
        LocalClient.Counting consumer = greedy.consume("deep", messages);
        consumer.await(messages);
        List<Transaction> begun = new ArrayList<>();
        greedy.tell(open -> begun.add(open.begin()));
        rows.measure("settlements one by one, transactional", messages, () -> {
            greedy.tell(open -> settle(begun.get(0), consumer));
            greedy.ask(BrokerSession::barrier);
        });
        rows.measure(
                "their rollback",
                messages,
                () -> greedy.ask(open -> begun.get(0).rollback()));
        greedy.tell(open -> consumer.handle().limit(2L * messages, false));
        consumer.await(2L * messages);
        rows.measure("a consumer leaves with them unsettled", messages, () -> {
            greedy.tell(open -> consumer.handle().close(Outcome.RELEASED));
            greedy.ask(BrokerSession::barrier);
        });
        LocalClient.Counting next = greedy.consume("deep", messages);
        next.await(messages);
        greedy.tell(open -> begun.add(open.begin()));
        greedy.tell(open -> settle(begun.get(1), next));
        rows.measure(
                "commit of settlements",
                messages,
                () -> greedy.ask(open -> begun.get(1).commit()));
        greedy.tell(open -> next.handle().close(Outcome.RELEASED));
        greedy.publish("", "deep", messages);
        rows.measure("purge", messages, () -> greedy.ask(open -> open.purgeQueue("deep")));
    }

    private void settle(Transaction transaction, LocalClient.Counting consumer) {
        for (long id = 0; id < messages; id++) {
            transaction.settle(consumer.handle(), id, id, Outcome.ACCEPTED, true);
        }
    }

    private void declareMany(LocalClient greedy) {
        greedy.ask(open ->
                open.declareExchange(new ExchangeSpec("all", ExchangeType.FANOUT, true, false, false, Map.of())));
        for (int from = 0; from < queues; from += 1000) {
            int first = from;
            int end = Math.min(queues, from + 1000);
            greedy.ask(open -> {
                CompletionStage<?> last = open.barrier();
                for (int number = first; number < end; number++) {
                    String queue = "many." + number;
                    open.declareQueue(QueueSpec.durable(queue));
                    last = open.bind(new BindingSpec("all", queue, true, "", Map.of()));
                }
                return last;
            });
        }
    }

    private void wide(LocalClient greedy, Rows rows) {
        rows.measure(
                "a policy for all queues",
                queues,
                () -> greedy.ask(
                        open -> open.setPolicy(new Policy("many", "many.*", 0, Map.of("message-ttl", 3_600_000L)))));
        greedy.ask(open -> open.deletePolicy("many"));
        rows.measure("a message to all queues", queues, () -> {
            greedy.publish("all", "", 1);
            greedy.ask(BrokerSession::barrier);
        });
    }
}
