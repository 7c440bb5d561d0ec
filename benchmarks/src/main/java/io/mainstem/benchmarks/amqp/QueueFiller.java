package io.mainstem.benchmarks.amqp;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes many queues through one connection, by attaching a link to each and sending it a few messages; many links are
 * under way at a time. Thread: one.
 */
public final class QueueFiller implements AutoCloseable {
    private static final int LINKS = 1000;
    private static final int ROOM_BYTES = 1024;

    private final AmqpClient client;
    private final String prefix;
    private final int queues;
    private final int messagesEach;
    private final byte[] message;
    private final Slot[] slots = new Slot[LINKS];
    private final int[] slotOfDelivery;
    private final Map<String, Integer> handlesByName = new HashMap<>();
    // The broker numbers the links of a session by itself, independently of this side's handles.
    private final Map<Long, Integer> handlesByRemote = new HashMap<>();
    private int nextQueue;
    private int nextDeliveryId;
    private int filled;

    private QueueFiller(AmqpClient client, String prefix, int queues, int messagesEach, byte[] message) {
        this.client = client;
        this.prefix = prefix;
        this.queues = queues;
        this.messagesEach = messagesEach;
        this.message = message;
        this.slotOfDelivery = new int[Math.multiplyExact(queues, messagesEach)];
    }

    /** One link handle and the queue it serves now. */
    private static final class Slot {
        private int sent;
        private int confirmed;
        private long creditLimit;
    }

    /**
     * Fills queues {@code prefix + 0} to {@code prefix + (queues - 1)} with durable messages; returns when all are
     * confirmed.
     */
    public static void fill(Endpoint endpoint, String prefix, int queues, int messagesEach, int bodyBytes) {
        byte[] message = MessageBytes.of(true, bodyBytes);
        try (QueueFiller filler =
                new QueueFiller(AmqpClient.connect(endpoint, "bench-filler"), prefix, queues, messagesEach, message)) {
            filler.run();
        }
    }

    /** Name of one of the queues. */
    public static String name(String prefix, int queue) {
        return prefix + queue;
    }

    private void run() {
        for (int handle = 0; handle < LINKS && nextQueue < queues; handle++) {
            attach(handle);
        }
        while (filled < queues) {
            client.flush();
            client.read(this::onFrame);
        }
        client.leave();
    }

    private void attach(int handle) {
        slots[handle] = new Slot();
        client.flushUnlessRoomFor(ROOM_BYTES);
        String queue = name(prefix, nextQueue++);
        handlesByName.put(queue, handle);
        Attach.sender(client.writer(), handle, queue, queue, false);
    }

    private void onFrame(Fields fields, ByteBuffer payload) {
        switch (fields.performative()) {
            case Performative.ATTACH -> onAttach(fields);
            case Performative.FLOW -> onFlow(fields);
            case Performative.DISPOSITION -> onDisposition(fields);
            case Performative.DETACH -> onDetach(fields);
            default -> {}
        }
    }

    private void onAttach(Fields fields) {
        Integer handle = handlesByName.remove(String.valueOf(fields.get(0)));
        if (handle == null) {
            throw new LoadException("the broker attached a link that was not asked for: " + fields.get(0));
        }
        handlesByRemote.put(fields.number(1, 0), handle);
    }

    private void onFlow(Fields fields) {
        if (fields.get(4) == null) {
            for (int handle = 0; handle < LINKS; handle++) {
                send(handle);
            }
            return;
        }
        Integer handle = handlesByRemote.get(fields.number(4, 0));
        if (handle != null && slots[handle] != null) {
            slots[handle].creditLimit = fields.number(5, 0) + fields.number(6, 0);
            send(handle);
        }
    }

    private void send(int handle) {
        @Nullable Slot slot = slots[handle];
        while (slot != null && slot.sent < messagesEach && slot.sent < slot.creditLimit && client.windowOpen()) {
            client.flushUnlessRoomFor(message.length + ROOM_BYTES);
            int id = nextDeliveryId++;
            slotOfDelivery[id] = handle;
            WireWriter out = client.writer();
            int frame = out.beginFrame(0, Performative.TRANSFER);
            out.uint(handle).uint(id & 0xFFFF_FFFFL).tag(id).uint(0);
            out.endFrame(frame, 4, message, 0, message.length);
            client.countTransfer();
            slot.sent++;
        }
    }

    private void onDisposition(Fields fields) {
        if (fields.descriptor(4) != Performative.ACCEPTED) {
            throw new LoadException("a message was not accepted");
        }
        int last = (int) fields.number(2, fields.number(1, 0));
        for (int id = (int) fields.number(1, 0); id - last <= 0; id++) {
            int handle = slotOfDelivery[id];
            if (++slots[handle].confirmed == messagesEach) {
                client.flushUnlessRoomFor(ROOM_BYTES);
                Attach.detach(client.writer(), handle);
            }
        }
    }

    private void onDetach(Fields fields) {
        Integer handle = handlesByRemote.remove(fields.number(0, 0));
        if (handle == null) {
            throw new LoadException("the broker detached a link that was not attached");
        }
        filled++;
        if (nextQueue < queues) {
            attach(handle);
        } else {
            slots[handle] = null;
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
