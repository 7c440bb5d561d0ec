package io.mainstem.mqtt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.Received;
import io.mainstem.transport.security.Authenticator;
import io.mainstem.transport.security.LoginPolicy;
import io.mainstem.transport.security.LoginThrottle;
import io.mainstem.transport.security.PasswordChecks;
import io.mainstem.transport.security.ScramClient;
import io.mainstem.transport.security.ScramHash;
import io.mainstem.transport.security.UserAuthenticator;
import io.mainstem.transport.security.Users;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Enhanced authentication (4.12): SCRAM in AUTH packets, at the beginning and again. */
final class AuthenticationTest {
    private static final int CONTINUE = 0x18;
    private static final int AGAIN = 0x19;
    private static final int ITERATIONS = 4096;

    @TempDir
    Path folder;

    private final PasswordChecks checks = new PasswordChecks();
    private int nonces;

    @AfterEach
    void close() {
        checks.close();
    }

    private TestServer server() throws IOException {
        Users users = new Users(
                Map.of(
                        "alice", Users.verifiers("secret".toCharArray(), new byte[16], ITERATIONS),
                        "bob", Users.verifiers("other".toCharArray(), new byte[16], ITERATIONS)),
                new byte[] {1});
        Authenticator authenticator = new UserAuthenticator(
                () -> users,
                LoginPolicy.DEFAULT,
                new LoginThrottle(100, 60_000, 0, System::nanoTime),
                checks,
                new SecureRandom());
        return new TestServer(folder, TestServer.Setup.DEFAULT.with(authenticator));
    }

    private ScramClient scram(ScramHash hash, String user, String password) {
        return new ScramClient(hash, user, password, "nonce" + nonces++);
    }

    @ParameterizedTest
    @EnumSource(ScramHash.class)
    @DisplayName(
            "[MQTT-4.12.0-2] [MQTT-4.12.0-3] [MQTT-4.12.0-5] a client is let in by SCRAM, and finds that the server"
                    + " knows its password")
    void letIn(ScramHash hash) throws IOException {
        try (TestServer server = server();
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            ScramClient scram = scram(hash, "alice", "secret");
            connect(client, hash.mechanism(), scram.first());
            client.send(auth(CONTINUE, hash.mechanism(), scram.last(challenge(client, hash.mechanism()))));

            Received connack = client.expect(RawMqtt.CONNACK);
            assertThat(connack.u8()).isZero();
            assertThat(connack.u8()).isZero();
            List<String> properties = connack.properties();
            assertThat(properties).contains("15=" + hash.mechanism());
            assertThat(scram.verifies(data(properties))).isTrue();
            client.expectNothing();
        }
    }

    @Test
    @DisplayName("[MQTT-4.12.0-4] a wrong password is answered with CONNACK 0x87 and the end")
    void wrongPassword() throws IOException {
        try (TestServer server = server();
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            ScramClient scram = scram(ScramHash.SHA_256, "alice", "wrong");
            connect(client, "SCRAM-SHA-256", scram.first());
            client.send(auth(CONTINUE, "SCRAM-SHA-256", scram.last(challenge(client, "SCRAM-SHA-256"))));

            assertThat(client.expectClosed()).isEqualTo(0x87);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "EXTERNAL", "SCRAM-SHA-1", "ANONYMOUS", ""})
    @DisplayName("[MQTT-4.12.0-1] a method that is not offered is answered with CONNACK 0x8C and the end")
    void unknownMethod(String method) throws IOException {
        try (TestServer server = server();
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            connect(client, method, new byte[0]);

            assertThat(client.expectClosed()).isEqualTo(0x8C);
        }
    }

    @Test
    @DisplayName("[MQTT-3.1.2-30] before CONNACK only AUTH and DISCONNECT may follow")
    void nothingElseBeforeConnack() throws IOException {
        try (TestServer server = server();
                RawMqtt hasty = new RawMqtt(server.address(), 5);
                RawMqtt leaving = new RawMqtt(server.address(), 5)) {
            connect(
                    hasty,
                    "SCRAM-SHA-256",
                    scram(ScramHash.SHA_256, "alice", "secret").first());
            challenge(hasty, "SCRAM-SHA-256");
            hasty.publish("t", 0, 0, "too early");
            assertThat(hasty.expectClosed()).isEqualTo(0x82);

            connect(
                    leaving,
                    "SCRAM-SHA-256",
                    scram(ScramHash.SHA_256, "alice", "secret").first());
            challenge(leaving, "SCRAM-SHA-256");
            leaving.disconnect();
            assertThat(leaving.expectClosed()).isEqualTo(-1);
        }
    }

    @Test
    @DisplayName("[MQTT-4.12.1-1] a connected client shows again who it is, and publishes meanwhile")
    void again() throws IOException {
        try (TestServer server = server();
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            open(client);
            for (int round = 1; round <= 2; round++) {
                ScramClient scram = scram(ScramHash.SHA_256, "alice", "secret");
                client.send(auth(AGAIN, "SCRAM-SHA-256", scram.first()));
                byte[] challenge = challenge(client, "SCRAM-SHA-256");
                client.publish("t", 1, round, "meanwhile");
                assertThat(client.expectAck(RawMqtt.PUBACK, round)).isEqualTo(0x10);
                client.send(auth(CONTINUE, "SCRAM-SHA-256", scram.last(challenge)));

                Received done = client.expect(RawMqtt.AUTH);
                assertThat(done.u8()).isZero();
                assertThat(scram.verifies(data(done.properties()))).isTrue();
            }
        }
    }

    @Test
    @DisplayName("[MQTT-4.12.1-2] who cannot show it again, or is another user now, is disconnected with 0x87")
    void notAgain() throws IOException {
        try (TestServer server = server()) {
            for (ScramClient scram :
                    List.of(scram(ScramHash.SHA_256, "alice", "wrong"), scram(ScramHash.SHA_256, "bob", "other"))) {
                try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                    open(client);
                    client.send(auth(AGAIN, "SCRAM-SHA-256", scram.first()));
                    client.send(auth(CONTINUE, "SCRAM-SHA-256", scram.last(challenge(client, "SCRAM-SHA-256"))));

                    assertThat(client.expectClosed()).isEqualTo(0x87);
                }
            }
        }
    }

    @Test
    @DisplayName(
            "AUTH at a moment, with a method or with a reason code that is not allowed ends the connection with 0x82")
    void protocolErrors() throws IOException {
        byte[] first = scram(ScramHash.SHA_256, "alice", "secret").first();
        List<byte[]> wrong = List.of(
                auth(CONTINUE, "SCRAM-SHA-256", first),
                auth(AGAIN, "SCRAM-SHA-512", first),
                auth(0, "SCRAM-SHA-256", first),
                new Bytes().u8(AGAIN).properties(new Bytes()).packet(0xF0),
                new byte[] {(byte) 0xF0, 0});
        try (TestServer server = server()) {
            for (byte[] packet : wrong) {
                try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                    open(client);
                    client.send(packet);

                    assertThat(client.expectClosed()).isEqualTo(0x82);
                }
            }
        }
    }

    @Test
    @DisplayName("[MQTT-4.12.0-6] [MQTT-4.12.0-7] no method in CONNECT: no AUTH from either side")
    void withoutMethod() throws IOException {
        try (TestServer server = server();
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.send(client.connectHead(0xC2, 0, new Bytes())
                    .text("plain")
                    .text("alice")
                    .text("secret")
                    .packet(0x10));
            Received connack = client.expect(RawMqtt.CONNACK);
            connack.u16();
            assertThat(connack.properties()).noneMatch(each -> each.startsWith("15=") || each.startsWith("16="));
            client.send(auth(AGAIN, "SCRAM-SHA-256", new byte[0]));

            assertThat(client.expectClosed()).isEqualTo(0x82);
        }
    }

    private void open(RawMqtt client) throws IOException {
        ScramClient scram = scram(ScramHash.SHA_256, "alice", "secret");
        connect(client, "SCRAM-SHA-256", scram.first());
        client.send(auth(CONTINUE, "SCRAM-SHA-256", scram.last(challenge(client, "SCRAM-SHA-256"))));
        Received connack = client.expect(RawMqtt.CONNACK);
        assertThat(connack.u16()).isZero();
    }

    private static void connect(RawMqtt client, String method, byte[] data) throws IOException {
        Bytes properties = new Bytes().u8(0x15).text(method).u8(0x16).binary(data);
        client.connect("c", true, properties);
    }

    private static byte[] auth(int reason, String method, byte[] data) {
        return new Bytes()
                .u8(reason)
                .properties(new Bytes().u8(0x15).text(method).u8(0x16).binary(data))
                .packet(0xF0);
    }

    /** The data of an AUTH that wants to be answered. */
    private static byte[] challenge(RawMqtt client, String method) throws IOException {
        Received auth = client.expect(RawMqtt.AUTH);
        assertThat(auth.u8()).isEqualTo(CONTINUE);
        List<String> properties = auth.properties();
        assertThat(properties).contains("15=" + method);
        byte[] data = data(properties);
        assertThat(new String(data, UTF_8)).startsWith("r=nonce");
        return data;
    }

    private static byte[] data(List<String> properties) {
        return properties.stream()
                .filter(each -> each.startsWith("16="))
                .map(each -> HexFormat.of().parseHex(each.substring(3)))
                .findFirst()
                .orElseThrow();
    }
}
