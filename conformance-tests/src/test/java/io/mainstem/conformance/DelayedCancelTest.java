package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mainstem.launcher.admin.BrokerUrl;
import io.mainstem.launcher.admin.ManagementClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.Proton;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.apache.qpid.proton.engine.Receiver;
import org.apache.qpid.proton.engine.Sender;
import org.apache.qpid.proton.message.Message;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages that wait for their time are listed and cancelled, over {@code /delayed} and by {@code mainstem delayed}. */
final class DelayedCancelTest {
    private static final Symbol DELAY = Symbol.valueOf("x-opt-delivery-delay");
    private static final int SOON_MS = 15_000;
    private static final int HOUR_MS = 3_600_000;
    private static final String QUEUE = "delayed";

    @TempDir
    Path folder;

    @Test
    @DisplayName("[L-8] DELETE /delayed/:id: the message never comes, also if the broker is killed after the answer")
    void cancelledOverManagement() throws Exception {
        SharedBroker.assumeOurs();
        try (BrokerProcess broker = BrokerProcess.startShortLived(folder.resolve("data"))) {
            publish(broker, SOON_MS, "first", "cancelled", "second");
            try (ManagementClient client = client(broker)) {
                Map<?, ?> found = waiting(client).get("cancelled");
                assertThat(found.get("routing_key")).isEqualTo(QUEUE);
                assertThat(client.ask("DELETE", "/delayed/" + found.get("id"), null))
                        .isNull();

                assertThat(waiting(client)).containsOnlyKeys("first", "second");
                assertThatThrownBy(() -> client.ask("DELETE", "/delayed/" + found.get("id"), null))
                        .hasMessageContaining(String.valueOf(found.get("id")));
            }
            broker.kill9();

            broker.restart();

            // Behind those that were to come with it.
            publish(broker, SOON_MS, "last");
            assertThat(receive(broker, 3)).containsExactly("first", "second", "last");
            try (ManagementClient client = client(broker)) {
                assertThat(waiting(client)).isEmpty();
            }
        }
    }

    @Test
    @DisplayName("mainstem delayed list|cancel: table and JSON, exit codes 0, 66 for what does not wait")
    void cancelledByCommand() throws Exception {
        SharedBroker.assumeOurs();
        try (BrokerProcess broker = BrokerProcess.startShortLived(folder.resolve("data"))) {
            publish(broker, HOUR_MS, "kept", "cancelled");
            assertThat(succeeds(broker, "delayed", "list")).contains("deliver_at", "routing_key", "kept", "cancelled");
            String id = listed(broker).get("cancelled").get("id").asText();

            assertThat(succeeds(broker, "delayed", "cancel", id)).contains("message '" + id + "' is cancelled");

            BrokerProcess.CommandResult again = broker.mainstem("delayed", "cancel", id);
            assertThat(again.exitCode()).as(again.output()).isEqualTo(66);
            assertThat(again.output()).contains("MS-", id);
            broker.kill9();
            broker.restart();
            assertThat(listed(broker)).containsOnlyKeys("kept");
        }
    }

    private static Map<String, JsonNode> listed(BrokerProcess broker) throws IOException, InterruptedException {
        Map<String, JsonNode> byMessageId = new HashMap<>();
        new ObjectMapper()
                .readTree(succeeds(broker, "delayed", "list", "-o", "json"))
                .forEach(each -> byMessageId.put(each.get("message_id").asText(), each));
        return byMessageId;
    }

    private static String succeeds(BrokerProcess broker, String... arguments) throws IOException, InterruptedException {
        BrokerProcess.CommandResult result = broker.mainstem(arguments);
        assertThat(result.exitCode()).as(result.output()).isZero();
        return result.output();
    }

    private static ManagementClient client(BrokerProcess broker) {
        return ManagementClient.connect(BrokerUrl.parse(broker.address().uri()), null, null);
    }

    /** What {@code /delayed} has, by message id. */
    private static Map<String, Map<?, ?>> waiting(ManagementClient client) {
        Map<String, Map<?, ?>> byMessageId = new HashMap<>();
        Map<?, ?> page = (Map<?, ?>) client.ask("GET", "/delayed?limit=100&after=", null);
        for (Object item : (List<?>) page.get("items")) {
            Map<?, ?> message = (Map<?, ?>) item;
            byMessageId.put(String.valueOf(message.get("message_id")), message);
        }
        return byMessageId;
    }

    private static void publish(BrokerProcess broker, int delayMs, String... ids) throws IOException {
        try (AmqpPeer peer = new AmqpPeer(broker.address())) {
            Sender sender = peer.sender(peer.session(), QUEUE);
            peer.pumpUntil("credit", () -> sender.getCredit() >= ids.length);
            for (int i = 0; i < ids.length; i++) {
                assertThat(peer.ask(sender, i, encode(ids[i], delayMs))).isInstanceOf(Accepted.class);
            }
        }
    }

    private static List<String> receive(BrokerProcess broker, int count) throws IOException {
        List<String> ids = new ArrayList<>();
        try (AmqpPeer peer = new AmqpPeer(broker.address())) {
            Receiver receiver = peer.receiver(peer.session(), QUEUE, count + 1);
            while (ids.size() < count) {
                AmqpPeer.Received next = peer.await(receiver);
                Message message = Proton.message();
                message.decode(next.encoded(), 0, next.encoded().length);
                ids.add(String.valueOf(message.getMessageId()));
                CrashClients.accept(next.delivery());
            }
        }
        return ids;
    }

    private static byte[] encode(String id, int delayMs) {
        Message message = Proton.message();
        message.setDurable(true);
        message.setMessageId(id);
        message.setMessageAnnotations(new MessageAnnotations(new HashMap<>(Map.of(DELAY, delayMs))));
        message.setBody(new AmqpValue("body of " + id));
        byte[] buffer = new byte[512];
        return Arrays.copyOf(buffer, message.encode(buffer, 0, buffer.length));
    }
}
