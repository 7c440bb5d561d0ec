package io.mainstem.conformance;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.apache.qpid.proton.Proton;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.messaging.TerminusDurability;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.transaction.Coordinator;
import org.apache.qpid.proton.amqp.transaction.Declared;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.engine.Connection;
import org.apache.qpid.proton.engine.Delivery;
import org.apache.qpid.proton.engine.EndpointState;
import org.apache.qpid.proton.engine.Link;
import org.apache.qpid.proton.engine.Receiver;
import org.apache.qpid.proton.engine.Sender;
import org.apache.qpid.proton.engine.Session;
import org.apache.qpid.proton.engine.Transport;

/**
 * One connection of a client that does nothing by itself: its owner says when to write, read and settle, so that a
 * test knows exactly what has reached the socket. Thread: its owner's only.
 */
final class AmqpPeer implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final Duration WAIT_MAX = Duration.ofSeconds(60);

    private final Socket socket = new Socket();
    private final Transport transport = Proton.transport();
    private final Connection connection = Proton.connection();
    private final byte[] buffer = new byte[BUFFER_BYTES];

    /** Connects and waits for the broker's open. */
    AmqpPeer(BrokerAddress broker) throws IOException {
        this(broker, "peer-" + UUID.randomUUID());
    }

    AmqpPeer(BrokerAddress broker, String containerId) throws IOException {
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress(broker.host(), broker.port()), (int) WAIT_MAX.toMillis());
        transport.bind(connection);
        connection.setContainer(containerId);
        connection.setHostname(broker.host());
        connection.open();
        pumpUntil("open", () -> connection.getRemoteState() == EndpointState.ACTIVE);
    }

    Session session() throws IOException {
        Session session = connection.session();
        session.setIncomingCapacity(64 << 20);
        session.open();
        pumpUntil("begin", () -> session.getRemoteState() == EndpointState.ACTIVE);
        return session;
    }

    /** Attaches a sender of unsettled messages. */
    Sender sender(Session session, String address) throws IOException {
        Sender sender = session.sender("sender-" + UUID.randomUUID());
        Target target = new Target();
        target.setAddress(address);
        sender.setTarget(target);
        sender.setSource(source(null));
        sender.open();
        attach(sender);
        return sender;
    }

    /** Attaches to the transaction coordinator. */
    Sender coordinator(Session session, Symbol... capabilities) throws IOException {
        Sender sender = session.sender("coordinator-" + UUID.randomUUID());
        Coordinator target = new Coordinator();
        target.setCapabilities(capabilities);
        sender.setTarget(target);
        Source source = new Source();
        source.setOutcomes(Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL, Declared.DESCRIPTOR_SYMBOL);
        sender.setSource(source);
        sender.open();
        attach(sender);
        return sender;
    }

    /** Attaches a receiver that accepts, rejects, releases or modifies. */
    Receiver receiver(Session session, String address, int credit) throws IOException {
        Receiver receiver = session.receiver("receiver-" + UUID.randomUUID());
        receiver.setSource(source(address));
        receiver.setTarget(new Target());
        receiver.flow(credit);
        receiver.open();
        attach(receiver);
        return receiver;
    }

    /** Attaches to a durable subscription, which this connection's container and the link's name identify. */
    Receiver subscription(Session session, String topic, String name, int credit) throws IOException {
        Receiver receiver = session.receiver(name);
        Source source = source(topic);
        source.setDurable(TerminusDurability.UNSETTLED_STATE);
        source.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        receiver.setSource(source);
        receiver.setTarget(new Target());
        receiver.flow(credit);
        receiver.open();
        attach(receiver);
        return receiver;
    }

    /** Sends a delivery and waits for its outcome, which settles it. */
    DeliveryState ask(Sender sender, long tag, byte[] encoded) throws IOException {
        Delivery delivery = send(sender, tag, encoded);
        pumpUntil("outcome of " + tag, () -> delivery.getRemoteState() != null);
        delivery.settle();
        return delivery.getRemoteState();
    }

    /** Sends one message as far as proton may; the delivery tells its outcome after later pumps. */
    static Delivery send(Sender sender, long tag, byte[] encoded) {
        return send(sender, tag, encoded, null);
    }

    /** As above, with a state such as that of a transaction, or null. */
    static Delivery send(Sender sender, long tag, byte[] encoded, DeliveryState state) {
        Delivery delivery =
                sender.delivery(ByteBuffer.allocate(Long.BYTES).putLong(tag).array());
        if (state != null) {
            delivery.disposition(state);
        }
        sender.send(encoded, 0, encoded.length);
        sender.advance();
        return delivery;
    }

    /** The next complete delivery, taken out of the receiver; null if there is none. */
    static Received take(Receiver receiver) {
        Delivery delivery = receiver.current();
        if (delivery == null || delivery.isPartial() || !delivery.isReadable()) {
            return null;
        }
        byte[] encoded = new byte[delivery.pending()];
        receiver.recv(encoded, 0, encoded.length);
        receiver.advance();
        return new Received(delivery, encoded);
    }

    /** The next complete delivery; fails if none comes. */
    Received await(Receiver receiver) throws IOException {
        Received next = take(receiver);
        long deadline = System.nanoTime() + WAIT_MAX.toNanos();
        while (next == null) {
            if (System.nanoTime() > deadline) {
                throw new IOException("no delivery on " + receiver.getName() + " within " + WAIT_MAX);
            }
            pump(Duration.ofMillis(20));
            next = take(receiver);
        }
        return next;
    }

    /** Writes all that is pending, then reads what comes within {@code wait}; zero reads only what is there. */
    void pump(Duration wait) throws IOException {
        flush();
        socket.setSoTimeout((int) Math.max(1, wait.toMillis()));
        try {
            read();
            while (socket.getInputStream().available() > 0) {
                read();
            }
        } catch (SocketTimeoutException e) {
            // Nothing came: the caller decides whether that matters.
        }
        transport.tick(System.currentTimeMillis());
        flush();
    }

    /** Pumps until the condition holds; fails after a minute. */
    void pumpUntil(String what, BooleanSupplier condition) throws IOException {
        long deadline = System.nanoTime() + WAIT_MAX.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IOException("no " + what + " within " + WAIT_MAX);
            }
            pump(Duration.ofMillis(20));
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private void attach(Link link) throws IOException {
        pumpUntil("attach of " + link.getName(), () -> link.getRemoteState() != EndpointState.UNINITIALIZED);
        if (link.getRemoteState() != EndpointState.ACTIVE) {
            throw new IOException("attach refused: " + link.getRemoteCondition());
        }
    }

    private void read() throws IOException {
        int count = socket.getInputStream().read(buffer);
        if (count < 0) {
            throw new IOException("connection closed by the broker: " + connection.getRemoteCondition());
        }
        int offset = 0;
        while (offset < count) {
            int room = transport.capacity();
            if (room <= 0) {
                throw new IOException("proton takes no more input: " + transport.getCondition());
            }
            int part = Math.min(room, count - offset);
            transport.tail().put(buffer, offset, part);
            transport.process();
            offset += part;
        }
    }

    private void flush() throws IOException {
        for (int pending = transport.pending(); pending > 0; pending = transport.pending()) {
            byte[] out = new byte[pending];
            transport.head().get(out);
            socket.getOutputStream().write(out);
            transport.pop(pending);
        }
    }

    private static Source source(String address) {
        Source source = new Source();
        source.setAddress(address);
        source.setOutcomes(
                Accepted.DESCRIPTOR_SYMBOL,
                Rejected.DESCRIPTOR_SYMBOL,
                Released.DESCRIPTOR_SYMBOL,
                Modified.DESCRIPTOR_SYMBOL);
        return source;
    }

    /** A message in its encoded form, not settled yet. */
    record Received(Delivery delivery, byte[] encoded) {}
}
