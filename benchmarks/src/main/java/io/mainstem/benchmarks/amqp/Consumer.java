package io.mainstem.benchmarks.amqp;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Receives on one link of its own connection and accepts everything. Thread: its own; {@link #close} from any. */
final class Consumer implements Runnable, AutoCloseable {
    private static final int ROOM_BYTES = 256;
    private static final long HANDLE = 0;

    private final AmqpClient client;
    private final Received received;
    private final int credit;
    private long[] latencyNanos = new long[1024];
    private int batch;
    private long deliveryCount;
    private long creditLimit;
    private long firstId;
    private long lastId;
    private volatile boolean closing;

    private Consumer(AmqpClient client, LoadPlan plan, Received received) {
        this.client = client;
        this.received = received;
        this.credit = plan.clients().credit();
    }

    /** Connects and attaches; returns when the broker has attached the link. */
    static Consumer attach(Endpoint endpoint, LoadPlan plan, String name, Received received) {
        AmqpClient client = AmqpClient.connect(endpoint, name);
        Consumer consumer = new Consumer(client, plan, received);
        Attach.receiver(
                client.writer(),
                HANDLE,
                name,
                plan.address(),
                plan.topic(),
                plan.body().durable());
        client.flush();
        client.readUntil(fields -> {
            if (fields.performative() == Performative.ATTACH) {
                consumer.deliveryCount = fields.number(9, 0);
                return true;
            }
            return false;
        });
        return consumer;
    }

    /** Receives until the connection is closed. */
    @Override
    public void run() {
        try {
            creditLimit = deliveryCount;
            grantCredit();
            client.flush();
            while (true) {
                client.read(this::onFrame);
                if (batch > 0) {
                    accept();
                    grantCredit();
                    client.flush();
                    // Only now: whoever waits for the last message may close the connection at once.
                    received.add(latencyNanos, batch);
                    batch = 0;
                }
            }
        } catch (RuntimeException e) {
            if (!closing) {
                received.fail(e);
            }
        }
    }

    private void onFrame(Fields fields, ByteBuffer payload) {
        if (fields.performative() != Performative.TRANSFER) {
            return;
        }
        if (fields.get(1) != null) {
            lastId = fields.number(1, 0);
        }
        if (fields.flag(5)) {
            return;
        }
        if (batch == 0) {
            firstId = lastId;
        }
        if (batch == latencyNanos.length) {
            latencyNanos = Arrays.copyOf(latencyNanos, 2 * batch);
        }
        latencyNanos[batch++] = System.nanoTime() - payload.getLong(payload.limit() - LoadPlan.Body.STAMP_BYTES);
        deliveryCount++;
    }

    // One disposition for all that one read brought: they are neighbours, for the session has this link only.
    private void accept() {
        client.flushUnlessRoomFor(ROOM_BYTES);
        WireWriter out = client.writer();
        int frame = out.beginFrame(0, Performative.DISPOSITION);
        out.bool(true).uint(firstId).uint(lastId).bool(true).emptyList(Performative.ACCEPTED);
        out.endFrame(frame, 5);
    }

    private void grantCredit() {
        if (creditLimit - deliveryCount <= credit / 2) {
            creditLimit = deliveryCount + credit;
            client.flushUnlessRoomFor(ROOM_BYTES);
            client.writeFlow(HANDLE, deliveryCount & 0xFFFF_FFFFL, credit);
        }
    }

    /** Breaks the connection, whatever it is waiting for. */
    @Override
    public void close() {
        closing = true;
        client.close();
    }
}
