package io.mainstem.launcher;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.mainstem.launcher.admin.BrokerUrl;
import io.mainstem.launcher.admin.ManagementClient;
import io.mainstem.launcher.security.User;
import io.mainstem.launcher.security.UserList;
import io.mainstem.launcher.security.UsersFile;
import io.mainstem.routing.access.AccessRule;
import io.mainstem.transport.security.Users;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What becomes of open connections when their user is removed or may do other things. */
final class RevocationTest {
    private static final byte[] CONNACK_ACCEPTED = {0x20, 2, 0, 0};

    @Test
    void connectionsOfUsersWhoAreGoneOrChangedAreClosedAndOthersGoOn() throws IOException {
        try (EmbeddedBroker broker = broker();
                ManagementClient alice = connect(broker, "alice");
                ManagementClient bob = connect(broker, "bob");
                ManagementClient carol = connect(broker, "carol");
                Socket carolByMqtt = mqtt(broker, "carol")) {
            assertThat(users(alice)).containsExactlyInAnyOrder("alice", "bob", "carol", "carol");

            UsersFile file = new UsersFile(broker.dataDirectory().resolve("users.yaml"));
            UserList list = file.read();
            file.write(list.without("carol")
                    .with(list.find("bob").withPermissions(List.of(AccessRule.parse("deny all")))));

            await().atMost(Duration.ofMinutes(1)).until(() -> users(alice), List.of("alice")::equals);
            for (ManagementClient ended : List.of(bob, carol)) {
                assertThatThrownBy(() -> ended.ask("GET", "/queues?limit=1", null))
                        .hasMessageContaining("MS-0122");
            }
            assertThat(carolByMqtt.getInputStream().read()).isEqualTo(-1);
            assertThatThrownBy(() -> connect(broker, "carol")).hasMessageContaining("MS-0131");
        }
    }

    @Test
    void whoCameWhileThereWereNoUsersIsClosedWithTheFirstUser() throws IOException {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
                ManagementClient nameless = connect(broker, null);
                ManagementClient claimsToBeAlice = connect(broker, "alice");
                Socket byMqtt = mqtt(broker, null)) {
            assertThat(users(nameless)).hasSize(3);

            change(broker, list -> list.with(user("alice", "allow all")));

            assertThat(byMqtt.getInputStream().read()).isEqualTo(-1);
            for (ManagementClient ended : List.of(nameless, claimsToBeAlice)) {
                awaitEnd(ended);
            }
            try (ManagementClient alice = connect(broker, "alice")) {
                await().atMost(Duration.ofMinutes(1)).until(() -> users(alice), List.of("alice")::equals);
            }
        }
    }

    @Test
    void aChangeOfTheRulesOfAnonymousIsOneForAllWithoutAName() throws IOException {
        try (EmbeddedBroker broker = EmbeddedBroker.builder()
                        .set("security.password-iterations", "4096")
                        .set("security.anonymous", "loopback")
                        .user("alice", "secret")
                        .user("anonymous", "secret", "allow read topic news.#")
                        .start();
                ManagementClient alice = connect(broker, "alice");
                ManagementClient nameless = connect(broker, null);
                Socket byMqtt = mqtt(broker, null)) {
            change(broker, list -> list.with(user("anonymous", "allow read topic other.#")));

            assertThat(byMqtt.getInputStream().read()).isEqualTo(-1);
            awaitEnd(nameless);
            assertThat(users(alice)).contains("alice");
        }
    }

    private static User user(String name, String rule) {
        return new User(
                name, Users.verifiers("secret".toCharArray(), new byte[16], 4096), List.of(AccessRule.parse(rule)));
    }

    private static void change(EmbeddedBroker broker, UnaryOperator<UserList> change) {
        UsersFile file = new UsersFile(broker.dataDirectory().resolve("users.yaml"));
        file.write(change.apply(file.read()));
    }

    private static void awaitEnd(ManagementClient client) {
        await().atMost(Duration.ofMinutes(1))
                .ignoreExceptions()
                .untilAsserted(() -> assertThatThrownBy(() -> client.ask("GET", "/queues?limit=1", null))
                        .hasMessageContaining("MS-0122"));
    }

    private static EmbeddedBroker broker() {
        EmbeddedBroker.Builder builder = EmbeddedBroker.builder().set("security.password-iterations", "4096");
        for (String user : List.of("alice", "bob", "carol")) {
            builder.user(user, "secret");
        }
        return builder.start();
    }

    private static ManagementClient connect(EmbeddedBroker broker, @Nullable String user) {
        return ManagementClient.connect(BrokerUrl.parse(broker.uri().toString()), user, user == null ? null : "secret");
    }

    private static List<String> users(ManagementClient client) {
        Map<?, ?> page = (Map<?, ?>) client.ask("GET", "/connections?limit=100", null);
        return ((List<?>) page.get("items"))
                .stream().map(each -> (String) ((Map<?, ?>) each).get("user")).toList();
    }

    /** A client of MQTT 3.1.1, connected. */
    private static Socket mqtt(EmbeddedBroker broker, @Nullable String user) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        string(body, "MQTT");
        // Level; user name, password, clean session; no keep alive.
        body.write(new byte[] {4, (byte) (user == null ? 2 : 0xC2), 0, 0});
        string(body, "client-of-" + user);
        if (user != null) {
            string(body, user);
            string(body, "secret");
        }
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), broker.mqttUri().getPort());
        socket.setSoTimeout(60_000);
        socket.getOutputStream().write(new byte[] {0x10, (byte) body.size()});
        socket.getOutputStream().write(body.toByteArray());
        assertThat(socket.getInputStream().readNBytes(CONNACK_ACCEPTED.length)).isEqualTo(CONNACK_ACCEPTED);
        return socket;
    }

    private static void string(ByteArrayOutputStream out, String text) throws IOException {
        out.write(0);
        out.write(text.length());
        out.write(text.getBytes(US_ASCII));
    }
}
