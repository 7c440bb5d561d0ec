package io.mainstem.amqp.v1;

import io.mainstem.routing.Broker;
import io.mainstem.transport.Connections;
import io.mainstem.transport.InputBudget;
import io.mainstem.transport.ProtocolFactory;
import io.mainstem.transport.security.Authenticator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Ticker;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The AMQP 1.0 head, with or without a SASL layer. Thread: any; shared by all connections. */
public final class AmqpProtocol implements ProtocolFactory {
    /** {@code AMQP} 0 1.0.0: frames of performatives follow. */
    static final byte[] AMQP_HEADER = {'A', 'M', 'Q', 'P', 0, 1, 0, 0};

    /** {@code AMQP} 3 1.0.0: frames of SASL follow, then the other header. */
    static final byte[] SASL_HEADER = {'A', 'M', 'Q', 'P', 3, 1, 0, 0};

    private static final int CONNECTION_SHARE = 4;

    private final Broker broker;
    private final AmqpLimits limits;
    private final AmqpOptions options;
    private final OpenNegotiation openNegotiation;
    private final Authenticator authenticator;
    private final InstantSource clock;
    private final InputBudget input;
    private final InputBudget incompleteMessages;
    private final DeclinedLogins declinedLogins = new DeclinedLogins();
    private final ContainerIds containerIds = new ContainerIds();
    private final Connections connections = new Connections();
    private final LinkDirectory links = new LinkDirectory();
    private final ConcurrentMap<String, DynamicNode> dynamicNodes = new ConcurrentHashMap<>();

    /**
     * Waits for connections.
     *
     * @param clock for arrival, ttl and expiry
     * @param input what all heads may hold of frames and packets that are not complete
     */
    public AmqpProtocol(
            Broker broker,
            AmqpLimits limits,
            AmqpOptions options,
            Authenticator authenticator,
            InstantSource clock,
            InputBudget input) {
        this.broker = broker;
        this.limits = limits;
        this.options = options;
        this.authenticator = authenticator;
        this.openNegotiation = new OpenNegotiation(limits, options, broker.version());
        this.clock = clock;
        this.input = input;
        this.incompleteMessages = new InputBudget(limits.incompleteBytesMax(), Ticker.systemTicker());
    }

    @Override
    public String name() {
        return "amqp-1.0";
    }

    @Override
    public Match matches(ByteBuf first) {
        boolean undecided = first.readableBytes() < AMQP_HEADER.length;
        if (!startsLike(first, AMQP_HEADER) && !startsLike(first, SASL_HEADER)) {
            return Match.NO;
        }
        return undecided ? Match.UNDECIDED : Match.YES;
    }

    private static boolean startsLike(ByteBuf first, byte[] header) {
        int length = Math.min(first.readableBytes(), header.length);
        for (int i = 0; i < length; i++) {
            if (first.getByte(first.readerIndex() + i) != header[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public byte[] ownHeader() {
        return SASL_HEADER.clone();
    }

    @Override
    public void install(ChannelPipeline pipeline) {
        pipeline.addLast("amqp-1.0", new AmqpConnection(this));
    }

    Broker broker() {
        return broker;
    }

    AmqpLimits limits() {
        return limits;
    }

    AmqpOptions options() {
        return options;
    }

    OpenNegotiation openNegotiation() {
        return openNegotiation;
    }

    Authenticator authenticator() {
        return authenticator;
    }

    InstantSource clock() {
        return clock;
    }

    InputBudget input() {
        return input;
    }

    /** What one more connection may hold of messages of which frames are missing: a quarter, and one message in any case. */
    InputBudget.Share incompleteMessages() {
        long one = IncompleteMessage.roomFor(limits.messageBytesMax());
        return incompleteMessages.share(Math.max(limits.incompleteBytesMax() / CONNECTION_SHARE, one));
    }

    /** The connections that are open. */
    public Connections connections() {
        return connections;
    }

    LinkDirectory links() {
        return links;
    }

    DeclinedLogins declinedLogins() {
        return declinedLogins;
    }

    /** The nodes that links of the connection's peer will make. */
    DynamicNodes dynamicNodes(String virtualHost, EventExecutor loop) {
        return new DynamicNodes(dynamicNodes, virtualHost, loop);
    }

    ContainerIds containerIds() {
        return containerIds;
    }
}
