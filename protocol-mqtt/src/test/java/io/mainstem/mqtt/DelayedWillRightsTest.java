package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("[issue 12 line 58] a will that waits is published only if its user still may when it is due")
final class DelayedWillRightsTest {
    private static final int CLEAN = 2;
    private static final int WILL = 4;
    private static final int USER = 0x80;
    private static final int PASSWORD = 0x40;

    @TempDir
    Path folder;

    private final AtomicReference<AccessPolicy> policy = new AtomicReference<>(AccessPolicy.OPEN);

    private static AccessPolicy rules(Map<String, List<String>> byUser) {
        Map<String, List<AccessRule>> parsed = new HashMap<>();
        byUser.forEach((user, its) ->
                parsed.put(user, its.stream().map(AccessRule::parse).toList()));
        return AccessPolicy.of(parsed);
    }

    private TestServer server() throws IOException {
        return new TestServer(folder, TestServer.Setup.DEFAULT.with(policy::get));
    }

    /** A client whose will goes to {@code topic} so many seconds after it is gone. */
    private static RawMqtt open(TestServer server, String user, String topic, int delaySeconds) throws IOException {
        RawMqtt client = new RawMqtt(server.address(), 5);
        client.send(client.connectHead(
                        CLEAN | WILL | USER | PASSWORD, 0, new Bytes().u8(0x11).u32(60))
                .text("of " + topic)
                .properties(new Bytes().u8(0x18).u32(delaySeconds))
                .text(topic)
                .text("will")
                .text(user)
                .text("password")
                .packet(0x10));
        assertThat(client.expect(RawMqtt.CONNACK).rest()[1]).as("CONNACK").isZero();
        return client;
    }

    /** A reader that no rule is about. */
    private static RawMqtt watcher(TestServer server, String filter) throws IOException {
        RawMqtt watcher = new RawMqtt(server.address(), 5);
        watcher.send(watcher.connectHead(CLEAN | USER | PASSWORD, 0, new Bytes())
                .text("watcher")
                .text("watcher")
                .text("password")
                .packet(0x10));
        watcher.expect(RawMqtt.CONNACK);
        assertThat(watcher.subscribed(filter, 0)).isZero();
        return watcher;
    }

    @ParameterizedTest
    @CsvSource({
        "deny write mqtt-topic gone/x; allow all,   gone/x",
        "deny write mqtt-topic gone/#; allow all,   gone/x",
        "deny write mqtt-topic #,                   gone/x",
        "allow all mqtt-topic there/#,              gone/x",
        "allow read mqtt-topic #,                   gone/x",
        "'',                                        gone/x",
    })
    @DisplayName("its rules are changed in any way while it waits")
    void rulesChange(String changed, String topic) throws IOException {
        List<String> its = changed.isEmpty() ? List.of() : List.of(changed.split("; "));
        Map<String, List<String>> before =
                Map.of("lwt", List.of("allow all"), "watcher", List.of("allow all"), "other", List.of("allow all"));
        Map<String, List<String>> after = new HashMap<>(before);
        after.put("lwt", its);
        policy.set(rules(before));
        try (TestServer server = server();
                RawMqtt watcher = watcher(server, "#")) {
            open(server, "lwt", topic, 1).close();
            policy.set(rules(after));
            open(server, "other", "later", 1).close();

            assertThat(watcher.expectPublish().topic()).isEqualTo("later");
            watcher.expectNothing();
        }
    }

    @Test
    @DisplayName("its rules are changed, and still allow it: it is published")
    void rulesStillAllow() throws IOException {
        List<String> all = List.of("allow all");
        policy.set(rules(Map.of("lwt", all, "watcher", all)));
        try (TestServer server = server();
                RawMqtt watcher = watcher(server, "#")) {
            open(server, "lwt", "gone/x", 1).close();
            policy.set(rules(Map.of("lwt", List.of("deny read mqtt-topic #", "allow all"), "watcher", all)));

            assertThat(watcher.expectPublish().topic()).isEqualTo("gone/x");
            watcher.expectNothing();
        }
    }

    @Test
    @DisplayName("its user is removed while it waits, and while its client is connected")
    void userIsRemoved() throws IOException {
        Map<String, List<String>> before =
                Map.of("lwt", List.of("allow all"), "watcher", List.of("allow all"), "other", List.of("allow all"));
        Map<String, List<String>> after = new HashMap<>(before);
        after.remove("lwt");
        policy.set(rules(before));
        try (TestServer server = server();
                RawMqtt watcher = watcher(server, "#")) {
            RawMqtt connected = open(server, "lwt", "gone/connected", 0);
            open(server, "lwt", "gone/waits", 1).close();
            policy.set(rules(after));
            connected.close();
            open(server, "other", "later", 1).close();

            assertThat(watcher.expectPublish().topic()).isEqualTo("later");
            watcher.expectNothing();
        }
    }

    @Test
    @DisplayName("the first user is added: who has no name may nothing any more")
    void firstUserIsAdded() throws IOException {
        try (TestServer server = server();
                RawMqtt watcher = watcher(server, "#")) {
            RawMqtt nameless = new RawMqtt(server.address(), 5);
            nameless.send(
                    nameless.connectHead(CLEAN | WILL, 0, new Bytes().u8(0x11).u32(60))
                            .text("nameless")
                            .properties(new Bytes().u8(0x18).u32(1))
                            .text("gone/x")
                            .text("will")
                            .packet(0x10));
            nameless.expect(RawMqtt.CONNACK);
            nameless.close();
            policy.set(rules(Map.of("watcher", List.of("allow all"), "other", List.of("allow all"))));
            open(server, "other", "later", 1).close();

            assertThat(watcher.expectPublish().topic()).isEqualTo("later");
            watcher.expectNothing();
        }
    }

    @Test
    @DisplayName("the client comes back with a new session: the will is due now, and not permitted any more")
    void cleanStart() throws IOException {
        Map<String, List<String>> before =
                Map.of("lwt", List.of("allow all"), "watcher", List.of("allow all"), "other", List.of("allow all"));
        Map<String, List<String>> after = new HashMap<>(before);
        after.put("lwt", List.of("deny write mqtt-topic gone/#", "allow all"));
        policy.set(rules(before));
        try (TestServer server = server();
                RawMqtt watcher = watcher(server, "#")) {
            open(server, "lwt", "gone/x", 30).close();
            policy.set(rules(after));
            RawMqtt back = new RawMqtt(server.address(), 5);
            back.send(back.connectHead(CLEAN | USER | PASSWORD, 0, new Bytes())
                    .text("of gone/x")
                    .text("lwt")
                    .text("password")
                    .packet(0x10));
            assertThat(back.expect(RawMqtt.CONNACK).rest()[1]).isZero();
            open(server, "other", "later", 1).close();

            assertThat(watcher.expectPublish().topic()).isEqualTo("later");
            watcher.expectNothing();
            back.close();
        }
    }
}
