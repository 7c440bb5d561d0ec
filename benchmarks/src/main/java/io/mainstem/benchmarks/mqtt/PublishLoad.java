package io.mainstem.benchmarks.mqtt;

import io.mainstem.benchmarks.amqp.LoadException;
import io.mainstem.benchmarks.measure.Latencies;
import io.mainstem.benchmarks.measure.ProcessCpu;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Publishers that keep a window of messages on their way, and their subscribers. A message has arrived when all
 * subscribers have it, and with QoS 1 the publisher its PUBACK. Thread: one.
 */
final class PublishLoad implements MqttClient.Events, AutoCloseable {
    private static final int FILTERS_A_CLIENT = 1_000;
    private static final int UNANSWERED_MAX = 100;

    private final Topology topology;
    private final MqttLoop loop;
    private final List<MqttClient> publishers = new ArrayList<>();
    private final byte[][] topics;
    private final long[] sent;
    private final long[] acknowledged;
    /** Of the topic, by all its subscribers together. */
    private final long[] received;

    private final long[][] sentAt;
    private final byte[] payload = new byte[Topology.PAYLOAD_BYTES];
    private Latencies latencies = new Latencies();
    private int connacks;
    private int subacks;

    /** @param delivered to subscribers, and {@code cpuSeconds} of the server for them */
    record Result(long published, long delivered, double seconds, double cpuSeconds, Latencies deliveries) {}

    PublishLoad(int port, Topology topology) {
        this.topology = topology;
        int count = topology.publishers();
        loop = new MqttLoop(port);
        topics = new byte[count][];
        sent = new long[count];
        acknowledged = new long[count];
        received = new long[count];
        sentAt = new long[count][topology.window()];
    }

    /** Connects and subscribes everybody. */
    void connect(String name) {
        for (int n = 0; n < topology.publishers(); n++) {
            topics[n] = ("bench/" + name + "/" + n).getBytes(StandardCharsets.UTF_8);
            publishers.add(loop.connect(name + "-pub-" + n, this));
        }
        for (int n = 0; n < topology.subscribers(); n++) {
            MqttClient subscriber = loop.connect(name + "-sub-" + n, this);
            loop.until(() -> connacks == loop.clients().size(), "CONNACK");
            subscribe(subscriber, topics[n / topology.subscribersEach()]);
        }
        int expected = topology.subscribers();
        loop.until(() -> subacks == expected, "SUBACK");
        others(name);
    }

    private void others(String name) {
        int expected = subacks;
        for (int n = 0; n < topology.filters(); n++) {
            if (n % FILTERS_A_CLIENT == 0) {
                loop.connect(name + "-other-" + n, this);
                loop.until(() -> connacks == loop.clients().size(), "CONNACK");
            }
            MqttClient other = loop.clients().get(loop.clients().size() - 1);
            String filter = n % 2 == 0 ? "bench/+/other/" + n + "/#" : "bench/" + name + "/other/+/" + n;
            subscribe(other, filter.getBytes(StandardCharsets.UTF_8));
            int wanted = expected + n - UNANSWERED_MAX;
            loop.until(() -> subacks >= wanted, "SUBACK");
        }
        int all = expected + topology.filters();
        loop.until(() -> subacks == all, "SUBACK");
    }

    private void subscribe(MqttClient client, byte[] filter) {
        MqttWire.subscribe(client.out(), 1 + (subacks & 0x7FFF), filter, topology.qos());
        client.flush();
    }

    /** Publishes for so long; the first {@code warmUpSeconds} are not counted. */
    Result run(double warmUpSeconds, double seconds, long serverPid) {
        long begin = System.nanoTime();
        work(begin + (long) (warmUpSeconds * 1e9));
        long from = System.nanoTime();
        double cpuFrom = ProcessCpu.seconds(serverPid);
        long publishedFrom = sum(sent);
        long deliveredFrom = sum(received);
        latencies = new Latencies();
        work(from + (long) (seconds * 1e9));
        double took = (System.nanoTime() - from) / 1e9;
        return new Result(
                sum(sent) - publishedFrom,
                sum(received) - deliveredFrom,
                took,
                ProcessCpu.seconds(serverPid) - cpuFrom,
                latencies);
    }

    private void work(long until) {
        for (int n = 0; n < publishers.size(); n++) {
            send(n);
        }
        long lastProgress = System.nanoTime();
        long seen = sum(received);
        while (System.nanoTime() < until) {
            loop.turn(10);
            long now = sum(received);
            if (now != seen) {
                seen = now;
                lastProgress = System.nanoTime();
            } else if (System.nanoTime() - lastProgress > 10_000_000_000L) {
                throw new LoadException("nothing arrived for 10 s: " + topology);
            }
        }
    }

    private void send(int n) {
        MqttClient publisher = publishers.get(n);
        int bytes = topics[n].length + Topology.PAYLOAD_BYTES + 16;
        long now = System.nanoTime();
        boolean any = false;
        while (sent[n] - arrived(n) < topology.window() && publisher.hasRoom(bytes)) {
            sentAt[n][(int) (sent[n] % topology.window())] = now;
            MqttWire.publish(publisher.out(), topics[n], packetId(sent[n]), payload);
            sent[n]++;
            any = true;
        }
        if (any) {
            publisher.flush();
        }
    }

    private int packetId(long number) {
        return topology.qos() == 0 ? 0 : 1 + (int) (number % 0xFFFE);
    }

    private long arrived(int n) {
        long delivered = received[n] / topology.subscribersEach();
        return topology.qos() == 0 ? delivered : Math.min(delivered, acknowledged[n]);
    }

    @Override
    public void onPublish(MqttClient from, int packetId) {
        if (packetId != 0) {
            MqttWire.puback(from.out(), packetId);
        }
        int n = (from.index - topology.publishers()) / topology.subscribersEach();
        received[n]++;
        if (received[n] % topology.subscribersEach() == 0) {
            long number = received[n] / topology.subscribersEach() - 1;
            latencies.record(System.nanoTime() - sentAt[n][(int) (number % topology.window())]);
            sendWhenHalfEmpty(n);
        }
    }

    @Override
    public void onPuback(MqttClient from, int packetId) {
        acknowledged[from.index]++;
        sendWhenHalfEmpty(from.index);
    }

    /** Several at once, as real publishers and their libraries do; a write for each would measure the client. */
    private void sendWhenHalfEmpty(int n) {
        if (sent[n] - arrived(n) <= topology.window() / 2) {
            send(n);
        }
    }

    @Override
    public void onOther(MqttClient from, int packetType) {
        if (packetType == MqttWire.CONNACK) {
            connacks++;
        } else if (packetType == MqttWire.SUBACK) {
            subacks++;
        }
    }

    @Override
    public void onClosed(MqttClient from, String why) {
        throw new LoadException("connection " + from.index + " ended: " + why);
    }

    private static long sum(long[] counts) {
        long sum = 0;
        for (long count : counts) {
            sum += count;
        }
        return sum;
    }

    @Override
    public void close() {
        loop.close();
    }
}
