package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.Received;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import io.mainstem.transport.Listener;
import io.mainstem.transport.TestCertificate;
import io.mainstem.transport.security.Authenticator;
import io.mainstem.transport.security.LoginPolicy;
import io.mainstem.transport.security.LoginThrottle;
import io.mainstem.transport.security.PasswordChecks;
import io.mainstem.transport.security.UserAuthenticator;
import io.mainstem.transport.security.Users;
import io.mainstem.transport.tls.TlsConfig;
import io.mainstem.transport.tls.TlsContext;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client's certificate says who it is. */
final class CertificateTest {
    @TempDir
    Path folder;

    private final PasswordChecks checks = new PasswordChecks();

    @AfterEach
    void close() {
        checks.close();
    }

    @Test
    @DisplayName("the common name of the certificate is the user, with its permissions; a user name may only repeat it")
    void certificateIsTheUser() throws IOException {
        TestCertificate own = TestCertificate.make(folder, "broker");
        TestCertificate alice = TestCertificate.make(folder, "alice");
        AccessPolicy policy =
                AccessPolicy.of(Map.of("alice", List.of(AccessRule.parse("allow all mqtt-topic dev/%u/%c/#"))));
        TestServer.Setup setup = TestServer.Setup.DEFAULT.with(() -> policy).with(users("alice"));
        try (TestServer server = new TestServer(folder.resolve("store"), setup);
                Listener listener = server.encrypted(asking(own, alice))) {
            try (RawMqtt client = client(listener, own, alice)) {
                client.open("c1", true);
                assertThat(client.subscribed("dev/alice/c1/#", 1)).isEqualTo(1);
                assertThat(client.subscribed("dev/alice/c2/#", 1)).isEqualTo(0x87);
                assertThat(client.subscribed("dev/bob/c1/#", 1)).isEqualTo(0x87);
            }
            try (RawMqtt client = client(listener, own, alice)) {
                assertThat(connect(client, "alice")).isZero();
            }
            try (RawMqtt client = client(listener, own, alice)) {
                assertThat(connect(client, "bob")).isEqualTo(0x86);
            }
        }
    }

    @Test
    @DisplayName("a certificate of somebody who is no user lets nobody in")
    void unknownUser() throws IOException {
        TestCertificate own = TestCertificate.make(folder, "broker");
        TestCertificate mallory = TestCertificate.make(folder, "mallory");
        try (TestServer server =
                        new TestServer(folder.resolve("store"), TestServer.Setup.DEFAULT.with(users("alice")));
                Listener listener = server.encrypted(asking(own, mallory));
                RawMqtt client = client(listener, own, mallory)) {
            client.connect("c", true, new Bytes());
            assertThat(client.expectClosed()).isEqualTo(0x86);
        }
    }

    private Authenticator users(String name) {
        Users users =
                new Users(Map.of(name, Users.verifiers("secret".toCharArray(), new byte[16], 4096)), new byte[] {1});
        return new UserAuthenticator(
                () -> users,
                LoginPolicy.DEFAULT,
                new LoginThrottle(100, 60_000, 0, System::nanoTime),
                checks,
                new SecureRandom());
    }

    private static TlsContext asking(TestCertificate own, TestCertificate authority) throws IOException {
        return TlsContext.open(
                new TlsConfig(
                        own.pkcs12(),
                        null,
                        own.passwordFile(),
                        TlsConfig.ClientCertificates.WANT,
                        authority.certificatePem()),
                InstantSource.system());
    }

    private static RawMqtt client(Listener listener, TestCertificate trusted, TestCertificate shown)
            throws IOException {
        return new RawMqtt(
                trusted.trusting(shown)
                        .getSocketFactory()
                        .createSocket(
                                listener.address().getAddress(),
                                listener.address().getPort()),
                5);
    }

    private static int connect(RawMqtt client, String user) throws IOException {
        client.send(
                client.connectHead(0x82, 0, new Bytes()).text("c").text(user).packet(0x10));
        Received connack = client.expect(RawMqtt.CONNACK);
        connack.u8();
        return connack.u8();
    }
}
