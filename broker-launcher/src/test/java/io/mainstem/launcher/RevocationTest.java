package io.mainstem.launcher;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.mainstem.launcher.admin.BrokerUrl;
import io.mainstem.launcher.admin.ManagementClient;
import io.mainstem.launcher.security.UserList;
import io.mainstem.launcher.security.UsersFile;
import io.mainstem.routing.access.AccessRule;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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

    private static EmbeddedBroker broker() {
        EmbeddedBroker.Builder builder = EmbeddedBroker.builder().set("security.password-iterations", "4096");
        for (String user : List.of("alice", "bob", "carol")) {
            builder.user(user, "secret");
        }
        return builder.start();
    }

    private static ManagementClient connect(EmbeddedBroker broker, String user) {
        return ManagementClient.connect(BrokerUrl.parse(broker.uri().toString()), user, "secret");
    }

    private static List<String> users(ManagementClient client) {
        Map<?, ?> page = (Map<?, ?>) client.ask("GET", "/connections?limit=100", null);
        return ((List<?>) page.get("items"))
                .stream().map(each -> (String) ((Map<?, ?>) each).get("user")).toList();
    }

    /** A client of MQTT 3.1.1, connected. */
    private static Socket mqtt(EmbeddedBroker broker, String user) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        string(body, "MQTT");
        body.write(new byte[] {4, (byte) 0xC2, 0, 0}); // level; user name, password, clean session; no keep alive
        string(body, "client-of-" + user);
        string(body, user);
        string(body, "secret");
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
