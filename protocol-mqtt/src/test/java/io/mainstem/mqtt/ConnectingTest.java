package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A CONNECT that comes to nothing leaves a session as it was. */
final class ConnectingTest {
    private static final int WILL = 4;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    @DisplayName("a CONNECT that is refused for its will topic, also with clean start, leaves the session as it was")
    void refusedForItsWill(int flags) throws IOException {
        AccessPolicy policy = policy("deny write mqtt-topic forbidden", "allow all");
        try (TestServer server = new TestServer(folder, TestServer.Setup.DEFAULT.with(() -> policy))) {
            leave(server);
            try (RawMqtt refused = new RawMqtt(server.address(), 5)) {
                refused.send(refused.connectHead(flags | WILL, 0, new Bytes())
                        .text("c")
                        .properties(new Bytes())
                        .text("forbidden")
                        .text("gone")
                        .packet(0x10));
                refused.expect(RawMqtt.CONNACK).u8();
                refused.expectClosed();
            }
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(client.openKept("c")).isTrue();
                assertThat(hears(client)).isTrue();
            }
        }
    }

    private static void leave(TestServer server) throws IOException {
        try (RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.openKept("c");
            assertThat(client.subscribed("t/1", 1)).isEqualTo(1);
            client.disconnect();
            client.expectClosed();
        }
    }

    /** Whether the client is subscribed to what it sends to. */
    private static boolean hears(RawMqtt client) throws IOException {
        client.publish("t/1", 1, 1, "hello");
        client.expectAnswer(RawMqtt.PUBACK);
        client.send(new byte[] {(byte) 0xC0, 0});
        client.expectAnswer(RawMqtt.PINGRESP);
        client.send(new byte[] {(byte) 0xC0, 0});
        return client.next().type() == RawMqtt.PUBLISH;
    }

    private static AccessPolicy policy(String... rules) {
        return AccessPolicy.of(Map.of(
                AccessPolicy.ANONYMOUS,
                List.of(rules).stream().map(AccessRule::parse).toList()));
    }
}
