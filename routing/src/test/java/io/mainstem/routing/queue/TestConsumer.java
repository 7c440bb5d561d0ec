package io.mainstem.routing.queue;

import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A consumer that keeps what it gets for the test to look at. */
final class TestConsumer implements DeliverySink {
    private final TestClient client;
    private final BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
    private final BlockingQueue<Long> drained = new LinkedBlockingQueue<>();
    private final CompletableFuture<ErrorKind> cancelled = new CompletableFuture<>();
    private ConsumerHandle handle;
    private long limit;
    private final AtomicLong delivered = new AtomicLong();

    TestConsumer(TestClient client) {
        this.client = client;
    }

    void attached(ConsumerHandle itsHandle) {
        this.handle = itsHandle;
    }

    @Override
    public void onDeliveries(List<Delivery> batch) {
        deliveries.addAll(batch);
        delivered.addAndGet(batch.size());
    }

    @Override
    public void onDrained(long drainedLimit) {
        drained.add(drainedLimit);
    }

    @Override
    public void onCancelled(ErrorKind why, String text) {
        cancelled.complete(why);
    }

    ConsumerHandle handle() {
        return handle;
    }

    /** Grants so much more credit. */
    TestConsumer credit(long more) {
        limit += more;
        return limit(limit, false);
    }

    TestConsumer limit(long newLimit, boolean drain) {
        limit = newLimit;
        return call(consumer -> consumer.limit(newLimit, drain));
    }

    TestConsumer limit(long newLimit, boolean drain, boolean more) {
        limit = newLimit;
        return call(consumer -> consumer.limit(newLimit, drain, more));
    }

    /** Takes what is there, and gives up the rest of its credit. */
    void drain() {
        limit(limit, true);
        awaitDrained();
        limit = delivered.get();
    }

    private TestConsumer call(Consumer<ConsumerHandle> call) {
        client.onLoop(() -> {
            call.accept(handle);
            client.session().flush();
            return true;
        });
        return this;
    }

    Delivery next() {
        try {
            Delivery delivery = deliveries.poll(60, TimeUnit.SECONDS);
            if (delivery == null) {
                throw new AssertionError("no delivery within a minute");
            }
            return delivery;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    String nextText() {
        return Messages.text(next());
    }

    List<String> nextTexts(int count) {
        List<String> texts = new ArrayList<>();
        for (int at = 0; at < count; at++) {
            texts.add(nextText());
        }
        return texts;
    }

    /** Texts of what has come up to now. */
    List<String> texts() {
        client.sync();
        return arrived().stream().map(Messages::text).toList();
    }

    /** Texts of so many, which may have to be read from the log first, and of what else has come up to then. */
    List<String> texts(int atLeast) {
        List<String> all = new ArrayList<>(nextTexts(atLeast));
        all.addAll(texts());
        return all;
    }

    /** What has come and was not looked at. */
    List<Delivery> arrived() {
        List<Delivery> now = new ArrayList<>();
        deliveries.drainTo(now);
        return now;
    }

    long awaitDrained() {
        try {
            Long at = drained.poll(60, TimeUnit.SECONDS);
            if (at == null) {
                throw new AssertionError("not drained within a minute");
            }
            return at;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    ErrorKind awaitCancelled() {
        return TestClient.get(cancelled);
    }

    TestConsumer settle(long first, long last, Outcome outcome) {
        return call(consumer -> consumer.settle(first, last, outcome));
    }

    TestConsumer settle(Delivery delivery, Outcome outcome) {
        return settle(delivery.deliveryId(), delivery.deliveryId(), outcome);
    }

    void close() {
        call(ConsumerHandle::close);
    }

    void close(Outcome unsettled) {
        call(consumer -> consumer.close(unsettled));
    }
}
