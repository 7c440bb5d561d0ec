package io.mainstem.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mainstem.launcher.admin.BrokerUrl;
import io.mainstem.launcher.admin.ManagementClient;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code mainstem queue|exchange|binding|connection} against a broker of this process. */
final class ManagementCommandTest {
    private EmbeddedBroker broker;
    private String url;

    private record Run(int exitCode, String out, String err) {
        JsonNode json() throws Exception {
            return new ObjectMapper().readTree(out);
        }
    }

    @BeforeEach
    void start() {
        broker = EmbeddedBroker.builder().start();
        url = broker.uri().toString();
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    @DisplayName("a queue is declared, shown, listed, purged and deleted")
    void queues() throws Exception {
        Run created = run("queue", "create", "a/b", "-a", "x-max-priority=5");
        assertThat(created.exitCode()).as(created.err()).isZero();

        JsonNode shown = run("queue", "show", "a/b", "-o", "json").json();
        assertThat(shown.get("name").asText()).isEqualTo("a/b");
        assertThat(shown.get("arguments").get("x-max-priority").asInt()).isEqualTo(5);
        assertThat(shown.get("message_count").asLong()).isZero();
        assertThat(run("queue", "list").out()).contains("name", "message_count", "a/b");
        assertThat(run("queue", "purge", "a/b").out()).contains("dropped 0 messages");
        assertThat(run("queue", "delete", "a/b", "--if-empty").exitCode()).isZero();

        Run missing = run("queue", "show", "a/b");
        assertThat(missing.exitCode()).isEqualTo(66);
        assertThat(missing.err()).contains("MS-0132", "no queue 'a/b' in vhost '/'");
    }

    @Test
    @DisplayName("a connection is named by its number, and what is no number is said in the broker's words")
    void connectionsHaveNumbers() {
        Run closed = run("connection", "close", "nosuch");

        assertThat(closed.exitCode()).isEqualTo(65);
        assertThat(closed.err()).contains("connection 'nosuch'", "a number, as the list shows it");
    }

    @Test
    @DisplayName("a virtual host is made, is there at once for others, has queues of its own and is listed")
    void virtualHosts() throws Exception {
        Run before = run("queue", "create", "eu", "--url", url + "/orders");
        assertThat(before.err()).contains("MS-0330", "mainstem vhost create");
        assertThat(run("vhost", "create", "orders").exitCode()).isZero();
        assertThat(run("vhost", "create", "orders").exitCode()).isZero();

        assertThat(run("queue", "create", "eu", "--url", url + "/orders").exitCode())
                .isZero();

        assertThat(run("queue", "list", "--url", url + "/orders").out()).contains("eu");
        assertThat(run("queue", "list").out()).doesNotContain("eu");
        assertThat(run("vhost", "list", "-o", "json").json().findValuesAsText("name"))
                .containsExactly("/", "orders");
        assertThat(run("vhost", "create", "a\tb").err()).contains("MS-0304");
    }

    @Test
    @DisplayName("a list of more than a page is complete and in order")
    void manyQueues() throws Exception {
        int count = 700;
        try (var client = ManagementClient.connect(BrokerUrl.parse(url), null, null)) {
            for (int i = 0; i < count; i++) {
                client.ask("PUT", "/queues/q" + (1000 + i), Map.of("durable", false));
            }
        }

        JsonNode all = run("queue", "list", "-o", "json").json();

        List<String> names = new ArrayList<>();
        all.forEach(queue -> names.add(queue.get("name").asText()));
        assertThat(names).hasSize(count).isSorted().doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("exchanges and bindings")
    void exchangesAndBindings() throws Exception {
        run("queue", "create", "q");
        assertThat(run("exchange", "create", "logs", "--type", "topic").exitCode())
                .isZero();
        assertThat(run("exchange", "show", "logs", "-o", "json")
                        .json()
                        .get("type")
                        .asText())
                .isEqualTo("topic");
        assertThat(run("exchange", "list").out()).contains("logs", "amq.topic");
        assertThat(run("binding", "create", "logs", "q", "--key", "eu.#").exitCode())
                .isZero();
        assertThat(run("binding", "list").out()).contains("logs", "eu.#");
        assertThat(run("binding", "delete", "logs", "q", "--key", "eu.#").out()).contains("1 bindings");
        assertThat(run("binding", "list", "-o", "json").json()).isEmpty();
        assertThat(run("exchange", "delete", "logs").exitCode()).isZero();
    }

    @Test
    @DisplayName("a policy is set, holds for a queue that is there, is listed and deleted")
    void policies() throws Exception {
        run("queue", "create", "orders.eu");
        Run set = run("policy", "set", "short", "orders.*", "-a", "max-length=7", "-p", "3");
        assertThat(set.exitCode()).as(set.err()).isZero();

        JsonNode queue = run("queue", "show", "orders.eu", "-o", "json").json();
        assertThat(queue.get("policy").asText()).isEqualTo("short");
        assertThat(queue.get("effective_arguments").get("x-max-length").asLong())
                .isEqualTo(7);
        assertThat(queue.get("arguments")).isEmpty();
        assertThat(run("policy", "list").out()).contains("short", "orders.*", "3");
        assertThat(run("policy", "show", "short", "-o", "json")
                        .json()
                        .get("definition")
                        .get("x-max-length")
                        .asLong())
                .isEqualTo(7);
        assertThat(run("policy", "delete", "short").exitCode()).isZero();
        assertThat(run("policy", "list", "-o", "json").json()).isEmpty();
        assertThat(run("queue", "show", "orders.eu", "-o", "json").json().has("policy"))
                .isFalse();
        Run wrong = run("policy", "set", "short", "*", "-a", "max-lenght=7");
        assertThat(wrong.exitCode()).isEqualTo(65);
        assertThat(wrong.err()).contains("max-lenght", "x-max-length");
    }

    @Test
    @DisplayName("connections are listed, and closed by id")
    void connections() throws Exception {
        try (var other = ManagementClient.connect(BrokerUrl.parse(url), null, null)) {
            JsonNode list = run("connection", "list", "-o", "json").json();
            assertThat(list).hasSize(2);
            String id = list.get(0).get("id").asText();
            assertThat(run("connection", "show", id).out()).contains("amqp-1.0", "127.0.0.1");

            assertThat(run("connection", "close", id).exitCode()).isZero();

            assertThat(catchThrowable(() -> other.ask("GET", "/queues?limit=1", null)))
                    .hasMessageContaining("MS-0547");
        }
        assertThat(run("connection", "close", "4711").exitCode()).isEqualTo(66);
    }

    @Test
    @DisplayName("what is refused says why, and the exit code what kind of refusal it is")
    void refusals() {
        assertThat(run("queue", "create", "amq.mine").exitCode()).isEqualTo(77);
        Run bad = run("queue", "create", "q", "-a", "x-message-ttl=soon");
        assertThat(bad.exitCode()).isEqualTo(65);
        assertThat(bad.err()).contains("x-message-ttl");
        assertThat(run("queue", "list", "--url", "http://x").exitCode()).isEqualTo(64);
        assertThat(run("queue", "show").exitCode()).isEqualTo(64);
        assertThat(run("queue", "list", "--url", url + "/unheard-of").exitCode())
                .isEqualTo(69);
    }

    @Test
    @DisplayName("no broker: exit code 69, with the address that was tried")
    void nobodyThere() {
        broker.close();

        Run run = run("queue", "list");

        assertThat(run.exitCode()).isEqualTo(69);
        assertThat(run.err()).contains("MS-0130", url, "fix:");
    }

    private Run run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> all = new ArrayList<>(List.of(arguments));
        if (!all.contains("--url")) {
            all.addAll(List.of("--url", url));
        }
        CommandLine command = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int code = command.execute(all.toArray(String[]::new));
        return new Run(code, out.toString(), err.toString());
    }
}
