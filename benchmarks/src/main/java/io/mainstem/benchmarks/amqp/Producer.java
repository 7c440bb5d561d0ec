package io.mainstem.benchmarks.amqp;

import io.mainstem.benchmarks.measure.Latencies;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Sends on one link of its own connection and counts confirms. Thread: one at a time. */
final class Producer implements Sending {
    private static final int FRAME_OVERHEAD_BYTES = 128;
    private static final long HANDLE = 0;

    private final AmqpClient client;
    private final int inFlightMax;
    private final byte[] message;
    private final LoadPlan.@Nullable Delay delay;
    private final int timeAt;
    private final SplittableRandom random = new SplittableRandom(1);
    private final long[] sentNanos;
    private final int mask;
    private final Latencies latencies = new Latencies();
    private int nextDeliveryId;
    private int inFlight;
    private long deliveryCount;
    private long creditLimit;
    private long notAccepted;

    private Producer(AmqpClient client, LoadPlan plan) {
        this.client = client;
        this.inFlightMax = plan.clients().inFlight();
        LoadPlan.Body body = plan.body();
        this.delay = body.delay();
        this.message = delay == null
                ? MessageBytes.of(body.durable(), body.bytes())
                : MessageBytes.delayed(body.durable(), body.bytes());
        this.timeAt = MessageBytes.timeAt(body.durable());
        int slots = Integer.highestOneBit(Math.max(1, 2 * inFlightMax - 1));
        this.sentNanos = new long[slots];
        this.mask = slots - 1;
    }

    /** Connects and attaches; returns when the broker has granted credit. */
    static Producer attach(Endpoint endpoint, LoadPlan plan, String name) {
        AmqpClient client = AmqpClient.connect(endpoint, name);
        Producer producer = new Producer(client, plan);
        Attach.sender(client.writer(), HANDLE, name, plan.address(), plan.topic());
        client.flush();
        client.readUntil(fields -> {
            producer.onFlow(fields);
            return producer.creditLimit > 0;
        });
        return producer;
    }

    @Override
    public long produce(long endNanos, long countMax) {
        latencies.clear();
        long sent = 0;
        while (sent < countMax && System.nanoTime() < endNanos) {
            while (sent < countMax && inFlight < inFlightMax && maySend()) {
                send();
                sent++;
            }
            client.flush();
            client.read(this::onFrame);
        }
        while (inFlight > 0) {
            client.read(this::onFrame);
        }
        if (notAccepted > 0) {
            throw new LoadException(notAccepted + " messages were not accepted");
        }
        return sent;
    }

    @Override
    public Latencies latencies() {
        return latencies;
    }

    private boolean maySend() {
        return deliveryCount < creditLimit && client.windowOpen();
    }

    private void send() {
        long now = System.nanoTime();
        ByteBuffer.wrap(message).putLong(message.length - LoadPlan.Body.STAMP_BYTES, now + delayNanos());
        int id = nextDeliveryId++;
        sentNanos[id & mask] = now;
        inFlight++;
        deliveryCount++;
        int pieceMax = client.frameBytesMax() - FRAME_OVERHEAD_BYTES;
        for (int from = 0; from < message.length; from += pieceMax) {
            int count = Math.min(pieceMax, message.length - from);
            awaitWindow();
            client.flushUnlessRoomFor(count + FRAME_OVERHEAD_BYTES);
            WireWriter out = client.writer();
            int frame = out.beginFrame(0, Performative.TRANSFER);
            out.uint(HANDLE).uint(id & 0xFFFF_FFFFL).tag(id).uint(0).bool(false);
            out.bool(from + count < message.length);
            out.endFrame(frame, 6, message, from, count);
            client.countTransfer();
        }
    }

    /** Puts the time into a message that is delayed; for how long it is. */
    private long delayNanos() {
        LoadPlan.Delay wanted = delay;
        if (wanted == null) {
            return 0;
        }
        long ms = random.nextLong(wanted.minMs(), wanted.maxMs() + 1);
        ByteBuffer.wrap(message).putLong(timeAt, System.currentTimeMillis() + ms);
        return ms * 1_000_000;
    }

    // In the middle of a message of many frames there is nothing else to do than wait.
    private void awaitWindow() {
        while (!client.windowOpen()) {
            client.flush();
            client.read(this::onFrame);
        }
    }

    private void onFrame(Fields fields, ByteBuffer payload) {
        if (fields.performative() == Performative.DISPOSITION) {
            onDisposition(fields);
        } else {
            onFlow(fields);
        }
    }

    private void onDisposition(Fields fields) {
        int first = (int) fields.number(1, 0);
        int last = (int) fields.number(2, fields.number(1, 0));
        long now = System.nanoTime();
        for (int id = first; id - last <= 0; id++) {
            long sent = sentNanos[id & mask];
            if (sent != 0) {
                sentNanos[id & mask] = 0;
                inFlight--;
                latencies.record(now - sent);
            }
        }
        if (fields.descriptor(4) != Performative.ACCEPTED) {
            notAccepted += last - first + 1;
        }
    }

    private void onFlow(Fields fields) {
        if (fields.performative() == Performative.FLOW && fields.get(4) != null) {
            creditLimit = fields.number(5, 0) + fields.number(6, 0);
        }
    }

    @Override
    public void leave() {
        client.leave();
    }

    @Override
    public void close() {
        client.close();
    }
}
