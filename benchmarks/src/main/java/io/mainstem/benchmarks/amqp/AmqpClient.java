package io.mainstem.benchmarks.amqp;

import io.mainstem.benchmarks.amqp.WireReader.Described;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;

/**
 * One connection with one session, on a blocking socket: whoever sends also reads, so that a message in flight costs
 * no hand-over between threads on this side.
 *
 * <p>Thread: one, except {@link #close}, which any thread may call to end a blocked read.
 */
final class AmqpClient implements AutoCloseable {
    /** Receives what is not the connection's own business. */
    interface FrameHandler {
        /** @param payload behind the performative; valid during the call */
        void onFrame(Fields fields, ByteBuffer payload);
    }

    private static final int BUFFER_BYTES = 1 << 20;
    private static final int FRAME_BYTES_MAX = 512 << 10;
    private static final long WINDOW = Integer.MAX_VALUE;
    private static final byte[] SASL_HEADER = {'A', 'M', 'Q', 'P', 3, 1, 0, 0};
    private static final byte[] AMQP_HEADER = {'A', 'M', 'Q', 'P', 0, 1, 0, 0};

    private final SocketChannel socket;
    private final WireWriter writer = new WireWriter(BUFFER_BYTES);
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).limit(0);
    private long remoteFrameBytesMax = 512;
    private long nextOutgoingId;
    private long nextIncomingId;
    private long remoteWindowEnd;
    private boolean begun;

    private AmqpClient(SocketChannel socket) {
        this.socket = socket;
    }

    /** Connects, opens and begins a session. */
    static AmqpClient connect(Endpoint endpoint, String containerId) {
        try {
            SocketChannel socket = SocketChannel.open(new InetSocketAddress(endpoint.host(), endpoint.port()));
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            AmqpClient client = new AmqpClient(socket);
            client.authenticate(endpoint);
            client.open(endpoint, containerId);
            return client;
        } catch (IOException e) {
            throw new LoadException("no connection to " + endpoint.host() + ":" + endpoint.port(), e);
        }
    }

    /** To encode frames with; {@link #flush} sends them. */
    WireWriter writer() {
        return writer;
    }

    /** Largest frame the broker takes, and this client makes. */
    int frameBytesMax() {
        return (int) Math.min(remoteFrameBytesMax, FRAME_BYTES_MAX);
    }

    /** False while the session's window is used up. */
    boolean windowOpen() {
        return nextOutgoingId < remoteWindowEnd;
    }

    /** To be called once for each transfer frame that is sent. */
    void countTransfer() {
        nextOutgoingId++;
    }

    /** Writes a flow of this session's state, up to the link's own fields. */
    void writeFlow(long handle, long deliveryCount, long credit) {
        int frame = writer.beginFrame(0, Performative.FLOW);
        writer.uint(nextIncomingId).uint(WINDOW).uint(nextOutgoingId).uint(WINDOW);
        writer.uint(handle).uint(deliveryCount).uint(credit);
        writer.endFrame(frame, 7);
    }

    /** Sends what was encoded, if less than {@code roomBytes} are left. */
    void flushUnlessRoomFor(int roomBytes) {
        if (writer.buffer().remaining() < roomBytes) {
            flush();
        }
    }

    /** Sends what was encoded. */
    void flush() {
        ByteBuffer out = writer.buffer().flip();
        try {
            while (out.hasRemaining()) {
                socket.write(out);
            }
        } catch (IOException e) {
            throw new LoadException("the connection broke while sending", e);
        }
        out.clear();
    }

    /** Hands over the frames that are there; waits for bytes first if there is none. */
    void read(FrameHandler handler) {
        if (!hasWholeFrame()) {
            fill();
        }
        while (hasWholeFrame()) {
            nextFrame(handler);
        }
    }

    /** Reads frames until one meets the test; the others are dropped. For setting up and for leaving. */
    void readUntil(Predicate<Fields> awaited) {
        boolean[] met = {false};
        while (!met[0]) {
            if (hasWholeFrame()) {
                nextFrame((fields, payload) -> met[0] = awaited.test(fields));
            } else {
                fill();
            }
        }
    }

    private boolean hasWholeFrame() {
        return in.remaining() >= 4 && in.remaining() >= in.getInt(in.position());
    }

    private void nextFrame(FrameHandler handler) {
        int start = in.position();
        int end = in.limit();
        int size = in.getInt(start);
        int dataOffset = 4 * (in.get(start + 4) & 0xFF);
        in.limit(start + size).position(start + dataOffset);
        if (in.hasRemaining()) {
            frame(handler);
        }
        in.limit(end).position(start + size);
    }

    private void frame(FrameHandler handler) {
        if (!(WireReader.value(in) instanceof Described described && described.value() instanceof Object[] values)) {
            throw new LoadException("a frame without a performative");
        }
        Fields fields = new Fields(described.code(), values);
        switch (fields.performative()) {
            case Performative.OPEN -> remoteFrameBytesMax = fields.number(2, 0xFFFF_FFFFL);
            case Performative.BEGIN -> {
                nextIncomingId = fields.number(1, 0);
                remoteWindowEnd = nextOutgoingId + fields.number(2, 0);
                begun = true;
            }
            case Performative.FLOW -> remoteWindowEnd = fields.number(0, 0) + fields.number(1, 0);
            case Performative.TRANSFER -> nextIncomingId = nextIncomingId + 1 & 0xFFFF_FFFFL;
            case Performative.DETACH -> refuse("detached the link", fields.error(2));
            case Performative.END -> refuse("ended the session", fields.error(0));
            case Performative.CLOSE -> refuse("closed the connection", fields.error(0));
            default -> {}
        }
        handler.onFrame(fields, in);
    }

    private static void refuse(String what, String error) {
        if (!error.isEmpty()) {
            throw new LoadException("the broker " + what + ": " + error);
        }
    }

    private void fill() {
        in.compact();
        try {
            if (socket.read(in) < 0) {
                throw new LoadException("the broker closed the socket");
            }
        } catch (IOException e) {
            throw new LoadException("the connection broke while reading", e);
        } finally {
            in.flip();
        }
    }

    private void authenticate(Endpoint endpoint) {
        writer.buffer().put(SASL_HEADER);
        flush();
        readHeader(SASL_HEADER);
        int[] outcome = {-1};
        readUntil(fields -> fields.performative() == Performative.SASL_MECHANISMS);
        int frame = writer.beginFrame(1, Performative.SASL_INIT);
        writer.symbol(endpoint.user() == null ? "ANONYMOUS" : "PLAIN").binary(initialResponse(endpoint));
        writer.endFrame(frame, 2);
        flush();
        readUntil(fields -> {
            outcome[0] = (int) fields.number(0, -1);
            return fields.performative() == Performative.SASL_OUTCOME;
        });
        if (outcome[0] != 0) {
            throw new LoadException("the broker refused the login, SASL code " + outcome[0]);
        }
    }

    private static byte[] initialResponse(Endpoint endpoint) {
        String response = endpoint.user() == null ? "bench" : "\0" + endpoint.user() + "\0" + endpoint.password();
        return response.getBytes(StandardCharsets.UTF_8);
    }

    private void open(Endpoint endpoint, String containerId) {
        writer.buffer().put(AMQP_HEADER);
        int open = writer.beginFrame(0, Performative.OPEN);
        writer.string(containerId).string(endpoint.host()).uint(FRAME_BYTES_MAX).ushort(0);
        writer.endFrame(open, 4);
        int begin = writer.beginFrame(0, Performative.BEGIN);
        writer.nothing().uint(0).uint(WINDOW).uint(WINDOW).uint(65_535);
        writer.endFrame(begin, 5);
        flush();
        readHeader(AMQP_HEADER);
        readUntil(fields -> begun);
    }

    private void readHeader(byte[] expected) {
        while (in.remaining() < expected.length) {
            fill();
        }
        byte[] header = new byte[expected.length];
        in.get(header);
        if (header[4] != expected[4]) {
            throw new LoadException("protocol id " + header[4] + " (expected: " + expected[4] + ")");
        }
    }

    /** Ends the connection as the protocol wants it. */
    void leave() {
        int frame = writer.beginFrame(0, Performative.CLOSE);
        writer.endFrame(frame, 0);
        flush();
        readUntil(fields -> fields.performative() == Performative.CLOSE);
        close();
    }

    /** Closes the socket. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new LoadException("the socket does not close", e);
        }
    }
}
