package io.mainstem.transport.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server of SCRAM, held against RFC 5802 and the example of RFC 7677. */
final class ScramTest {
    private static final String CLIENT_NONCE = "rOprNGfwEbeRWgbNEkqO";
    private static final String SERVER_NONCE = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    private static final byte[] SALT = Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
    private static final Users USERS =
            new Users(Map.of("user", Users.verifiers("pencil".toCharArray(), SALT, 4096)), "decoy".getBytes(UTF_8));

    @Test
    @DisplayName("RFC 7677, 3: the example, letter by letter")
    void theExampleOfTheStandard() {
        ScramExchange exchange = exchange();

        assertThat(text(exchange, "n,,n=user,r=" + CLIENT_NONCE))
                .isEqualTo("r=" + CLIENT_NONCE + SERVER_NONCE + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
        Verdict.Granted granted = (Verdict.Granted) answer(
                exchange,
                "c=biws,r=" + CLIENT_NONCE + SERVER_NONCE + ",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
        assertThat(granted.user()).isEqualTo("user");
        assertThat(new String(granted.proof(), UTF_8)).isEqualTo("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    }

    @Test
    @DisplayName("RFC 5802, 5: a client that sends nothing first is asked with an empty challenge")
    void anEmptyFirstMessageIsAskedFor() {
        ScramExchange exchange = exchange();

        assertThat(text(exchange, "")).isEmpty();
        assertThat(text(exchange, "n,,n=user,r=abc")).startsWith("r=abc");
    }

    @ParameterizedTest
    @DisplayName("RFC 5802, 7: what the grammar does not allow, or needs channel binding or an extension, is refused")
    @ValueSource(
            strings = {
                "n=user,r=abc",
                "p=tls-unique,,n=user,r=abc",
                "n,,n=,r=abc",
                "n,,n=us=er,r=abc",
                "n,,n=user,r=",
                "n,,m=must,n=user,r=abc",
                "n,a=other,n=user,r=abc",
                "x,,n=user,r=abc",
                "n,,n=user,r=a c",
                "\uFFFD"
            })
    void malformedFirstMessages(String first) {
        assertThat(answer(exchange(), first)).isInstanceOf(Verdict.Refused.class);
    }

    @Test
    @DisplayName("RFC 5802, 5.1: =2C and =3D stand for a comma and an equals sign")
    void escapedNames() {
        Users users = new Users(
                Map.of("a,b=c", Users.verifiers("pencil".toCharArray(), SALT, 5000)), "decoy".getBytes(UTF_8));
        ScramExchange exchange = new ScramExchange(ScramHash.SHA_256, users, SERVER_NONCE, new OpenGate());

        assertThat(text(exchange, "n,a=a=2Cb=3Dc,n=a=2Cb=3Dc,r=abc")).endsWith(",i=5000");
    }

    @ParameterizedTest
    @DisplayName("RFC 5802, 5: another nonce, another header, or a wrong proof is refused")
    @ValueSource(
            strings = {
                "c=biws,r=rOprNGfwEbeRWgbNEkqO,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
                "c=eSws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
                "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
                "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=AAAA",
                "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0",
                ""
            })
    void wrongFinalMessages(String last) {
        ScramExchange exchange = exchange();
        answer(exchange, "n,,n=user,r=" + CLIENT_NONCE);

        assertThat(answer(exchange, last)).isInstanceOf(Verdict.Refused.class);
    }

    @Test
    @DisplayName("who does not exist gets a salt, always the same, and the usual iterations")
    void strangersLookLikeUsers() {
        String once = text(exchange(), "n,,n=stranger,r=abc");
        String again = text(exchange(), "n,,n=stranger,r=abc");
        String other = text(exchange(), "n,,n=another,r=abc");

        assertThat(once).isEqualTo(again).isNotEqualTo(other).endsWith(",i=4096");
        assertThat(once).hasSameSizeAs(text(exchange(), "n,,n=user,r=abc"));
    }

    @Test
    void aVerifierComesBackFromItsText() {
        for (ScramVerifier verifier : USERS.byName().get("user").values()) {
            ScramVerifier read = ScramVerifier.parse(verifier.text());

            assertThat(read.text()).isEqualTo(verifier.text());
            assertThat(read.matches("pencil".toCharArray())).isTrue();
            assertThat(read.matches("pencil2".toCharArray())).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "pencil",
                "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$AAAA:AAAA",
                "SCRAM-SHA-1$4096:W22ZaJ0SNY7soEsUEjb6gQ==$AAAA:AAAA"
            })
    void whatIsNoVerifierIsRefused(String text) {
        assertThatThrownBy(() -> ScramVerifier.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    private static ScramExchange exchange() {
        return new ScramExchange(ScramHash.SHA_256, USERS, SERVER_NONCE, new OpenGate());
    }

    private static SaslStep answer(ScramExchange exchange, String message) {
        byte[] bytes = message.equals("\uFFFD") ? new byte[] {(byte) 0xff} : message.getBytes(UTF_8);
        return exchange.respond(bytes).toCompletableFuture().join();
    }

    private static String text(ScramExchange exchange, String message) {
        return new String(((SaslStep.Challenge) answer(exchange, message)).message(), UTF_8);
    }

    private static final class OpenGate implements ScramExchange.Gate {
        @Override
        public CompletionStage<Boolean> pass() {
            return CompletableFuture.completedStage(true);
        }

        @Override
        public Verdict granted(String user, byte[] proof) {
            return new Verdict.Granted(user, proof);
        }

        @Override
        public Verdict refused(@Nullable String user, String reason) {
            return new Verdict.Refused(false, reason);
        }

        @Override
        public Verdict throttled() {
            return new Verdict.Refused(true, "throttled");
        }
    }
}
