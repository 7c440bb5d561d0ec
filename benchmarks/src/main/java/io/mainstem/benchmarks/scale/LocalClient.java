package io.mainstem.benchmarks.scale;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.SectionOffsets;
import io.mainstem.routing.queue.ShardBroker;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A session of a broker in this process, with an event loop of its own. Thread: any, one at a time. */
final class LocalClient implements AutoCloseable {
    private static final int PER_FLUSH = 1000;
    private static final long LOOK_NANOS = 20_000;

    private final ExecutorService eventLoop = Executors.newSingleThreadExecutor();
    private final BrokerSession session;

    LocalClient(ShardBroker broker, String name) {
        this.session = CompletableFuture.supplyAsync(
                        () -> broker.connect(new ClientInfo("/", name, null, "127.0.0.1:1", "bench"), eventLoop),
                        eventLoop)
                .join();
    }

    /** Asks something and waits for the answer. */
    <T> T ask(Function<BrokerSession, CompletionStage<T>> request) {
        return CompletableFuture.supplyAsync(
                        () -> {
                            CompletionStage<T> answer = request.apply(session);
                            session.flush();
                            return answer;
                        },
                        eventLoop)
                .join()
                .toCompletableFuture()
                .join();
    }

    /** Does something on the event loop, and flushes. */
    void tell(Consumer<BrokerSession> what) {
        CompletableFuture.runAsync(
                        () -> {
                            what.accept(session);
                            session.flush();
                        },
                        eventLoop)
                .join();
    }

    /** Publishes that many to one key, and waits for all answers. */
    void publish(String exchange, String key, int messages) {
        AtomicLong left = new AtomicLong(messages);
        CompletableFuture<Boolean> all = new CompletableFuture<>();
        for (int from = 0; from < messages; from += PER_FLUSH) {
            int count = Math.min(PER_FLUSH, messages - from);
            tell(open -> {
                for (int n = 0; n < count; n++) {
                    open.publish(message(exchange, key), n, (tag, result) -> {
                        if (left.decrementAndGet() == 0) {
                            all.complete(true);
                        }
                    });
                }
            });
            ask(BrokerSession::barrier);
        }
        all.join();
    }

    private static Message message(String exchange, String key) {
        Envelope envelope = new Envelope(
                exchange,
                List.of(key),
                false,
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
                SectionOffsets.NONE,
                List.of());
        return new Message(envelope, List.of(new byte[16]));
    }

    /** A consumer that counts what it gets. */
    Counting consume(String queue, long credit) {
        Counting counting = new Counting();
        ConsumerSpec spec = new ConsumerSpec("bench", false, false, false, 0, Outcome.RELEASED);
        ConsumerHandle handle = ask(open -> open.consume(queue, spec, counting));
        counting.handle = handle;
        tell(open -> handle.limit(credit, false));
        return counting;
    }

    @Override
    public void close() {
        tell(BrokerSession::close);
        eventLoop.shutdown();
    }

    /** Counts deliveries. */
    static final class Counting implements DeliverySink {
        private final AtomicLong got = new AtomicLong();
        private volatile @Nullable ConsumerHandle handle;

        ConsumerHandle handle() {
            return Objects.requireNonNull(handle);
        }

        /** Waits until so many have come. */
        void await(long count) {
            while (got.get() < count) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }

        @Override
        public void onDeliveries(List<Delivery> deliveries) {
            got.addAndGet(deliveries.size());
        }

        @Override
        public void onDrained(long limit) {}

        @Override
        public void onCancelled(ErrorKind why, String text) {}
    }
}
