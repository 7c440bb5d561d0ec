package io.mainstem.benchmarks.amqp;

import io.mainstem.benchmarks.amqp.LoadResult.ServerCpu;
import io.mainstem.benchmarks.measure.Latencies;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Puts a {@link LoadPlan} on a broker: warm-up, silence, measured part. Both parts end when every message is confirmed
 * and (with consumers) received, so the server's CPU time in between belongs to these messages. Thread: one.
 */
public final class LoadRun implements AutoCloseable {
    private final LoadPlan plan;
    private final long serverPid;
    private final Received received = new Received();
    private final List<Sending> producers = new ArrayList<>();
    private final List<Consumer> consumers = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private long receivedBefore;

    private LoadRun(LoadPlan plan, long serverPid) {
        this.plan = plan;
        this.serverPid = serverPid;
    }

    /**
     * Runs a plan.
     *
     * @param serverPid process whose CPU time is measured; 0 = none
     * @throws LoadException if the broker refuses, or answers are missing
     */
    public static LoadResult run(Endpoint endpoint, LoadPlan plan, long serverPid) throws InterruptedException {
        try (LoadRun run = new LoadRun(plan, serverPid)) {
            run.connect(endpoint);
            if (!plan.limits().warmUp().isZero()) {
                run.part(plan.limits().warmUp());
            }
            LoadResult result = run.part(plan.limits().measured());
            run.producers.forEach(Sending::leave);
            return result;
        }
    }

    /**
     * Empties a queue.
     *
     * @param count messages that it holds
     * @return how fast it went
     */
    public static LoadResult drain(Endpoint endpoint, LoadPlan plan, long count, long serverPid)
            throws InterruptedException {
        try (LoadRun run = new LoadRun(plan.by(0, 1, 1), serverPid)) {
            ServerCpu cpuBefore = ServerCpu.of(serverPid);
            long begin = System.nanoTime();
            run.connect(endpoint);
            run.received.await(count, plan.limits().timeout());
            double seconds = (System.nanoTime() - begin) / 1e9;
            return new LoadResult(
                    0,
                    count,
                    seconds,
                    seconds,
                    new Latencies(),
                    run.received.takeLatencies(),
                    ServerCpu.of(serverPid).since(cpuBefore));
        }
    }

    /**
     * Empties a queue of which it is to be seen whether it holds more than it should.
     *
     * @param count messages that it should hold
     * @param surplus how long to go on when they have come
     * @return how many came
     */
    public static long drainAll(Endpoint endpoint, LoadPlan plan, long count, Duration surplus)
            throws InterruptedException {
        try (LoadRun run = new LoadRun(plan.by(0, 1, 1), 0)) {
            run.connect(endpoint);
            run.received.await(count, plan.limits().timeout());
            Thread.sleep(surplus.toMillis());
            return run.received.count();
        }
    }

    private void connect(Endpoint endpoint) {
        // Two runs at a time have two addresses: a link of the same name and container would be stolen.
        for (int i = 0; i < plan.clients().consumers(); i++) {
            Consumer consumer = Consumer.attach(endpoint, plan, plan.address() + "-consumer-" + i, received);
            consumers.add(consumer);
            threads.execute(consumer);
        }
        for (int i = 0; i < plan.clients().producers(); i++) {
            String name = plan.address() + "-producer-" + i;
            producers.add(
                    plan.transactionSize() > 0
                            ? TransactionalProducer.attach(endpoint, plan, name)
                            : Producer.attach(endpoint, plan, name));
        }
    }

    private LoadResult part(Duration longest) throws InterruptedException {
        received.takeLatencies();
        ServerCpu cpuBefore = ServerCpu.of(serverPid);
        long begin = System.nanoTime();
        long end = begin + longest.toNanos();
        long share = Math.max(1, plan.limits().countMax() / Math.max(1, producers.size()));
        List<Future<Long>> sending = new ArrayList<>();
        for (Sending producer : producers) {
            sending.add(threads.submit(() -> producer.produce(end, share)));
        }
        long confirmed = 0;
        for (Future<Long> sent : sending) {
            confirmed += await(sent, longest.plus(plan.limits().timeout()));
        }
        double sendSeconds = (System.nanoTime() - begin) / 1e9;
        long expected = confirmed * (plan.topic() ? consumers.size() : Math.min(1, consumers.size()));
        received.await(receivedBefore + expected, plan.limits().timeout());
        double seconds = (System.nanoTime() - begin) / 1e9;
        receivedBefore += expected;
        Latencies confirms = new Latencies();
        producers.forEach(producer -> confirms.add(producer.latencies()));
        return new LoadResult(
                confirmed,
                expected,
                sendSeconds,
                seconds,
                confirms,
                received.takeLatencies(),
                ServerCpu.of(serverPid).since(cpuBefore));
    }

    private static long await(Future<Long> sent, Duration timeout) throws InterruptedException {
        try {
            return sent.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new LoadException("a producer failed", e.getCause());
        } catch (TimeoutException e) {
            throw new LoadException("confirms are missing after " + timeout.toSeconds() + " s", e);
        }
    }

    @Override
    public void close() {
        producers.forEach(Sending::close);
        consumers.forEach(Consumer::close);
        threads.shutdownNow();
    }
}
