package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.ApplicationProperties;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The node {@code /management} frame by frame [mapping 5.1 to 5.3]. */
final class ManagementTest {
    private static final Symbol PAIRED = Symbol.valueOf("paired");
    private static final String LINK = "management-link-pair";

    private TestServer server;
    private ScriptedPeer peer;
    private Open open;
    private int nextDelivery;

    private record Answer(Object correlationId, String status, Map<?, ?> applicationProperties, Object body) {}

    @BeforeEach
    void start(@TempDir Path folder) throws IOException {
        server = new TestServer(folder);
        peer = new ScriptedPeer(server.address());
        open = peer.open("manager");
        peer.begin(0);
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
    }

    @Test
    @DisplayName("[R-1] open offers the link pair and tells product, version and node")
    void openProperties() {
        assertThat(open.getOfferedCapabilities()).contains(Symbol.valueOf("LINK_PAIR_V1_0"));
        Map<?, ?> properties = open.getProperties();
        assertThat(properties.get(Symbol.valueOf("product"))).isEqualTo("Mainstem");
        assertThat(properties.get(Symbol.valueOf("version"))).isEqualTo("4.2.0");
        assertThat(properties.get(Symbol.valueOf("mainstem-version"))).isEqualTo("test");
        assertThat(properties.get(Symbol.valueOf("node"))).isEqualTo("mainstem");
    }

    @Test
    @DisplayName("5.2 both halves are attached as paired, requests with credit 8")
    void pair() throws IOException {
        Attach sender = attachRequests(0, true);
        assertThat(sender.getTarget().getAddress()).isEqualTo("/management");
        assertThat((Object) sender.getProperties()).isEqualTo(Map.of(PAIRED, true));
        assertThat(peer.awaitBody(Flow.class).getLinkCredit()).isEqualTo(UnsignedInteger.valueOf(8));

        Attach receiver = attachReplies(1, true);
        assertThat(receiver.getSource().getAddress()).isEqualTo("/management");
        assertThat((Object) receiver.getProperties()).isEqualTo(Map.of(PAIRED, true));
    }

    @Test
    @DisplayName("5.2 without the property it is refused: invalid-field")
    void notPaired() throws IOException {
        assertThat(attachRequests(0, false).getTarget()).isNull();
        assertThat(detachError()).isEqualTo("amqp:invalid-field");
        assertThat(attachReplies(1, false).getSource()).isNull();
        assertThat(detachError()).isEqualTo("amqp:invalid-field");
    }

    @Test
    @DisplayName("5.2 a request without a receiver to answer on: precondition-failed")
    void halfOpen() throws IOException {
        attachRequests(0, true);
        request("GET", "/queues/q", null, properties -> {});

        assertThat(detachError()).isEqualTo("amqp:precondition-failed");
    }

    @Test
    @DisplayName("5.3 the response bears correlation-id of the same type, status as a string, and http:response")
    void response() throws IOException {
        attachPair();
        for (Object id : List.of(UUID.randomUUID(), "text", UnsignedLong.valueOf(7), new Binary(new byte[] {1, 2}))) {
            request("GET", "/queues/q", null, properties -> properties.setMessageId(id));

            Answer answer = answer();
            assertThat(answer.correlationId()).isEqualTo(id);
            assertThat(answer.status()).isEqualTo("404");
            assertThat(answer.applicationProperties()).isEqualTo(Map.of("http:response", "1.1"));
            assertThat(answer.body()).asString().contains("no queue 'q' in vhost '/'");
        }
    }

    @Test
    @DisplayName("5.3 an unsettled request is accepted besides being answered")
    void unsettledRequest() throws IOException {
        attachPair();
        Transfer transfer = ScriptedPeer.transfer(0, nextDelivery++);
        peer.send(0, transfer, message("GET", "/queues/q", null, properties -> {}));

        Disposition disposition = peer.awaitBody(Disposition.class);
        assertThat(disposition.getState()).hasToString("Accepted{}");
    }

    @Test
    @DisplayName("5.3 a request that cannot be answered ends the link: invalid-field")
    void unanswerable() throws IOException {
        attachPair();
        request("GET", "/queues/q", null, properties -> properties.setReplyTo("/queues/elsewhere"));

        assertThat(detachError()).isEqualTo("amqp:invalid-field");
    }

    @Test
    @DisplayName("5.3 the queue map: all fields, of the types that clients cast to")
    void queueMap() throws IOException {
        attachPair();
        Answer made = ask("PUT", "/queues/a%2Fb", Map.of("arguments", Map.of("x-max-priority", 5)));
        assertThat(made.status()).isEqualTo("201");
        Map<?, ?> map = (Map<?, ?>) made.body();

        assertThat(map.get("name")).isEqualTo("a/b");
        assertThat(map.get("vhost")).isEqualTo("/");
        assertThat(map.get("type")).isEqualTo("classic");
        assertThat(map.get("durable")).isEqualTo(true);
        assertThat(map.get("auto_delete")).isEqualTo(false);
        assertThat(map.get("exclusive")).isEqualTo(false);
        assertThat(map.get("arguments")).isEqualTo(Map.of("x-max-priority", 5));
        assertThat(map.get("replicas")).isEqualTo(new Object[] {map.get("leader")});
        assertThat(map.get("message_count")).isEqualTo(UnsignedLong.ZERO);
        assertThat(map.get("consumer_count")).isEqualTo(UnsignedInteger.ZERO);

        assertThat(ask("PUT", "/queues/a%2Fb", Map.of("arguments", Map.of("x-max-priority", 5L)))
                        .status())
                .isEqualTo("200");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "GET,/queues/none,404",
                "DELETE,/queues/none,200",
                "DELETE,/queues/none/messages,404",
                "DELETE,/exchanges/none,204",
                "DELETE,/exchanges/amq.topic,403",
                "PUT,/queues/amq.x,403",
                "PUT,/queues/,400",
                "PUT,/queues/a%0D,400",
                "PUT,/queues/a%zz,400",
                "PUT,/queues/%C3,400",
                "PUT,/queues/a b,400",
                "GET,/bindings?src=x,400",
                "GET,/bindings?src=x&dstq=none&key=k,200",
                "DELETE,/bindings/src=x,400",
                "DELETE,/bindings/src=x;dstq=y;key=k;args=,204",
                "DELETE,/bindings/src=x;dstq=y;key=a/b;args=,404",
                "POST,/queues/q,405",
                "PUT,/unheard-of,404",
                "GET,/queues/a/b/c,404",
                "GET,queues,400",
                "PUT,/auth/tokens,400"
            })
    @DisplayName("5.3 statuses")
    void statuses(String method, String path, String status) throws IOException {
        attachPair();

        assertThat(ask(method, path, null).status()).isEqualTo(status);
    }

    @Test
    @DisplayName("5.3 unknown fields and fields of a wrong type are refused: 400 naming them")
    void badBodies() throws IOException {
        attachPair();

        assertThat(ask("PUT", "/queues/q", Map.of("durabel", true)).body())
                .asString()
                .contains("durabel");
        assertThat(ask("PUT", "/queues/q", Map.of("durable", "yes")).body())
                .asString()
                .contains("'durable'");
        assertThat(ask("PUT", "/queues/q", "text").status()).isEqualTo("400");
        assertThat(ask("PUT", "/exchanges/x", Map.of("type", "odd")).body())
                .asString()
                .contains("odd");
        assertThat(ask("POST", "/bindings", Map.of("source", "amq.topic")).status())
                .isEqualTo("400");
        assertThat(ask("POST", "/bindings", Map.of("source", "amq.topic", "destination_queue", "none"))
                        .body())
                .asString()
                .contains("no queue 'none' in vhost '/'");
        assertThat(ask("PUT", "/queues/q", Map.of("arguments", Map.of("x", List.of(1))))
                        .status())
                .isEqualTo("400");
    }

    @Test
    @DisplayName("[R-2] a binding's location names it alone, arguments and all; void arguments come back as null")
    void bindingLocation() throws IOException {
        attachPair();
        ask("PUT", "/queues/q%3B", null);
        Map<String, Object> present = new java.util.HashMap<>();
        present.put("colour", null);
        present.put("x-match", "any");
        ask("POST", "/bindings", binding(present));
        ask("POST", "/bindings", binding(Map.of("colour", "red")));

        List<?> both = (List<?>) ask("GET", "/bindings?src=amq.headers&dstq=q%3B&key=a%2Bb", null)
                .body();
        assertThat(both).hasSize(2);
        Map<?, ?> withNull = (Map<?, ?>) both.stream()
                .filter(each -> present.equals(((Map<?, ?>) each).get("arguments")))
                .findFirst()
                .orElseThrow();
        String location = (String) withNull.get("location");
        assertThat(location).matches("/bindings/src=amq.headers;dstq=q%3B;key=a%2Bb;args=[0-9a-f]{32}");
        assertThat(ask("DELETE", location, null).status()).isEqualTo("204");

        List<?> left = (List<?>)
                ask("GET", "/bindings?src=amq.headers&dstq=q%3B&key=a+b", null).body();
        assertThat(left).singleElement().extracting("arguments").isEqualTo(Map.of("colour", "red"));
    }

    @Test
    @DisplayName("our lists: pages in the order of names, next as long as there may be more")
    void lists() throws IOException {
        attachPair();
        for (String name : List.of("c", "a", "b")) {
            ask("PUT", "/queues/" + name, null);
        }
        Map<?, ?> first = (Map<?, ?>) ask("GET", "/queues?limit=2", null).body();
        assertThat(names(first)).containsExactly("a", "b");
        Map<?, ?> second = (Map<?, ?>)
                ask("GET", "/queues?limit=2&after=" + first.get("next"), null).body();

        assertThat(names(second)).containsExactly("c");
        assertThat(second.get("next")).isNull();
        assertThat(ask("GET", "/queues?limit=0", null).status()).isEqualTo("400");
        assertThat(names((Map<?, ?>) ask("GET", "/exchanges", null).body())).contains("amq.topic");
    }

    @Test
    @DisplayName("responses wait for credit, and come in order")
    void creditOfTheReceiver() throws IOException {
        attachRequests(0, true);
        attachReplies(1, true);
        for (String id : List.of("one", "two")) {
            request("GET", "/queues/q", null, properties -> properties.setMessageId(id));
        }
        peer.credit(1, 0, 1, false);
        assertThat(answer().correlationId()).isEqualTo("one");
        peer.credit(1, 1, 1, true);
        assertThat(answer().correlationId()).isEqualTo("two");
    }

    private static Map<String, Object> binding(Map<String, Object> arguments) {
        return Map.of("source", "amq.headers", "destination_queue", "q;", "binding_key", "a+b", "arguments", arguments);
    }

    private static List<Object> names(Map<?, ?> page) {
        List<Object> names = new ArrayList<>();
        for (Object item : (List<?>) page.get("items")) {
            names.add(((Map<?, ?>) item).get("name"));
        }
        return names;
    }

    // ---- the client's side -----------------------------------------------------------------------------------

    private void attachPair() throws IOException {
        attachRequests(0, true);
        attachReplies(1, true);
        peer.credit(1, 0, 100, false);
    }

    private Attach attachRequests(int handle, boolean paired) throws IOException {
        Target target = new Target();
        target.setAddress("/management");
        return attach(ScriptedPeer.senderAttach(handle, target), paired);
    }

    private Attach attachReplies(int handle, boolean paired) throws IOException {
        Source source = new Source();
        source.setAddress("/management");
        return attach(ScriptedPeer.receiverAttach(handle, source), paired);
    }

    private Attach attach(Attach attach, boolean paired) throws IOException {
        attach.setName(LINK);
        if (paired) {
            attach.setProperties(Map.of(PAIRED, true));
        }
        peer.send(0, attach);
        return peer.awaitBody(Attach.class);
    }

    private Answer ask(String method, String path, @Nullable Object body) throws IOException {
        request(method, path, body, properties -> {});
        return answer();
    }

    private void request(
            String method, String path, @Nullable Object body, java.util.function.Consumer<Properties> change)
            throws IOException {
        Transfer transfer = ScriptedPeer.transfer(0, nextDelivery++);
        transfer.setSettled(true);
        peer.send(0, transfer, message(method, path, body, change));
    }

    private static byte[] message(
            String method, String path, @Nullable Object body, java.util.function.Consumer<Properties> change) {
        Properties properties = new Properties();
        properties.setMessageId(UUID.randomUUID());
        properties.setTo(path);
        properties.setSubject(method);
        properties.setReplyTo("$me");
        change.accept(properties);
        ByteBuf out = Unpooled.buffer();
        PerformativeCodec.ofThread().write(properties, out);
        PerformativeCodec.ofThread().write(new AmqpValue(body), out);
        return ByteBufUtil.getBytes(out);
    }

    private Answer answer() throws IOException {
        ByteBuf payload = Unpooled.wrappedBuffer(peer.await(Transfer.class).payload());
        Properties properties = null;
        Map<?, ?> applicationProperties = Map.of();
        Object body = null;
        while (payload.isReadable()) {
            Object section = PerformativeCodec.ofThread().read(payload, payload.writerIndex());
            if (section instanceof Properties found) {
                properties = found;
            } else if (section instanceof ApplicationProperties found) {
                applicationProperties = found.getValue();
            } else if (section instanceof AmqpValue value) {
                body = value.getValue();
            }
        }
        return new Answer(properties.getCorrelationId(), properties.getSubject(), applicationProperties, body);
    }

    private String detachError() throws IOException {
        return peer.awaitBody(Detach.class).getError().getCondition().toString();
    }
}
