package io.mainstem.jms;

import io.mainstem.jms.destination.DestinationKind;
import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.link.ConnectRequest;
import io.mainstem.jms.link.ConnectionLost;
import io.mainstem.jms.link.Coordinator;
import io.mainstem.jms.link.DeliveryListener;
import io.mainstem.jms.link.LinkConnection;
import io.mainstem.jms.link.LinkDelivery;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.link.Outcome;
import io.mainstem.jms.link.ReceiverLink;
import io.mainstem.jms.link.ReceiverRequest;
import io.mainstem.jms.link.SenderLink;
import io.mainstem.jms.link.Subscription;
import io.mainstem.jms.link.TemporaryNode;
import io.mainstem.jms.link.TransactionId;
import io.mainstem.jms.message.EncodedMessage;
import io.mainstem.jms.options.BrokerUri;
import io.mainstem.jms.options.Endpoint;
import io.mainstem.jms.options.OptionTexts;
import io.mainstem.jms.options.Options;
import jakarta.jms.JMSException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** A broker that answers at once, except what a test holds back, and whose connections a test can cut. */
public final class ScriptedBroker implements LinkTransport {
    /** An amqp-value section with a string of one letter. */
    private static final byte[] LETTER = {0x00, 0x53, 0x77, (byte) 0xa1, 0x01, 'x'};

    private final List<Wire> wires = new ArrayList<>();
    private final List<Held<?>> held = new ArrayList<>();
    private final BlockingQueue<Outcome> settled = new LinkedBlockingQueue<>();
    private final List<Opened> closings = new CopyOnWriteArrayList<>();
    private final List<EncodedMessage> sent = new CopyOnWriteArrayList<>();
    private Runnable onSend = () -> {};
    private @Nullable DeliveryListener consumer;
    private volatile @Nullable JMSException refusal;
    private boolean holding;
    private boolean holdingBegins;
    private boolean holdingDrains;
    private boolean renaming;

    private record Held<T>(CompletableFuture<T> answer, T value) {
        void give() {
            answer.complete(value);
        }
    }

    static Options options(String uri) {
        BrokerUri parsed = BrokerUri.parse(uri);
        return OptionTexts.NONE.over(parsed).toOptions(parsed);
    }

    static EncodedMessage letter() {
        return new EncodedMessage(true, 4, 0, ByteBuffer.wrap(LETTER));
    }

    /** A delivery for the first time. */
    public static LinkDelivery delivery() {
        return new LinkDelivery() {
            @Override
            public EncodedMessage message() {
                return letter();
            }

            @Override
            public int failures() {
                return 0;
            }
        };
    }

    /** The connection of the moment. */
    Wire wire() {
        return wires.get(wires.size() - 1);
    }

    /** Temporary nodes, links and ends of transactions are answered by {@link #answer} from now on. */
    void hold() {
        holding = true;
    }

    /** So are sessions and transactions that begin. */
    void holdBegins() {
        holdingBegins = true;
    }

    /** Whoever takes credit back waits for ever. */
    void holdDrains() {
        holdingDrains = true;
    }

    /** Temporary nodes get other addresses than those asked for. */
    void rename() {
        renaming = true;
    }

    void answer() {
        holding = false;
        holdingBegins = false;
        List.copyOf(held).forEach(Held::give);
        held.clear();
    }

    /** @param why null: transactions begin */
    void refuseTransactions(@Nullable JMSException why) {
        refusal = why;
    }

    /** To the last consumer. */
    void deliver() {
        consumer().delivered(delivery());
    }

    /** The last one. */
    DeliveryListener consumer() {
        DeliveryListener last = consumer;
        if (last == null) {
            throw new IllegalStateException("no consumer");
        }
        return last;
    }

    /** What has come over all connections, in order. */
    List<EncodedMessage> sent() {
        return sent;
    }

    /** What happens while the next message comes. */
    void onSend(Runnable then) {
        onSend = then;
    }

    /** Sessions in the order of their ends. */
    List<Opened> closings() {
        return closings;
    }

    /** What became of the deliveries, in order. */
    public BlockingQueue<Outcome> settled() {
        return settled;
    }

    private <T> CompletionStage<T> answered(T value) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        if (holding) {
            held.add(new Held<>(answer, value));
        } else {
            answer.complete(value);
        }
        return answer;
    }

    private <T> CompletionStage<T> begun(T value) {
        if (holdingBegins) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            held.add(new Held<>(answer, value));
            return answer;
        }
        return CompletableFuture.completedFuture(value);
    }

    private static CompletionStage<@Nullable Void> done() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<LinkConnection> connect(ConnectRequest request, ConnectionLost lost) {
        Wire wire = new Wire(lost);
        wires.add(wire);
        return CompletableFuture.completedFuture(wire);
    }

    /** One connection. */
    final class Wire implements LinkConnection {
        private final ConnectionLost lost;
        private final List<Opened> sessions = new ArrayList<>();
        private final List<Node> nodes = new ArrayList<>();

        Wire(ConnectionLost lost) {
            this.lost = lost;
        }

        List<Opened> sessions() {
            return sessions;
        }

        List<Node> nodes() {
            return nodes;
        }

        /** The loss is told; what was asked for is still without an answer. */
        void lose() {
            lost.lost(new JMSException("MS-0704 cut", "MS-0704"));
        }

        /** As a transport does: the loss is told, then what was asked for fails. */
        void cut() {
            JMSException cause = new JMSException("MS-0704 cut", "MS-0704");
            List<Held<?>> unanswered = List.copyOf(held);
            held.clear();
            holdingBegins = false;
            lost.lost(cause);
            unanswered.forEach(one -> one.answer().completeExceptionally(cause));
        }

        @Override
        public CompletionStage<LinkSession> openSession() {
            Opened session = new Opened();
            sessions.add(session);
            return begun(session);
        }

        @Override
        public CompletionStage<TemporaryNode> createTemporary(DestinationKind kind, @Nullable String address) {
            Node node = new Node(address == null ? "temporary" : renaming ? "another" : address);
            nodes.add(node);
            return answered(node);
        }

        @Override
        public CompletionStage<@Nullable Void> unsubscribe(Subscription subscription) {
            return done();
        }

        @Override
        public List<Endpoint> failoverServers() {
            return List.of();
        }

        @Override
        public CompletionStage<@Nullable Void> close() {
            return done();
        }
    }

    /** A temporary node. */
    static final class Node implements TemporaryNode {
        private final String address;
        private boolean deleted;

        Node(String address) {
            this.address = address;
        }

        boolean isDeleted() {
            return deleted;
        }

        @Override
        public String address() {
            return address;
        }

        @Override
        public CompletionStage<@Nullable Void> delete() {
            deleted = true;
            return done();
        }
    }

    /** A session, its coordinator, and its receivers. */
    public final class Opened implements LinkSession, Coordinator, ReceiverLink {
        private final List<Boolean> receiverEnds = new ArrayList<>();
        private boolean closed;
        private int closedSenders;

        boolean isClosed() {
            return closed;
        }

        int closedSenders() {
            return closedSenders;
        }

        /** How receivers were closed: true = with the subscription behind them. */
        List<Boolean> receiverEnds() {
            return receiverEnds;
        }

        @Override
        public CompletionStage<SenderLink> attachSender(@Nullable MainstemDestination target) {
            return answered(new SenderLink() {
                @Override
                public CompletionStage<@Nullable Void> send(EncodedMessage message, @Nullable TransactionId in) {
                    sent.add(message);
                    Runnable then = onSend;
                    onSend = () -> {};
                    then.run();
                    return done();
                }

                @Override
                public CompletionStage<@Nullable Void> close() {
                    closedSenders++;
                    return done();
                }
            });
        }

        @Override
        public CompletionStage<ReceiverLink> attachReceiver(ReceiverRequest request, DeliveryListener listener) {
            consumer = listener;
            return answered(this);
        }

        @Override
        public Coordinator coordinator() {
            return this;
        }

        @Override
        public CompletionStage<@Nullable Void> close() {
            closed = true;
            closings.add(this);
            return done();
        }

        @Override
        public CompletionStage<TransactionId> declare(byte @Nullable [] globalId) {
            JMSException why = refusal;
            return why == null ? begun(new TransactionId() {}) : CompletableFuture.failedFuture(why);
        }

        @Override
        public CompletionStage<@Nullable Void> discharge(TransactionId transaction, boolean fail) {
            CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
            if (holding) {
                held.add(new Held<@Nullable Void>(ended, null));
                return ended;
            }
            return done();
        }

        @Override
        public CompletionStage<@Nullable Void> prepare(TransactionId transaction) {
            return done();
        }

        @Override
        public CompletionStage<@Nullable Void> decide(byte[] globalId, boolean commit) {
            return done();
        }

        @Override
        public CompletionStage<@Nullable Void> forget(byte[] globalId) {
            return done();
        }

        @Override
        public CompletionStage<List<byte[]>> prepared() {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public void addCredit(int messages) {
            // Tests deliver what they like.
        }

        @Override
        public CompletionStage<@Nullable Void> drain() {
            return holdingDrains ? new CompletableFuture<>() : done();
        }

        @Override
        public void settle(LinkDelivery delivery, Outcome outcome, @Nullable TransactionId transaction) {
            settled.add(outcome);
        }

        @Override
        public CompletionStage<@Nullable Void> close(boolean end) {
            receiverEnds.add(end);
            return done();
        }
    }
}
