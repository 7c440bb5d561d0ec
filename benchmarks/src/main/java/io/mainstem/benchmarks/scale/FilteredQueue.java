package io.mainstem.benchmarks.scale;

import io.mainstem.benchmarks.amqp.LoadException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.AmqpValueWriter;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.SectionScanner;
import io.mainstem.routing.queue.ShardBroker;
import io.mainstem.routing.queue.ShardSettings;
import io.mainstem.routing.selector.Dialect;
import io.mainstem.routing.selector.Selector;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.files.NioFiles;
import io.mainstem.store.shard.LocalShardStore;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A broker without sockets in this process, one queue, and a consumer with a selector: what is measured is how the
 * queue is looked through. Thread: one.
 */
final class FilteredQueue implements AutoCloseable {
    private static final String QUEUE = "bench-selector";
    private static final int UNCONFIRMED_MAX = 2_000;

    private final ExecutorService eventLoop = Executors.newSingleThreadExecutor();
    private final ShardBroker broker;
    private final BrokerSession session;

    private FilteredQueue(ShardBroker broker) {
        this.broker = broker;
        this.session =
                onLoop(() -> broker.connect(new ClientInfo("/", "bench", null, "127.0.0.1:1", "bench"), eventLoop));
    }

    /** @param tests by the broker, of messages against selectors */
    record Drained(long matched, double seconds, long tests) {}

    static FilteredQueue open(Path directory) {
        LocalShardStore store =
                LocalShardStore.open(StoreConfig.defaults(directory), new NioFiles(), Clock.systemUTC());
        ShardSettings settings = ShardSettings.forHeap(Runtime.getRuntime().maxMemory());
        return new FilteredQueue(ShardBroker.open(store, settings, Clock.systemUTC(), "bench", failure -> {}));
    }

    /** Message n has n modulo {@code slots} as property "slot". */
    void fill(int messages, int slots, int bodyBytes) throws InterruptedException {
        ask(each -> each.declareQueue(QueueSpec.durable(QUEUE)));
        Semaphore window = new Semaphore(UNCONFIRMED_MAX);
        AtomicLong stored = new AtomicLong();
        for (int from = 0; from < messages; from += UNCONFIRMED_MAX / 4) {
            int to = Math.min(messages, from + UNCONFIRMED_MAX / 4);
            window.acquire(to - from);
            int first = from;
            eventLoop.execute(() -> {
                for (int n = first; n < to; n++) {
                    session.publish(message(n % slots, bodyBytes), n, (tag, result) -> {
                        stored.addAndGet(result instanceof PublishResult.Stored ? 1 : 0);
                        window.release();
                    });
                }
                session.flush();
            });
        }
        window.acquire(UNCONFIRMED_MAX);
        if (stored.get() != messages) {
            throw new LoadException(stored.get() + " of " + messages + " messages stored");
        }
    }

    /** Consumes what is in one slot, {@code credit} at a time, until nothing matches any more. */
    Drained drain(int slot, int credit) {
        Selector selector = Selector.compile(Dialect.JMS, "slot = " + slot);
        ConsumerSpec spec = new ConsumerSpec("bench", false, false, false, 0, Outcome.RELEASED, selector);
        long testsBefore = tests();
        long begin = System.nanoTime();
        Drain drain = new Drain(credit);
        drain.start(ask(each -> each.consume(QUEUE, spec, drain)));
        long matched = drain.done.join();
        double seconds = (System.nanoTime() - begin) / 1e9;
        return new Drained(matched, seconds, tests() - testsBefore);
    }

    private long tests() {
        return broker.selectorTests().toCompletableFuture().join();
    }

    private static Message message(long slot, int bodyBytes) {
        ByteArrayOutputStream encoded = new ByteArrayOutputStream();
        AmqpValueWriter entries = new AmqpValueWriter().value("slot").value(slot);
        encoded.writeBytes(
                new AmqpValueWriter().descriptor(0x74).map(1, entries).toByteArray());
        encoded.writeBytes(new AmqpValueWriter()
                .descriptor(0x75)
                .value(new byte[bodyBytes])
                .toByteArray());
        SectionScanner.BareMessage bare = SectionScanner.split(List.of(encoded.toByteArray()));
        Envelope envelope = new Envelope(
                "",
                List.of(QUEUE),
                true,
                -1,
                1,
                -1,
                0,
                0,
                "bench",
                null,
                Envelope.Origin.AMQP_1_0,
                0,
                false,
                bare.offsets(),
                List.of());
        return new Message(envelope, bare.sections());
    }

    private <T> T ask(Function<BrokerSession, CompletionStage<T>> request) {
        return onLoop(() -> {
                    CompletionStage<T> answer = request.apply(session);
                    session.flush();
                    return answer;
                })
                .toCompletableFuture()
                .join();
    }

    private <T> T onLoop(Supplier<T> call) {
        return CompletableFuture.supplyAsync(call, eventLoop).join();
    }

    @Override
    public void close() {
        onLoop(() -> {
            session.close();
            return true;
        });
        broker.close();
        eventLoop.shutdown();
    }

    /** Asks for more as long as something comes. Thread: the event loop. */
    private final class Drain implements DeliverySink {
        private final CompletableFuture<Long> done = new CompletableFuture<>();
        private final int credit;
        private @Nullable ConsumerHandle consumer;
        private long received;

        Drain(int credit) {
            this.credit = credit;
        }

        void start(ConsumerHandle handle) {
            onLoop(() -> {
                consumer = handle;
                handle.limit(credit, true);
                session.flush();
                return true;
            });
        }

        @Override
        public void onDeliveries(List<Delivery> deliveries) {
            received += deliveries.size();
            ConsumerHandle from = consumer;
            if (from != null) {
                from.settle(
                        deliveries.get(0).deliveryId(),
                        deliveries.get(deliveries.size() - 1).deliveryId(),
                        Outcome.ACCEPTED);
            }
        }

        @Override
        public void onDrained(long limit) {
            ConsumerHandle from = consumer;
            if (from == null) {
                return;
            }
            if (received < limit) {
                from.close();
                session.flush();
                done.complete(received);
            } else {
                from.limit(received + credit, true);
                session.flush();
            }
        }

        @Override
        public void onCancelled(ErrorKind why, String text) {
            done.completeExceptionally(new LoadException(why + " " + text));
        }
    }
}
