package io.mainstem.benchmarks.amqp;

import io.mainstem.benchmarks.amqp.WireReader.Described;
import io.mainstem.benchmarks.measure.Latencies;
import java.nio.ByteBuffer;

/**
 * Sends in transactions, one after the other, on one session, as JMS sessions do: the next declare goes with the
 * discharge. A latency is that of a discharge. Messages must fit a frame. Thread: one at a time.
 */
final class TransactionalProducer implements Sending {
    private static final int FRAME_OVERHEAD_BYTES = 192;
    private static final long OUT = 0;
    private static final long COORDINATOR = 1;
    private static final int NONE = -1;

    private final AmqpClient client;
    private final int size;
    private final byte[] message;
    private final byte[] request = new byte[64];
    private final Latencies latencies = new Latencies();
    private final long[] deliveryCount = new long[2];
    private final long[] creditLimit = new long[2];
    private int nextDeliveryId;
    private int declareId = NONE;
    private int dischargeId = NONE;
    private int unanswered;
    private byte[] transaction = {};

    private TransactionalProducer(AmqpClient client, LoadPlan plan) {
        this.client = client;
        this.size = plan.transactionSize();
        this.message = MessageBytes.of(plan.body().durable(), plan.body().bytes());
        if (message.length + FRAME_OVERHEAD_BYTES > client.frameBytesMax()) {
            throw new LoadException("messages of " + message.length + " bytes do not fit a frame of "
                    + client.frameBytesMax() + " bytes");
        }
    }

    /** Connects and attaches; returns when the broker has granted credit on both links. */
    static TransactionalProducer attach(Endpoint endpoint, LoadPlan plan, String name) {
        AmqpClient client = AmqpClient.connect(endpoint, name);
        TransactionalProducer producer = new TransactionalProducer(client, plan);
        Attach.sender(client.writer(), OUT, name, plan.address(), plan.topic());
        Attach.coordinator(client.writer(), COORDINATOR, name + "-coordinator");
        client.flush();
        client.readUntil(fields -> {
            producer.onFlow(fields);
            return producer.creditLimit[0] > 0 && producer.creditLimit[1] > 0;
        });
        producer.declare();
        return producer;
    }

    @Override
    public long produce(long endNanos, long countMax) {
        latencies.clear();
        long sent = 0;
        while (sent < countMax && System.nanoTime() < endNanos) {
            await(() -> declareId == NONE);
            for (int i = 0; i < size; i++) {
                send();
            }
            long begin = System.nanoTime();
            discharge();
            declare();
            await(() -> dischargeId == NONE && unanswered == 0);
            latencies.record(System.nanoTime() - begin);
            sent += size;
        }
        return sent;
    }

    private interface Condition {
        boolean holds();
    }

    private void await(Condition condition) {
        client.flush();
        while (!condition.holds()) {
            client.read(this::onFrame);
        }
    }

    private void awaitCredit(long handle) {
        if (deliveryCount[(int) handle] >= creditLimit[(int) handle] || !client.windowOpen()) {
            await(() -> deliveryCount[(int) handle] < creditLimit[(int) handle] && client.windowOpen());
        }
    }

    private void send() {
        awaitCredit(OUT);
        ByteBuffer.wrap(message).putLong(message.length - LoadPlan.Body.STAMP_BYTES, System.nanoTime());
        client.flushUnlessRoomFor(message.length + FRAME_OVERHEAD_BYTES);
        WireWriter out = client.writer();
        int id = nextDeliveryId++;
        int frame = transfer(OUT, id);
        out.nothing();
        int state = out.beginList(Performative.TRANSACTIONAL_STATE);
        out.binary(transaction);
        out.endList(state, 1);
        out.endFrame(frame, 8, message, 0, message.length);
        unanswered++;
    }

    private int transfer(long handle, int id) {
        WireWriter out = client.writer();
        int frame = out.beginFrame(0, Performative.TRANSFER);
        out.uint(handle).uint(id & 0xFFFF_FFFFL).tag(id).uint(0).bool(false).bool(false);
        client.countTransfer();
        deliveryCount[(int) handle]++;
        return frame;
    }

    private void declare() {
        awaitCredit(COORDINATOR);
        declareId = nextDeliveryId++;
        request(
                declareId,
                ByteBuffer.wrap(request).put(head(Performative.DECLARE)).put((byte) 0x45));
    }

    private void discharge() {
        awaitCredit(COORDINATOR);
        dischargeId = nextDeliveryId++;
        ByteBuffer body = ByteBuffer.wrap(request).put(head(Performative.DISCHARGE));
        body.put((byte) 0xC0).put((byte) (1 + 2 + transaction.length + 1)).put((byte) 2);
        body.put((byte) 0xA0).put((byte) transaction.length).put(transaction).put((byte) 0x42);
        request(dischargeId, body);
    }

    private static byte[] head(int descriptor) {
        return new byte[] {0, 0x53, Performative.AMQP_VALUE, 0, 0x53, (byte) descriptor};
    }

    private void request(int id, ByteBuffer body) {
        int frame = transfer(COORDINATOR, id);
        client.writer().endFrame(frame, 6, request, 0, body.position());
    }

    private void onFrame(Fields fields, ByteBuffer payload) {
        if (fields.performative() == Performative.DISPOSITION) {
            int first = (int) fields.number(1, 0);
            int last = (int) fields.number(2, fields.number(1, 0));
            for (int id = first; id - last <= 0; id++) {
                onOutcome(id, fields);
            }
        } else {
            onFlow(fields);
        }
    }

    private void onOutcome(int id, Fields fields) {
        int outcome = fields.descriptor(4);
        if (id == declareId && fields.get(4) instanceof Described state && state.value() instanceof Object[] values) {
            expect(outcome, Performative.DECLARED);
            transaction = (byte[]) values[0];
            declareId = NONE;
        } else if (id == dischargeId) {
            expect(outcome, Performative.ACCEPTED);
            dischargeId = NONE;
        } else {
            expect(outcome, Performative.TRANSACTIONAL_STATE);
            unanswered--;
        }
    }

    private static void expect(int outcome, int wanted) {
        if (outcome != wanted) {
            throw new LoadException("a transaction got outcome " + outcome + " (expected: " + wanted + ")");
        }
    }

    private void onFlow(Fields fields) {
        if (fields.performative() == Performative.FLOW && fields.get(4) instanceof Long handle && handle < 2) {
            creditLimit[handle.intValue()] = fields.number(5, 0) + fields.number(6, 0);
        }
    }

    @Override
    public Latencies latencies() {
        return latencies;
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
