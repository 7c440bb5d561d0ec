package io.mainstem.jms.amqp.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Keys that logins derive from passwords (RFC 5802, section 3)")
final class DerivedKeysTest {
    private static final byte[] SALT = "pepper".getBytes(StandardCharsets.UTF_8);

    private final DerivedKeys keys = new DerivedKeys();

    private byte[] derived(String password, byte[] salt, int rounds) throws Exception {
        return keys.saltedPassword("SHA256", password, salt, rounds)
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
    }

    @Test
    @DisplayName("RFC 7677: the salted password of its example")
    void example() throws Exception {
        byte[] salt = java.util.Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ==");
        assertThat(HexFormat.of().formatHex(derived("pencil", salt, 4096)))
                .isEqualTo("c4a49510323ab4f952cac1fa99441939e78ea74d6be81ddf7096e87513dc615d");
    }

    @Test
    @DisplayName("the second login with the same password, salt and rounds derives nothing; any other does")
    void once() throws Exception {
        byte[] first = derived("a", SALT, 4096);
        assertThat(derived("a", SALT.clone(), 4096)).isEqualTo(first);
        assertThat(keys.derivations()).isEqualTo(1);
        assertThat(derived("b", SALT, 4096)).isNotEqualTo(first);
        assertThat(derived("a", SALT, 4097)).isNotEqualTo(first);
        assertThat(derived("a", "salt".getBytes(StandardCharsets.UTF_8), 4096)).isNotEqualTo(first);
        assertThat(keys.saltedPassword("SHA512", "a", SALT, 4096)
                        .toCompletableFuture()
                        .get(60, TimeUnit.SECONDS))
                .hasSize(64);
        assertThat(keys.derivations()).isEqualTo(5);
    }

    @Test
    @DisplayName("logins at the same time wait for one derivation, which is not done on the thread that asks")
    void together() throws Exception {
        CompletableFuture<String> thread = new CompletableFuture<>();
        var first = keys.saltedPassword("SHA256", "a", SALT, 400_000);
        var unused = first.thenRun(() -> thread.complete(Thread.currentThread().getName()));
        assertThat(keys.saltedPassword("SHA256", "a", SALT, 400_000)).isSameAs(first);
        assertThat(thread.get(60, TimeUnit.SECONDS)).isEqualTo("mainstem-jms-login");
        assertThat(keys.derivations()).isEqualTo(1);
    }

    @Test
    @DisplayName("so many are kept; what was used last stays")
    void bounded() throws Exception {
        derived("first", SALT, 1);
        for (int i = 0; i < DerivedKeys.KEPT_MAX; i++) {
            derived("first", SALT, 1);
            derived("p" + i, SALT, 1);
        }
        assertThat(keys.derivations()).isEqualTo(DerivedKeys.KEPT_MAX + 1);
        derived("first", SALT, 1);
        assertThat(keys.derivations()).isEqualTo(DerivedKeys.KEPT_MAX + 1);
        derived("p0", SALT, 1);
        assertThat(keys.derivations()).isEqualTo(DerivedKeys.KEPT_MAX + 2);
    }

    @Test
    @DisplayName("a failure is told and not kept")
    void failures() throws Exception {
        assertThatThrownBy(() -> derived("a", new byte[0], 1)).isInstanceOf(ExecutionException.class);
        assertThatThrownBy(() -> derived("a", new byte[0], 1)).isInstanceOf(ExecutionException.class);
        assertThat(keys.derivations()).isEqualTo(2);
    }
}
