package io.mainstem.amqp.v1;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.transport.security.LoginPolicy;
import io.mainstem.transport.security.LoginThrottle;
import io.mainstem.transport.security.PasswordChecks;
import io.mainstem.transport.security.UserAuthenticator;
import io.mainstem.transport.security.Users;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.security.SaslChallenge;
import org.apache.qpid.proton.amqp.security.SaslCode;
import org.apache.qpid.proton.amqp.security.SaslInit;
import org.apache.qpid.proton.amqp.security.SaslMechanisms;
import org.apache.qpid.proton.amqp.security.SaslOutcome;
import org.apache.qpid.proton.amqp.security.SaslResponse;
import org.apache.qpid.proton.amqp.transport.Open;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The SASL layer of a broker that has users, frame by frame. */
final class SaslTest {
    private static final int ITERATIONS = 4096;
    private static final byte[] SALT = "0123456789abcdef".getBytes(UTF_8);

    @TempDir
    Path folder;

    private final PasswordChecks checks = new PasswordChecks();
    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        Users users = new Users(
                Map.of("alice", Users.verifiers("secret".toCharArray(), SALT, ITERATIONS)), "decoy".getBytes(UTF_8));
        server = new TestServer(
                folder,
                AmqpLimits.DEFAULT,
                new UserAuthenticator(
                        () -> users,
                        LoginPolicy.DEFAULT,
                        new LoginThrottle(100, 1_000, 0, System::nanoTime),
                        checks,
                        new SecureRandom()));
    }

    @AfterEach
    void stop() {
        server.close();
        checks.close();
    }

    @Test
    @DisplayName("part 5, 5.3.2: the strongest mechanism is offered first, and the SASL layer is not optional")
    void mechanisms() throws IOException {
        try (ScriptedPeer peer = sasl()) {
            assertThat(peer.expect(SaslMechanisms.class).getSaslServerMechanisms())
                    .containsExactly(
                            Symbol.valueOf("SCRAM-SHA-512"), Symbol.valueOf("SCRAM-SHA-256"), Symbol.valueOf("PLAIN"));
        }
        try (ScriptedPeer peer = new ScriptedPeer(server.address())) {
            peer.bytes(AmqpProtocol.AMQP_HEADER);
            assertThat(peer.readBytes(8)).isEqualTo(AmqpProtocol.SASL_HEADER);
            assertThat(peer.isClosedByPeer()).isTrue();
        }
    }

    @Test
    @DisplayName("RFC 4616: the right password comes in, with all that was sent ahead; a wrong one is outcome auth")
    void plain() throws IOException {
        try (ScriptedPeer peer = sasl()) {
            Open open = new Open();
            open.setContainerId("ahead");
            ByteArrayOutputStream ahead = new ByteArrayOutputStream();
            ahead.write(AmqpProtocol.AMQP_HEADER);
            ahead.write(peer.frame(0, open));
            peer.expect(SaslMechanisms.class);

            peer.sasl(init("PLAIN", "\0alice\0secret"));
            peer.bytes(ahead.toByteArray());

            assertThat(peer.expect(SaslOutcome.class).getCode()).isEqualTo(SaslCode.OK);
            assertThat(peer.readBytes(8)).isEqualTo(AmqpProtocol.AMQP_HEADER);
            assertThat(peer.expect(Open.class).getContainerId()).isEqualTo("mainstem");
        }
        for (String wrong : new String[] {"\0alice\0wrong", "\0bob\0secret", "bob\0alice\0secret", "\0alice\0"}) {
            try (ScriptedPeer peer = sasl()) {
                peer.expect(SaslMechanisms.class);
                peer.sasl(init("PLAIN", wrong));

                assertThat(peer.expect(SaslOutcome.class).getCode()).as(wrong).isEqualTo(SaslCode.AUTH);
                assertThat(peer.isClosedByPeer()).isTrue();
            }
        }
    }

    @Test
    @DisplayName("who has logged in and does not open yet is idle, not late; it is told when it is cut")
    void aLoginThatIsNotUsedYet() throws IOException {
        AmqpLimits limits = new AmqpLimits(4096, 8, 8, 1 << 20, 4 << 20, 10, 3_000);
        try (TestServer hasty = new TestServer(folder.resolve("hasty"), limits, UserAuthenticator.withoutUsers());
                ScriptedPeer peer = new ScriptedPeer(hasty.address())) {
            peer.bytes(AmqpProtocol.SASL_HEADER);
            peer.readBytes(8);
            peer.expect(SaslMechanisms.class);
            peer.sasl(init("ANONYMOUS", "anybody"));
            assertThat(peer.expect(SaslOutcome.class).getCode()).isEqualTo(SaslCode.OK);
            peer.bytes(AmqpProtocol.AMQP_HEADER);
            peer.readBytes(8);
            peer.expect(Open.class);
            assertThat(peer.closeError()).isEqualTo("amqp:resource-limit-exceeded");
        }
    }

    @Test
    @DisplayName("RFC 7677: SCRAM over the wire; the outcome brings the server's signature")
    void scram() throws Exception {
        for (int bits : new int[] {256, 512}) {
            try (ScriptedPeer peer = sasl()) {
                Scram scram = new Scram(bits, "secret");
                SaslOutcome outcome = scram.run(peer);

                assertThat(outcome.getCode()).isEqualTo(SaslCode.OK);
                assertThat(text(outcome.getAdditionalData())).isEqualTo("v=" + scram.serverSignature());
                peer.open("after scram");
            }
            try (ScriptedPeer peer = sasl()) {
                assertThat(new Scram(bits, "wrong").run(peer).getCode()).isEqualTo(SaslCode.AUTH);
                assertThat(peer.isClosedByPeer()).isTrue();
            }
        }
    }

    @Test
    @DisplayName("part 5, 5.3.3: a response before the init, or a second init, is a framing error")
    void framesOutOfTurn() throws IOException {
        SaslResponse response = new SaslResponse();
        response.setResponse(new Binary(new byte[0]));
        try (ScriptedPeer peer = sasl()) {
            peer.expect(SaslMechanisms.class);
            peer.sasl(response);
            assertThat(peer.isClosedByPeer()).isTrue();
        }
        try (ScriptedPeer peer = sasl()) {
            peer.expect(SaslMechanisms.class);
            peer.sasl(init("SCRAM-SHA-256", "n,,n=alice,r=abc"));
            peer.expect(SaslChallenge.class);
            peer.sasl(init("PLAIN", "\0alice\0secret"));
            assertThat(peer.isClosedByPeer()).isTrue();
        }
    }

    private ScriptedPeer sasl() throws IOException {
        ScriptedPeer peer = new ScriptedPeer(server.address());
        peer.bytes(AmqpProtocol.SASL_HEADER);
        peer.readBytes(8);
        return peer;
    }

    private static SaslInit init(String mechanism, String response) {
        SaslInit init = new SaslInit();
        init.setMechanism(Symbol.valueOf(mechanism));
        init.setInitialResponse(new Binary(response.getBytes(UTF_8)));
        return init;
    }

    private static String text(Binary binary) {
        return new String(binary.getArray(), binary.getArrayOffset(), binary.getLength(), UTF_8);
    }

    /** The client's side, written from the RFC alone. */
    private static final class Scram {
        private final int bits;
        private final byte[] salted;
        private String authMessage = "";

        Scram(int bits, String password) throws GeneralSecurityException {
            this.bits = bits;
            PBEKeySpec spec = new PBEKeySpec(password.toCharArray(), SALT, ITERATIONS, bits);
            this.salted = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA" + bits)
                    .generateSecret(spec)
                    .getEncoded();
        }

        SaslOutcome run(ScriptedPeer peer) throws Exception {
            peer.expect(SaslMechanisms.class);
            String bare = "n=alice,r=client";
            peer.sasl(init("SCRAM-SHA-" + bits, "n,," + bare));
            String serverFirst = text(peer.expect(SaslChallenge.class).getChallenge());
            assertThat(serverFirst).endsWith(",s=" + Base64.getEncoder().encodeToString(SALT) + ",i=" + ITERATIONS);
            String withoutProof = "c=biws," + serverFirst.substring(0, serverFirst.indexOf(",s="));
            authMessage = bare + "," + serverFirst + "," + withoutProof;
            byte[] clientKey = hmac(salted, "Client Key");
            byte[] proof = hmac(MessageDigest.getInstance("SHA-" + bits).digest(clientKey), authMessage);
            for (int i = 0; i < proof.length; i++) {
                proof[i] ^= clientKey[i];
            }
            SaslResponse response = new SaslResponse();
            response.setResponse(
                    new Binary((withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof)).getBytes(UTF_8)));
            peer.sasl(response);
            Arrays.fill(proof, (byte) 0);
            return peer.expect(SaslOutcome.class);
        }

        String serverSignature() throws GeneralSecurityException {
            return Base64.getEncoder().encodeToString(hmac(hmac(salted, "Server Key"), authMessage));
        }

        private byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
            Mac mac = Mac.getInstance("HmacSHA" + bits);
            mac.init(new SecretKeySpec(key, "HMAC"));
            return mac.doFinal(text.getBytes(UTF_8));
        }
    }
}
