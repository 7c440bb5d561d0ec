package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.DeleteOnClose;
import org.apache.qpid.proton.amqp.messaging.DeleteOnNoLinks;
import org.apache.qpid.proton.amqp.messaging.DeleteOnNoLinksOrMessages;
import org.apache.qpid.proton.amqp.messaging.DeleteOnNoMessages;
import org.apache.qpid.proton.amqp.messaging.LifetimePolicy;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.messaging.TerminusDurability;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that links make (AMQP 1.0 part 3, 3.5.3, 3.5.4, 3.5.9 to 3.5.13; ADR 0077): what is granted is what happens. */
final class DynamicNodeTest {
    private static final String QUEUES = "amq.tmp:";
    private static final Symbol LIFETIME = Symbol.valueOf("lifetime-policy");
    private static final Symbol MODES = Symbol.valueOf("supported-dist-modes");

    private TestServer server;
    private ScriptedPeer peer;
    private ScriptedPeer other;

    @BeforeEach
    void start(@TempDir Path folder) throws IOException {
        server = new TestServer(folder);
        peer = server.open("owner");
        peer.begin(0);
        other = server.open("other");
        other.begin(0);
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        other.close();
        server.close();
    }

    // ---- what is asked for -----------------------------------------------------------------------------------

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of(LIFETIME, "delete-on-close"),
                Arguments.of(LIFETIME, Symbol.valueOf("amqp:delete-on-close:list")),
                Arguments.of(LIFETIME, UnsignedInteger.ONE),
                Arguments.of(LIFETIME, Accepted.getInstance()),
                Arguments.of(MODES, "move"),
                Arguments.of(MODES, 1),
                Arguments.of(Symbol.valueOf("mainstem:address"), Symbol.valueOf("x")),
                Arguments.of("lifetime-policy", DeleteOnClose.getInstance()));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    @DisplayName("3.5.9: a property of the wrong type is an invalid field, of sources and targets, and makes nothing")
    void wrongTypes(Object key, Object value) throws IOException {
        Map<Object, Object> properties = new HashMap<>();
        properties.put(key, value);
        Source source = dynamicSource(TerminusExpiryPolicy.SESSION_END);
        source.setDynamicNodeProperties(properties);
        peer.send(0, ScriptedPeer.receiverAttach(0, source));
        assertThat(peer.awaitBody(Attach.class).getSource()).isNull();
        assertThat(refusal()).isEqualTo("amqp:invalid-field");
        Target target = dynamicTarget(TerminusExpiryPolicy.SESSION_END);
        target.setDynamicNodeProperties(properties);
        peer.send(0, ScriptedPeer.senderAttach(1, target));
        assertThat(peer.awaitBody(Attach.class).getTarget()).isNull();
        assertThat(refusal()).isEqualTo("amqp:invalid-field");

        assertThat(server.queues(QUEUES)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("3.5.3, 3.5.4: a dynamic terminus that has an address is refused; so are node properties of one that"
            + " is not dynamic")
    void contradictions(boolean dynamic) throws IOException {
        Source source = new Source();
        source.setAddress("q");
        source.setDynamic(dynamic);
        source.setDynamicNodeProperties(Map.of(LIFETIME, DeleteOnClose.getInstance()));
        peer.send(0, ScriptedPeer.receiverAttach(0, source));
        assertThat(refusal()).isEqualTo("amqp:invalid-field");
        Target target = new Target();
        target.setAddress("q");
        target.setDynamic(dynamic);
        target.setDynamicNodeProperties(Map.of(LIFETIME, DeleteOnClose.getInstance()));
        peer.send(0, ScriptedPeer.senderAttach(1, target));

        assertThat(refusal()).isEqualTo("amqp:invalid-field");
        assertThat(server.queues("")).isEmpty();
    }

    @Test
    @DisplayName("3.5.9: properties that the broker does not know are not in its answer")
    void unknownIsNotGranted() throws IOException {
        Source source = dynamicSource(TerminusExpiryPolicy.SESSION_END);
        source.setDynamicNodeProperties(
                Map.of(Symbol.valueOf("x-opt-colour"), "red", LIFETIME, DeleteOnNoLinks.getInstance()));
        peer.send(0, ScriptedPeer.receiverAttach(0, source));

        Source granted = (Source) peer.awaitBody(Attach.class).getSource();

        assertThat(plain(granted.getDynamicNodeProperties())).containsOnlyKeys(LIFETIME);
        assertThat(plain(granted.getDynamicNodeProperties()).get(LIFETIME)).isInstanceOf(DeleteOnNoLinks.class);
    }

    @Test
    @DisplayName("3.5.10: without a policy a node has delete-on-close, and the answer says so")
    void defaultPolicy() throws IOException {
        peer.send(0, ScriptedPeer.receiverAttach(0, dynamicSource(TerminusExpiryPolicy.SESSION_END)));

        Source granted = (Source) peer.awaitBody(Attach.class).getSource();

        assertThat(plain(granted.getDynamicNodeProperties()).get(LIFETIME)).isInstanceOf(DeleteOnClose.class);
    }

    @Test
    @DisplayName("3.5.9: a queue has both distribution modes, a topic only copies")
    void distributionModes() throws IOException {
        Source queue = dynamicSource(TerminusExpiryPolicy.SESSION_END);
        queue.setDynamicNodeProperties(Map.of(MODES, Symbol.valueOf("copy")));
        peer.send(0, ScriptedPeer.receiverAttach(0, queue));
        Source granted = (Source) peer.awaitBody(Attach.class).getSource();
        assertThat((Object[]) plain(granted.getDynamicNodeProperties()).get(MODES))
                .containsExactly(Symbol.valueOf("move"), Symbol.valueOf("copy"));
        Source topic = dynamicSource(TerminusExpiryPolicy.SESSION_END);
        topic.setCapabilities(Symbol.valueOf("temporary-topic"));
        topic.setDynamicNodeProperties(Map.of(MODES, Symbol.valueOf("move")));

        peer.send(0, ScriptedPeer.receiverAttach(1, topic));

        assertThat(refusal()).isEqualTo("amqp:not-implemented");
    }

    @Test
    @DisplayName("3.5.4: a target is granted no durability and nothing beyond the detach, for nothing of it is kept")
    void targetDurability() throws IOException {
        Target asked = new Target();
        asked.setAddress("q");
        asked.setDurable(TerminusDurability.UNSETTLED_STATE);
        asked.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        asked.setTimeout(UnsignedInteger.valueOf(60));
        peer.send(0, ScriptedPeer.senderAttach(0, asked));

        Target granted = (Target) peer.awaitBody(Attach.class).getTarget();

        assertThat(granted.getDurable()).isEqualTo(TerminusDurability.NONE);
        assertThat((Object) granted.getExpiryPolicy()).isEqualTo(TerminusExpiryPolicy.LINK_DETACH);
        assertThat(granted.getTimeout())
                .satisfiesAnyOf(
                        none -> assertThat(none).isNull(),
                        zero -> assertThat(zero).isEqualTo(UnsignedInteger.ZERO));
    }

    @Test
    @DisplayName(
            "3.5.3: a node cannot outlive its connection, so `never` and a timeout are not granted to a dynamic source")
    void neverIsNotGranted() throws IOException {
        Source asked = dynamicSource(TerminusExpiryPolicy.NEVER);
        asked.setDurable(TerminusDurability.UNSETTLED_STATE);
        asked.setTimeout(UnsignedInteger.valueOf(60));
        peer.send(0, ScriptedPeer.receiverAttach(0, asked));

        Source granted = (Source) peer.awaitBody(Attach.class).getSource();

        assertThat((Object) granted.getExpiryPolicy()).isEqualTo(TerminusExpiryPolicy.CONNECTION_CLOSE);
        assertThat(granted.getDurable()).isEqualTo(TerminusDurability.NONE);
        assertThat(granted.getTimeout()).isEqualTo(UnsignedInteger.ZERO);
    }

    // ---- lifetime --------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(Role.class)
    @DisplayName("3.5.10: delete-on-close goes with its link, though others lead to it and messages are in it")
    void deleteOnClose(Role role) throws IOException {
        String address = make(role, DeleteOnClose.getInstance());
        send(address);
        peer.attachReceiver(1, address);

        close(0);

        server.awaitNoQueue(QUEUES);
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    @DisplayName("3.5.11: delete-on-no-links goes when the last link to it is gone, also another connection's, messages"
            + " or not")
    void deleteOnNoLinks(Role role) throws IOException {
        String address = make(role, DeleteOnNoLinks.getInstance());
        send(address);

        close(0);

        assertThat(server.queues(QUEUES)).containsExactly(address);
        peer.attachReceiver(1, address);
        other.send(0, ScriptedPeer.detach(0, false));
        other.await(Detach.class);
        peer.credit(1, 0, 1, false);
        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(1);
        assertThat(server.queues(QUEUES)).containsExactly(address);
        close(1);
        server.awaitNoQueue(QUEUES);
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    @DisplayName("3.5.12: delete-on-no-messages goes when its link is gone and it is empty, though others lead to it")
    void deleteOnNoMessages(Role role) throws IOException {
        String address = make(role, DeleteOnNoMessages.getInstance());
        send(address);
        close(0);
        assertThat(server.queues(QUEUES)).containsExactly(address);
        peer.attachReceiver(1, address);

        accept();

        server.awaitNoQueue(QUEUES);
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    @DisplayName("3.5.13: delete-on-no-links-or-messages goes when no link and no message is left")
    void deleteOnNoLinksOrMessages(Role role) throws IOException {
        String address = make(role, DeleteOnNoLinksOrMessages.getInstance());
        send(address);
        close(0);
        peer.attachReceiver(1, address);
        accept();
        close(1);
        assertThat(server.queues(QUEUES)).containsExactly(address);

        other.send(0, ScriptedPeer.detach(0, true));

        server.awaitNoQueue(QUEUES);
    }

    @Test
    @DisplayName("3.5.11: a topic may live on links, too; messages it has none, and the answer says so")
    void topicLives() throws IOException {
        Target target = dynamicTarget(TerminusExpiryPolicy.SESSION_END);
        target.setCapabilities(Symbol.valueOf("temporary-topic"));
        target.setDynamicNodeProperties(Map.of(LIFETIME, DeleteOnNoLinksOrMessages.getInstance()));
        peer.send(0, ScriptedPeer.senderAttach(0, target));
        Target granted = (Target) peer.awaitBody(Attach.class).getTarget();
        peer.await(Flow.class);
        assertThat(plain(granted.getDynamicNodeProperties()).get(LIFETIME)).isInstanceOf(DeleteOnNoLinks.class);
        peer.attachReceiver(1, granted.getAddress());
        close(0);

        send(granted.getAddress());

        peer.credit(1, 0, 1, false);
        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(1);
        close(1);
        other.send(0, ScriptedPeer.detach(0, true));
        other.await(Detach.class);
        assertThat(other.attachSender(1, granted.getAddress()).getTarget()).isNull();
    }

    @Test
    @DisplayName("3.5.10: a node whose connection is lost is gone, whatever its policy")
    void lostConnection() throws IOException {
        String address = make(Role.RECEIVER, DeleteOnNoLinksOrMessages.getInstance());
        send(address);

        peer.close();

        server.awaitNoQueue(QUEUES);
    }

    // ---- expiry ----------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(Role.class)
    @DisplayName("3.5.4 link-detach: the node goes with the detach")
    void linkDetach(Role role) throws IOException {
        make(role, TerminusExpiryPolicy.LINK_DETACH);

        detach();

        server.awaitNoQueue(QUEUES);
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    @DisplayName(
            "3.5.4 session-end: the node outlives the detach, its link goes on with it, and it goes with the session")
    void sessionEnd(Role role) throws IOException {
        String address = make(role, TerminusExpiryPolicy.SESSION_END);
        detach();
        assertThat(server.queues(QUEUES)).containsExactly(address);
        again(role, address);
        detach();
        assertThat(server.queues(QUEUES)).containsExactly(address);

        peer.send(0, new End());
        peer.await(End.class);

        server.awaitNoQueue(QUEUES);
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    @DisplayName("3.5.4 session-end: a link that is attached again to its node, and then closed, takes it away")
    void closedAfterDetach(Role role) throws IOException {
        String address = make(role, TerminusExpiryPolicy.SESSION_END);
        detach();
        again(role, address);

        close(0);

        server.awaitNoQueue(QUEUES);
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    @DisplayName("3.5.4 connection-close: the node outlives its session, and goes with the connection")
    void connectionClose(Role role) throws IOException {
        String address = make(role, TerminusExpiryPolicy.CONNECTION_CLOSE);
        peer.send(0, new End());
        peer.await(End.class);
        peer.begin(0);
        assertThat(server.queues(QUEUES)).containsExactly(address);
        again(role, address);

        peer.close();

        server.awaitNoQueue(QUEUES);
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    @DisplayName("3.5.4 session-end: a node goes with a session that ends under its link")
    void sessionEndsUnderTheLink(Role role) throws IOException {
        make(role, TerminusExpiryPolicy.SESSION_END);

        peer.send(0, new End());
        peer.await(End.class);

        server.awaitNoQueue(QUEUES);
    }

    @Test
    @DisplayName("3.5.4 session-end: a temporary topic's receiver misses nothing while it is detached")
    void topicCollects() throws IOException {
        Source source = dynamicSource(TerminusExpiryPolicy.SESSION_END);
        source.setCapabilities(Symbol.valueOf("temporary-topic"));
        peer.send(0, ScriptedPeer.receiverAttach(0, source));
        String address = ((Source) peer.awaitBody(Attach.class).getSource()).getAddress();
        detach();
        send(address);
        Source same = new Source();
        same.setAddress(address);
        same.setCapabilities(Symbol.valueOf("temporary-topic"));
        peer.send(0, ScriptedPeer.receiverAttach(0, same));
        peer.await(Attach.class);

        peer.credit(0, 0, 1, false);

        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(1);
    }

    // ---- phrases ---------------------------------------------------------------------------------------------

    private static Source dynamicSource(TerminusExpiryPolicy expiry) {
        Source source = new Source();
        source.setDynamic(true);
        source.setExpiryPolicy(expiry);
        return source;
    }

    private static Target dynamicTarget(TerminusExpiryPolicy expiry) {
        Target target = new Target();
        target.setDynamic(true);
        target.setExpiryPolicy(expiry);
        return target;
    }

    /** @param role the peer's */
    private String make(Role role, LifetimePolicy policy) throws IOException {
        return make(role, TerminusExpiryPolicy.SESSION_END, Map.of(LIFETIME, policy));
    }

    private String make(Role role, TerminusExpiryPolicy expiry) throws IOException {
        return make(role, expiry, Map.of());
    }

    private String make(Role role, TerminusExpiryPolicy expiry, Map<Symbol, Object> properties) throws IOException {
        Source source = dynamicSource(expiry);
        source.setDynamicNodeProperties(properties);
        Target target = dynamicTarget(expiry);
        target.setDynamicNodeProperties(properties);
        boolean receives = role == Role.RECEIVER;
        peer.send(0, receives ? ScriptedPeer.receiverAttach(0, source) : ScriptedPeer.senderAttach(0, target));
        Attach reply = peer.awaitBody(Attach.class);
        if (!receives) {
            peer.await(Flow.class);
        }
        Map<Object, Object> granted = plain(
                receives
                        ? ((Source) reply.getSource()).getDynamicNodeProperties()
                        : ((Target) reply.getTarget()).getDynamicNodeProperties());
        Object policy = properties.getOrDefault(LIFETIME, DeleteOnClose.getInstance());
        assertThat(granted.get(LIFETIME)).isSameAs(policy);
        return receives ? ((Source) reply.getSource()).getAddress() : ((Target) reply.getTarget()).getAddress();
    }

    /** Attaches the link of that name to the node that it made. */
    private void again(Role role, String address) throws IOException {
        Attach reply = role == Role.RECEIVER ? peer.attachReceiver(0, address) : peer.attachSender(0, address);
        assertThat(List.of(reply.getSource(), reply.getTarget())).hasSize(2);
    }

    private void send(String address) throws IOException {
        other.attachSender(0, address);
        other.await(Flow.class);
        other.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.data((byte) 1));
        other.await(Disposition.class);
    }

    /** Takes the one message, on handle 1. */
    private void accept() throws IOException {
        peer.credit(1, 0, 1, false);
        Transfer transfer = peer.awaitBody(Transfer.class);
        Disposition disposition = new Disposition();
        disposition.setRole(Role.RECEIVER);
        disposition.setFirst(transfer.getDeliveryId());
        disposition.setSettled(true);
        disposition.setState(Accepted.getInstance());
        peer.send(0, disposition);
    }

    private void close(int handle) throws IOException {
        peer.send(0, ScriptedPeer.detach(handle, true));
        peer.await(Detach.class);
    }

    private void detach() throws IOException {
        peer.send(0, ScriptedPeer.detach(0, false));
        peer.await(Detach.class);
    }

    private String refusal() throws IOException {
        return peer.awaitBody(Detach.class).getError().getCondition().toString();
    }

    private static Map<Object, Object> plain(Map<?, ?> properties) {
        return new HashMap<>(properties);
    }
}
