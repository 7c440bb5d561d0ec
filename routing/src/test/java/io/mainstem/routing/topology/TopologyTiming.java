package io.mainstem.routing.topology;

import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.EnvelopeCodec;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.Messages;
import io.mainstem.routing.message.SectionScanner;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * Rough costs of declaring and routing, printed; run by hand, no test. {@code java -cp ... TopologyTiming [queues]}
 */
final class TopologyTiming {
    private TopologyTiming() {}

    public static void main(String[] args) {
        int queues = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
        long before = heap();
        Declared broker = new Declared();
        timed(
                "declare queue",
                queues,
                i -> broker.apply(broker.topology()
                        .declareQueue(QueueSpec.durable("queue." + i))
                        .plan()));
        broker.image.clear();
        System.out.printf("heap of %d queues: %.1f MiB%n", queues, (heap() - before) / 1048576.0);
        before = heap();
        timed("bind to amq.topic", queues, i -> broker.bind("amq.topic", "queue." + i, "site." + i + ".*"));
        broker.image.clear();
        System.out.printf("heap of %d bindings: %.1f MiB%n", queues, (heap() - before) / 1048576.0);
        Declared restored = new Declared();
        broker.snapshot()
                .forEachQueue(queue -> restored.image.put(
                        "queue/%2F/" + MetaKeys.encode(queue.name()), SpecCodec.encode(queue.queueId(), queue.spec())));
        broker.snapshot()
                .state()
                .bindings()
                .forEach((id, binding) ->
                        restored.image.put("binding/%2F/" + id.hex(), SpecCodec.encode(binding.spec())));
        timed("restore all of it", 1, i -> restored.restart());
        broker.exchange("d", ExchangeType.DIRECT);
        timed("bind to a direct exchange", queues, i -> broker.bind("d", "queue." + i, "k" + i));

        RoutingSnapshot snapshot = broker.snapshot();
        Message message = new Messages()
                .properties(Map.of("a", "b", "n", 7))
                .section(0x75, new byte[1024])
                .message();
        List<byte[]> encoded = message.sections();
        byte[] envelope = EnvelopeCodec.encode(message.envelope());
        for (int round = 0; round < 3; round++) {
            timed("route: default exchange", 2_000_000, i -> snapshot.route("", one(i % queues), message));
            timed(
                    "route: topic, all keys different",
                    500_000,
                    i -> snapshot.route("amq.topic", List.of("site." + i % queues + "." + i), message));
            timed(
                    "route: topic, cached",
                    2_000_000,
                    i -> snapshot.route("amq.topic", List.of("site.7." + (i & 63)), message));
            timed("scan sections", 2_000_000, i -> SectionScanner.split(encoded));
            timed("encode envelope", 2_000_000, i -> EnvelopeCodec.encode(message.envelope()));
            timed("decode envelope", 2_000_000, i -> EnvelopeCodec.decode(envelope));
        }
    }

    private static List<String> one(int queue) {
        return List.of("queue." + queue);
    }

    private static void timed(String what, int times, IntConsumer action) {
        long start = cpuNanos();
        for (int i = 0; i < times; i++) {
            action.accept(i);
        }
        System.out.printf("%-34s %8.0f ns CPU%n", what, (cpuNanos() - start) / (double) times);
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long heap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
