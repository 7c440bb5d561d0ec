package io.mainstem.jms.amqp;

import io.mainstem.jms.amqp.engine.EngineLoop;
import io.mainstem.jms.amqp.engine.EnginePump;
import io.mainstem.jms.amqp.engine.LocalFrames;
import io.mainstem.jms.amqp.engine.RangedTransport;
import io.mainstem.jms.amqp.login.DerivedKeys;
import io.mainstem.jms.amqp.login.Login;
import io.mainstem.jms.destination.DestinationKind;
import io.mainstem.jms.link.ConnectRequest;
import io.mainstem.jms.link.ConnectionLost;
import io.mainstem.jms.link.LinkConnection;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.Subscription;
import io.mainstem.jms.link.TemporaryNode;
import io.mainstem.jms.options.Endpoint;
import jakarta.jms.JMSException;
import jakarta.jms.ResourceAllocationException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.engine.Collector;
import org.apache.qpid.proton.engine.Connection;
import org.apache.qpid.proton.engine.EndpointState;
import org.apache.qpid.proton.engine.Event;
import org.apache.qpid.proton.engine.Link;
import org.apache.qpid.proton.engine.Sasl;
import org.apache.qpid.proton.engine.Session;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a broker: SASL, open, sessions, close. Thread: its event loop, except the methods of {@link
 * LinkConnection}.
 */
final class AmqpConnection implements LinkConnection, EnginePump.Owner, Login.Way {
    private static final Symbol FAILOVER_SERVERS = Symbol.valueOf("failover-server-list");
    private static final Symbol[] DESIRED = {
        Symbol.valueOf("sole-connection-for-container"),
        Symbol.valueOf("DELAYED_DELIVERY"),
        Symbol.valueOf("ANONYMOUS-RELAY"),
        Symbol.valueOf("SHARED-SUBS")
    };

    private final ConnectRequest request;
    private final ConnectionLost lostListener;
    private final DerivedKeys keys;
    private final boolean local;
    private final Connection engine = Connection.Factory.create();
    private final RangedTransport transport;
    private final EnginePump pump;
    private final EngineLoop loop;
    private final CompletableFuture<LinkConnection> opened = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    private final Set<EngineSession> sessions = new HashSet<>();
    private final LinkNames names = new LinkNames();
    private @Nullable EngineSession ownSession;
    private volatile List<Endpoint> failoverServers = List.of();
    private volatile Set<Symbol> offered = Set.of();
    private boolean started;
    private boolean closing;

    /** @param local the broker is in this JVM: frames are handed over, and each side sees at once when the other ends */
    AmqpConnection(ConnectRequest request, ConnectionLost lostListener, DerivedKeys keys, boolean local) {
        this.keys = keys;
        this.local = local;
        LocalFrames frames = local ? new LocalFrames() : null;
        transport = new RangedTransport(frames);
        this.request = request;
        this.lostListener = lostListener;
        Collector collector = Collector.Factory.create();
        engine.collect(collector);
        transport.setMaxFrameSize(request.options().wire().maxFrameBytes());
        // Half: who is late by its own reckoning is not yet late by ours (part 2, 2.4.5).
        transport.setIdleTimeout(local ? 0 : request.options().wire().idleTimeoutMs() / 2);
        transport.setEmitFlowEventOnSend(false);
        pump = new EnginePump(transport, frames, collector, this);
        loop = new EngineLoop(pump, "the connection to " + request.endpoint());
    }

    EnginePump pump() {
        return pump;
    }

    /** Completes when the broker has agreed to the connection. */
    CompletableFuture<LinkConnection> opened() {
        return opened;
    }

    @Override
    public void started() {
        started = true;
        var sasl = transport.sasl();
        sasl.client();
        sasl.setRemoteHostname(host());
        sasl.setListener(new Login(request.endpoint(), request.options(), keys, this));
        transport.bind(engine);
        engine.setContainer(request.containerId());
        engine.setHostname(host());
        engine.setDesiredCapabilities(DESIRED);
        Map<Symbol, Object> properties = new HashMap<>();
        properties.put(Symbol.valueOf("product"), "Mainstem JMS");
        properties.put(Symbol.valueOf("platform"), "Java " + Runtime.version().feature());
        engine.setProperties(properties);
        engine.open();
    }

    private String host() {
        String vhost = request.options().wire().vhost();
        return vhost == null ? request.endpoint().host() : "vhost:" + vhost;
    }

    /** How far it has come. Thread: the event loop. */
    ConnectPhase phase() {
        if (opened.isDone() && !opened.isCompletedExceptionally()) {
            return ConnectPhase.OPEN;
        }
        if (!started) {
            return pump.isConnected() ? ConnectPhase.SECURING : ConnectPhase.CONNECTING;
        }
        return transport.sasl().getOutcome() == Sasl.SaslOutcome.PN_SASL_OK ? ConnectPhase.OPENING : ConnectPhase.LOGIN;
    }

    @Override
    public boolean isPrivate() {
        return local || request.endpoint().scheme().tls() || pump.isToThisMachine();
    }

    @Override
    public void refused(JMSException reason) {
        refuse(reason);
    }

    /** Ends an attempt that will not succeed. */
    void refuse(JMSException reason) {
        ended(reason);
        pump.cut();
    }

    @Override
    public void event(Event event) {
        switch (event.getType()) {
            case CONNECTION_REMOTE_OPEN -> remoteOpened();
            case CONNECTION_REMOTE_CLOSE -> remoteClosed(engine.getRemoteCondition());
            case SESSION_REMOTE_OPEN -> of(event.getSession()).remoteOpened();
            case SESSION_REMOTE_CLOSE ->
                of(event.getSession()).remoteClosed(event.getSession().getRemoteCondition());
            case LINK_REMOTE_OPEN -> of(event.getLink()).remoteOpened();
            case LINK_REMOTE_CLOSE, LINK_REMOTE_DETACH ->
                of(event.getLink()).remoteClosed(event.getLink().getRemoteCondition());
            case LINK_FLOW -> of(event.getLink()).flow();
            case DELIVERY -> of(event.getDelivery().getLink()).delivery(event.getDelivery());
            case TRANSPORT_ERROR -> transportFailed(transport.getCondition());
            default -> {
                // The engine's own steps.
            }
        }
    }

    private static EndpointEvents of(Session session) {
        return (EndpointEvents) session.getContext();
    }

    private static EndpointEvents of(Link link) {
        return (EndpointEvents) link.getContext();
    }

    private void remoteOpened() {
        Map<Symbol, Object> properties = engine.getRemoteProperties();
        if (properties != null
                && Boolean.TRUE.equals(properties.get(Symbol.valueOf("amqp:connection-establishment-failed")))) {
            return; // The close that says why follows.
        }
        failoverServers =
                FailoverServers.of(properties == null ? null : properties.get(FAILOVER_SERVERS), request.endpoint());
        Symbol[] capabilities = engine.getRemoteOfferedCapabilities();
        offered = capabilities == null ? Set.of() : Set.copyOf(Arrays.asList(capabilities));
        opened.complete(this);
    }

    private void remoteClosed(@Nullable ErrorCondition error) {
        boolean asked = closing;
        engine.close();
        if (asked) {
            ended(new JMSException(
                    "MS-0704 the connection to " + request.endpoint() + " is closed; fix: create another one",
                    "MS-0704"));
            pump.run(pump::cut);
        } else {
            String doing =
                    opened.isDone() ? "connection to " + request.endpoint() : "connecting to " + request.endpoint();
            ended(Refusals.of(doing, error));
            transport.close_head();
        }
    }

    private void transportFailed(@Nullable ErrorCondition error) {
        String reason = error == null ? "" : ": " + error.getDescription() + " [" + error.getCondition() + "]";
        ended(new JMSException(
                "MS-0704 the connection to " + request.endpoint() + " failed" + reason
                        + "; fix: connect again, or use failover:(...)",
                "MS-0704"));
        pump.cut();
    }

    @Override
    public boolean isRemoteClosed() {
        return engine.getRemoteState() == EndpointState.CLOSED;
    }

    @Override
    public void disconnected(@Nullable Throwable cause) {
        ended(ConnectFailures.unreachable(request.endpoint(), phase(), cause));
    }

    /** Fails all that waits; the first reason counts. */
    private void ended(JMSException reason) {
        if (!loop.end(reason)) {
            return;
        }
        boolean wasOpen = opened.isDone() && !opened.isCompletedExceptionally();
        if (wasOpen && !closing) {
            lostListener.lost(reason); // First: who is told of single failures can ask whether it is all over.
        }
        opened.completeExceptionally(reason);
        for (EngineSession session : List.copyOf(sessions)) {
            session.lost(reason);
        }
        closed.complete(null);
    }

    /** A change of the login: it waits for nothing. */
    @Override
    public void run(Runnable change) {
        loop.run(change);
    }

    @Override
    public CompletionStage<LinkSession> openSession() {
        EngineSession session = new EngineSession(loop, names, sessions::remove);
        loop.run(session.opened(), () -> {
            if (isFull()) {
                session.opened().completeExceptionally(full());
            } else {
                begin(session);
            }
        });
        return session.opened().thenApply(done -> new AmqpLinkSession(session, offered));
    }

    /** The broker told at open how many sessions it allows; the engine would wait for a number without end. */
    private boolean isFull() {
        return sessions.size() > transport.getRemoteChannelMax();
    }

    private JMSException full() {
        return new ResourceAllocationException(
                "MS-0732 the broker allows " + sessions.size()
                        + " sessions a connection; fix: close some, use another connection, or allow more at the"
                        + " broker",
                "MS-0732");
    }

    private void begin(EngineSession session) {
        sessions.add(session);
        session.begin(engine.session());
    }

    private EngineSession ownSession() {
        EngineSession session = ownSession;
        if (session == null) {
            if (isFull()) {
                throw new CompletionException(full());
            }
            session = new EngineSession(loop, names, sessions::remove);
            ownSession = session;
            begin(session);
        }
        return session;
    }

    @Override
    public CompletionStage<TemporaryNode> createTemporary(DestinationKind kind, @Nullable String address) {
        CompletableFuture<TemporaryNode> created = new CompletableFuture<>();
        loop.run(
                created, () -> AmqpTemporaryNode.create(ownSession(), Termini.temporary(kind, address), kind, created));
        return created;
    }

    @Override
    public CompletionStage<@Nullable Void> unsubscribe(Subscription subscription) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        loop.run(done, () -> SubscriptionEnd.begin(ownSession(), subscription, done));
        return done;
    }

    @Override
    public List<Endpoint> failoverServers() {
        return new ArrayList<>(failoverServers);
    }

    @Override
    public CompletionStage<@Nullable Void> close() {
        CompletableFuture<@Nullable Void> unused = new CompletableFuture<>();
        loop.run(unused, () -> {
            closing = true;
            engine.close();
            pump.cutAfter(request.options().timeouts().closeMs());
        });
        return closed;
    }
}
