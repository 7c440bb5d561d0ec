package io.mainstem.transport.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The client of SCRAM, held against the example of RFC 7677. */
final class ScramClientTest {
    private static final String NONCE = "rOprNGfwEbeRWgbNEkqO";
    private static final String BOTH = NONCE + "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";

    private final ScramClient client = new ScramClient(ScramHash.SHA_256, "user", "pencil", NONCE);

    @Test
    @DisplayName("RFC 7677, 3: the example, letter by letter; RFC 5802, 5.1: another signature is not the server's")
    void theExampleOfTheStandard() {
        assertThat(new String(client.first(), UTF_8)).isEqualTo("n,,n=user,r=" + NONCE);
        assertThat(new String(client.last(utf8("r=" + BOTH + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096")), UTF_8))
                .isEqualTo("c=biws,r=" + BOTH + ",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
        assertThat(client.verifies(utf8("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")))
                .isTrue();
        assertThat(client.verifies(utf8("v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")))
                .isFalse();
        assertThat(client.verifies(new byte[0])).isFalse();
    }

    @ParameterizedTest
    @DisplayName("RFC 5802, 5.1 and 9: another nonce, too few or too many iterations, or no SCRAM at all gets no proof")
    @ValueSource(
            strings = {
                "r=" + NONCE + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
                "r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
                "r=" + BOTH + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=1",
                "r=" + BOTH + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=99999999",
                "m=must,r=" + BOTH + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
                "r=" + BOTH + ",s====,i=4096",
                ""
            })
    void answersThatGetNoProof(String serverFirst) {
        assertThat(client.last(utf8(serverFirst))).isNull();
        assertThat(client.verifies(utf8("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")))
                .isFalse();
    }

    @Test
    @DisplayName("RFC 5802, 5.1: a comma and an equals sign of a name are escaped")
    void escapedNames() {
        assertThat(new String(new ScramClient(ScramHash.SHA_512, "a,b=c", "x", "n").first(), UTF_8))
                .isEqualTo("n,,n=a=2Cb=3Dc,r=n");
    }

    @Test
    void theStrongerHashIsTaken() {
        assertThat(ScramClient.strongest(List.of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")))
                .isEqualTo(ScramHash.SHA_512);
        assertThat(ScramClient.strongest(List.of("PLAIN", "SCRAM-SHA-1"))).isNull();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(UTF_8);
    }
}
