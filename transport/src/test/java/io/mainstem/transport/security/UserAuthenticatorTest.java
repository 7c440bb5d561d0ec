package io.mainstem.transport.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.transport.Peer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which ways in there are for whom, and who gets through them. */
final class UserAuthenticatorTest {
    private static final Peer LOCAL = peer("127.0.0.1", false);
    private static final Peer REMOTE = peer("192.0.2.1", false);
    private static final Peer REMOTE_TLS = peer("192.0.2.1", true);

    private final PasswordChecks checks = new PasswordChecks();
    private Users users = new Users(Map.of(), new byte[] {1});

    @AfterEach
    void close() {
        checks.close();
    }

    private static Peer peer(String address, boolean encrypted) {
        InetAddress host = new InetSocketAddress(address, 1).getAddress();
        return new Peer(host, address + ":1", host.isLoopbackAddress(), encrypted, null);
    }

    private Authenticator authenticator(LoginPolicy policy) {
        return new UserAuthenticator(
                () -> users, policy, new LoginThrottle(3, 60_000, 0, System::nanoTime), checks, new SecureRandom());
    }

    private void addAlice() {
        users = new Users(Map.of("alice", Users.verifiers("secret".toCharArray(), new byte[16], 4096)), new byte[] {1});
    }

    private static Verdict login(Authenticator authenticator, Peer peer, String user, String password) {
        return authenticator
                .login(peer, user, password.getBytes(UTF_8))
                .toCompletableFuture()
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    private static String userOf(Verdict verdict) {
        return verdict instanceof Verdict.Granted granted ? granted.user() : "refused";
    }

    @Test
    void withoutUsersThisMachineComesInUnderAnyNameAndNobodyElse() {
        Authenticator open = authenticator(LoginPolicy.DEFAULT);

        assertThat(open.mechanisms(LOCAL)).containsExactly("PLAIN", "ANONYMOUS");
        assertThat(open.allowsAnonymous(LOCAL)).isTrue();
        assertThat(userOf(login(open, LOCAL, "anyone", "at all"))).isEqualTo("anyone");
        assertThat(open.mechanisms(REMOTE_TLS)).isEmpty();
        assertThat(open.allowsAnonymous(REMOTE_TLS)).isFalse();
        assertThat(userOf(login(open, REMOTE_TLS, "anyone", "at all"))).isEqualTo("refused");
    }

    @Test
    void theFirstUserClosesTheDoorForThoseWithoutPassword() {
        addAlice();
        Authenticator closed = authenticator(LoginPolicy.DEFAULT);

        assertThat(closed.mechanisms(LOCAL)).containsExactly("SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN");
        assertThat(closed.allowsAnonymous(LOCAL)).isFalse();
        assertThat(userOf(login(closed, LOCAL, "alice", "secret"))).isEqualTo("alice");
        assertThat(userOf(login(closed, LOCAL, "alice", "wrong"))).isEqualTo("refused");
        assertThat(userOf(login(closed, LOCAL, "bob", "secret"))).isEqualTo("refused");
        assertThat(userOf(login(closed, LOCAL, "alice", ""))).isEqualTo("refused");
    }

    @Test
    void aPasswordInTheClearIsForThisMachineUnlessAllowedByName() {
        addAlice();
        Authenticator strict = authenticator(LoginPolicy.DEFAULT);
        Authenticator lenient =
                authenticator(new LoginPolicy(LoginPolicy.Anonymous.AUTO, LoginPolicy.PlainText.EVERYBODY));

        assertThat(strict.mechanisms(REMOTE)).containsExactly("SCRAM-SHA-512", "SCRAM-SHA-256");
        assertThat(userOf(login(strict, REMOTE, "alice", "secret"))).isEqualTo("refused");
        assertThat(strict.mechanisms(REMOTE_TLS)).contains("PLAIN");
        assertThat(userOf(login(strict, REMOTE_TLS, "alice", "secret"))).isEqualTo("alice");
        assertThat(lenient.mechanisms(REMOTE)).contains("PLAIN");
        assertThat(userOf(login(lenient, REMOTE, "alice", "secret"))).isEqualTo("alice");
    }

    @ParameterizedTest
    @CsvSource({"AUTO, false, false", "NOBODY, false, false", "LOOPBACK, true, false", "EVERYBODY, true, true"})
    void anonymousIsForWhomTheConfigurationSaysOnceThereAreUsers(
            LoginPolicy.Anonymous anonymous, boolean local, boolean remote) {
        addAlice();
        Authenticator authenticator = authenticator(new LoginPolicy(anonymous, LoginPolicy.PlainText.LOOPBACK));

        assertThat(authenticator.allowsAnonymous(LOCAL)).isEqualTo(local);
        assertThat(authenticator.mechanisms(LOCAL).contains("ANONYMOUS")).isEqualTo(local);
        assertThat(authenticator.allowsAnonymous(REMOTE_TLS)).isEqualTo(remote);
    }

    @Test
    void aMechanismThatWasNotOfferedIsRefused() {
        addAlice();
        Authenticator authenticator = authenticator(LoginPolicy.DEFAULT);

        for (String mechanism : List.of("ANONYMOUS", "EXTERNAL", "CRAM-MD5", "")) {
            SaslStep step = authenticator
                    .begin(mechanism, LOCAL)
                    .respond(new byte[0])
                    .toCompletableFuture()
                    .join();
            assertThat(step).as(mechanism).isInstanceOf(Verdict.Refused.class);
        }
    }

    @Test
    void whoGuessesTooOftenIsHeldOffAndLearnsNothingFromPasswordsThatAreKnown() {
        addAlice();
        Authenticator authenticator = authenticator(LoginPolicy.DEFAULT);
        login(authenticator, LOCAL, "alice", "secret");

        for (int i = 0; i < 3; i++) {
            assertThat(((Verdict.Refused) login(authenticator, LOCAL, "alice", "guess" + i)).temporary())
                    .isFalse();
        }

        assertThat(((Verdict.Refused) login(authenticator, LOCAL, "alice", "guess")).temporary())
                .isTrue();
        // The right one would be an answer, too, and one that costs no hash; its owner elsewhere is not held off.
        assertThat(((Verdict.Refused) login(authenticator, LOCAL, "alice", "secret")).temporary())
                .isTrue();
        assertThat(userOf(login(authenticator, REMOTE_TLS, "alice", "secret"))).isEqualTo("alice");
    }

    @Test
    void fortyRightLoginsFromOneAddressAtOnceAllComeIn() {
        addAlice();
        Authenticator authenticator = authenticator(LoginPolicy.DEFAULT);

        List<CompletableFuture<Verdict>> logins = Stream.generate(() -> authenticator
                        .login(LOCAL, "alice", "secret".getBytes(UTF_8))
                        .toCompletableFuture())
                .limit(40)
                .toList();

        for (CompletableFuture<Verdict> each : logins) {
            assertThat(userOf(each.orTimeout(60, TimeUnit.SECONDS).join())).isEqualTo("alice");
        }
    }

    @Test
    void guessesInParallelAreNoMoreThanGuessesOneAfterTheOther() {
        addAlice();
        Authenticator authenticator = authenticator(LoginPolicy.DEFAULT);

        List<CompletableFuture<Verdict>> guesses = IntStream.range(0, 400)
                .mapToObj(i -> authenticator
                        .login(LOCAL, "alice", ("guess" + i).getBytes(UTF_8))
                        .toCompletableFuture())
                .toList();

        long checked = guesses.stream()
                .map(each ->
                        (Verdict.Refused) each.orTimeout(60, TimeUnit.SECONDS).join())
                .filter(each -> !each.temporary())
                .count();
        assertThat(checked).isEqualTo(3);
    }

    @Test
    void aPasswordThatWasChangedIsNotKnownAnyMore() {
        addAlice();
        Authenticator authenticator = authenticator(LoginPolicy.DEFAULT);
        login(authenticator, LOCAL, "alice", "secret");
        users = new Users(
                Map.of("alice", Users.verifiers("changed".toCharArray(), new byte[16], 4096)), new byte[] {1});

        assertThat(userOf(login(authenticator, LOCAL, "alice", "secret"))).isEqualTo("refused");
        assertThat(userOf(login(authenticator, LOCAL, "alice", "changed"))).isEqualTo("alice");
    }

    @Test
    void aUserWithOnlyOneHashLogsInByPasswordWhicheverItIs() {
        for (ScramHash hash : ScramHash.values()) {
            ScramVerifier verifier = ScramVerifier.derive(hash, "secret".toCharArray(), new byte[16], 4096);
            users = new Users(Map.of("alice", Map.of(hash, verifier), "card", Map.of()), new byte[] {1});
            Authenticator authenticator = authenticator(LoginPolicy.DEFAULT);

            assertThat(userOf(login(authenticator, LOCAL, "alice", "secret"))).isEqualTo("alice");
            assertThat(userOf(login(authenticator, LOCAL, "alice", "wrong"))).isEqualTo("refused");
            assertThat(userOf(login(authenticator, LOCAL, "card", "secret"))).isEqualTo("refused");
        }
    }

    @Test
    void namesThatDoNotExistDoNotCostAWalkOverAllUsers() {
        AtomicInteger looks = new AtomicInteger();
        Map<ScramHash, ScramVerifier> counting =
                new EnumMap<>(Users.verifiers("secret".toCharArray(), new byte[16], 5000)) {
                    @Override
                    public ScramVerifier get(Object hash) {
                        looks.incrementAndGet();
                        return super.get(hash);
                    }
                };
        users = new Users(Map.of("alice", counting), new byte[] {1});
        int before = looks.get();

        assertThat(users.verifier("nobody", ScramHash.SHA_512).iterations()).isEqualTo(5000);
        assertThat(users.passwordVerifier("nobody").iterations()).isEqualTo(5000);
        assertThat(looks).hasValue(before);
    }
}
