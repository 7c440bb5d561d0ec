package io.mainstem.transport.security;

import io.mainstem.transport.Peer;
import io.mainstem.transport.PeerLog;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Checks peers against the users there are at the moment. Thread: any. */
public final class UserAuthenticator implements Authenticator {
    private static final PeerLog LOG = PeerLog.of(UserAuthenticator.class);
    private static final String PLAIN = "PLAIN";
    private static final String ANONYMOUS = "ANONYMOUS";
    private static final String EXTERNAL = "EXTERNAL";
    private static final int NONCE_BYTES = 24;
    private static final int NAME_SHOWN_MAX = 64;

    private final Supplier<Users> users;
    private final LoginPolicy policy;
    private final LoginTurns turns;
    private final PasswordChecks checks;
    private final SecureRandom random;
    private final KnownPasswords known;

    /**
     * @param users asked at every login
     * @param checks closed by the caller
     */
    public UserAuthenticator(
            Supplier<Users> users,
            LoginPolicy policy,
            LoginThrottle throttle,
            PasswordChecks checks,
            SecureRandom random) {
        this.users = users;
        this.policy = policy;
        this.turns = new LoginTurns(throttle, checks, LoginTurns.TURN_NANOS_MAX);
        this.checks = checks;
        this.random = random;
        byte[] key = new byte[NONCE_BYTES];
        random.nextBytes(key);
        this.known = new KnownPasswords(key);
    }

    /** For a broker that has no users: peers on this machine come in under any name, others do not. */
    public static Authenticator withoutUsers() {
        return new UserAuthenticator(
                () -> new Users(Map.of(), new byte[1]),
                LoginPolicy.DEFAULT,
                new LoginThrottle(1, 1_000, 0, System::nanoTime),
                new PasswordChecks(),
                new SecureRandom());
    }

    @Override
    public List<String> mechanisms(Peer peer) {
        boolean noUsers = users.get().isEmpty();
        List<String> offered = new ArrayList<>();
        if (peer.certificate() != null) {
            offered.add(EXTERNAL);
        }
        if (!noUsers) {
            offered.add(ScramHash.SHA_512.mechanism());
            offered.add(ScramHash.SHA_256.mechanism());
        }
        if (policy.anyPassword(peer, noUsers) || (!noUsers && policy.password(peer))) {
            offered.add(PLAIN);
        }
        if (policy.anonymous(peer, noUsers)) {
            offered.add(ANONYMOUS);
        }
        return offered;
    }

    @Override
    public boolean allowsAnonymous(Peer peer) {
        return policy.anonymous(peer, users.get().isEmpty());
    }

    @Override
    public SaslExchange begin(String mechanism, Peer peer) {
        if (!mechanisms(peer).contains(mechanism)) {
            return message -> CompletableFuture.completedStage(
                    refused(peer, null, mechanism, "mechanism not offered to this peer"));
        }
        ScramHash hash = ScramHash.of(mechanism);
        if (hash != null) {
            return new ScramExchange(hash, users.get(), nonce(), new ScramGate(peer, mechanism));
        }
        return switch (mechanism) {
            case PLAIN -> message -> plain(peer, message);
            case EXTERNAL -> message -> CompletableFuture.completedStage(external(peer, message));
            default -> message -> CompletableFuture.completedStage(new Verdict.Granted(null, new byte[0]));
        };
    }

    private String nonce() {
        byte[] bytes = new byte[NONCE_BYTES];
        random.nextBytes(bytes);
        return Base64.getEncoder().withoutPadding().encodeToString(bytes);
    }

    // ---- PLAIN -----------------------------------------------------------------------------------------------

    /** authzid NUL authcid NUL password (RFC 4616); who wants to act as somebody else is refused. */
    private CompletionStage<SaslStep> plain(Peer peer, byte[] message) {
        String text = SaslPrep.decode(message);
        String[] parts = text == null ? new String[0] : text.split("\0", -1);
        if (parts.length != 3 || parts[1].isEmpty()) {
            return CompletableFuture.completedStage(refused(peer, null, PLAIN, "malformed message"));
        }
        if (!parts[0].isEmpty() && !parts[0].equals(parts[1])) {
            return CompletableFuture.completedStage(refused(peer, parts[1], PLAIN, "wants to act as another user"));
        }
        return login(peer, parts[1], parts[2]).thenApply(verdict -> verdict);
    }

    @Override
    public CompletionStage<Verdict> login(Peer peer, String user, byte[] password) {
        String text = SaslPrep.decode(password);
        return text == null
                ? CompletableFuture.completedStage(refused(peer, user, PLAIN, "password is not UTF-8"))
                : login(peer, user, text);
    }

    private CompletionStage<Verdict> login(Peer peer, String givenName, String givenPassword) {
        Users now = users.get();
        if (policy.anyPassword(peer, now.isEmpty())) {
            return CompletableFuture.completedStage(new Verdict.Granted(givenName, new byte[0]));
        }
        if (!policy.password(peer)) {
            return CompletableFuture.completedStage(
                    refused(peer, givenName, PLAIN, "password over a connection that is not encrypted; use TLS"));
        }
        String user = SaslPrep.prepare(givenName);
        String password = SaslPrep.prepare(givenPassword);
        if (user == null || password == null) {
            return CompletableFuture.completedStage(
                    refused(peer, givenName, PLAIN, "name or password is empty or has control characters"));
        }
        return check(peer, now, user, password);
    }

    private CompletionStage<Verdict> check(Peer peer, Users now, String user, String password) {
        CompletableFuture<Verdict> verdict = new CompletableFuture<>();
        LoginTurns.Answer answer = turns.take(peer.address(), turn -> {
            if (turn == null) {
                verdict.complete(throttled(peer, PLAIN));
            } else {
                check(peer, now, user, password, turn, verdict);
            }
        });
        return switch (answer) {
            case TAKEN -> verdict;
            case THROTTLED -> CompletableFuture.completedStage(throttled(peer, PLAIN));
            case CROWDED -> CompletableFuture.completedStage(busy(peer, PLAIN));
        };
    }

    /** A password that was right a while ago spares the hash, not the turn: whoever guesses asks for known ones, too. */
    private void check(
            Peer peer,
            Users now,
            String user,
            String password,
            LoginTurns.Turn turn,
            CompletableFuture<Verdict> verdict) {
        ScramVerifier verifier = now.passwordVerifier(user);
        if (known.contains(user, password, verifier)) {
            turn.over();
            verdict.complete(new Verdict.Granted(user, new byte[0]));
            return;
        }
        boolean accepted = checks.submit(
                () -> {
                    if (verifier.matches(password.toCharArray())) {
                        known.add(user, password, verifier);
                        turn.over();
                        verdict.complete(new Verdict.Granted(user, new byte[0]));
                    } else {
                        turn.failed();
                        verdict.complete(
                                refused(peer, user, PLAIN, now.contains(user) ? "wrong password" : "no such user"));
                    }
                },
                0);
        if (!accepted) {
            turn.over();
            verdict.complete(busy(peer, PLAIN));
        }
    }

    // ---- EXTERNAL --------------------------------------------------------------------------------------------

    /** The name is in the certificate (RFC 4422, appendix A); the message may repeat it. */
    private Verdict external(Peer peer, byte[] message) {
        String user = peer.certificate() == null ? null : CertificateNames.commonName(peer.certificate());
        String actAs = SaslPrep.decode(message);
        if (user == null) {
            return refused(peer, null, EXTERNAL, "the certificate's subject has no common name");
        }
        if (actAs == null || !(actAs.isEmpty() || actAs.equals(user))) {
            return refused(peer, user, EXTERNAL, "wants to act as another user");
        }
        if (!users.get().contains(user)) {
            return refused(peer, user, EXTERNAL, "no such user");
        }
        return new Verdict.Granted(user, new byte[0]);
    }

    // ---- refusals --------------------------------------------------------------------------------------------

    private static Verdict refused(Peer peer, @Nullable String user, String mechanism, String reason) {
        String shown = user == null ? "" : user.substring(0, Math.min(user.length(), NAME_SHOWN_MAX));
        LOG.warn(
                "MS-0410",
                "MS-0410 login refused peer={} user=\"{}\" mechanism={} reason=\"{}\"",
                peer.text(),
                shown,
                mechanism.substring(0, Math.min(mechanism.length(), NAME_SHOWN_MAX)),
                reason);
        return new Verdict.Refused(false, reason);
    }

    private static Verdict throttled(Peer peer, String mechanism) {
        LOG.warn(
                "MS-0411",
                "MS-0411 login refused peer={} mechanism={} reason=\"too many failed logins from this address\"",
                peer.text(),
                mechanism);
        return new Verdict.Refused(true, "too many failed logins from this address");
    }

    private static Verdict busy(Peer peer, String mechanism) {
        LOG.warn(
                "MS-0412",
                "MS-0412 login refused peer={} mechanism={} reason=\"too many logins wait\"",
                peer.text(),
                mechanism);
        return new Verdict.Refused(true, "too many logins wait");
    }

    /** SCRAM's turn of the throttle; its hashes are cheap for the server, the slow one is the client's. */
    private final class ScramGate implements ScramExchange.Gate {
        private final Peer peer;
        private final String mechanism;
        private boolean crowded;
        private LoginTurns.@Nullable Turn turn;

        ScramGate(Peer peer, String mechanism) {
            this.peer = peer;
            this.mechanism = mechanism;
        }

        @Override
        public CompletionStage<Boolean> pass() {
            CompletableFuture<Boolean> passed = new CompletableFuture<>();
            LoginTurns.Answer answer = turns.take(peer.address(), begun -> {
                turn = begun;
                passed.complete(begun != null);
            });
            crowded = answer == LoginTurns.Answer.CROWDED;
            return answer == LoginTurns.Answer.TAKEN ? passed : CompletableFuture.completedStage(false);
        }

        @Override
        public Verdict throttled() {
            return crowded ? busy(peer, mechanism) : UserAuthenticator.throttled(peer, mechanism);
        }

        @Override
        public Verdict granted(String user, byte[] proof) {
            LoginTurns.Turn its = turn;
            if (its != null) {
                its.over();
            }
            return new Verdict.Granted(user, proof);
        }

        @Override
        public Verdict refused(@Nullable String user, String reason) {
            LoginTurns.Turn its = turn;
            if (its != null) {
                its.failed();
            }
            return UserAuthenticator.refused(peer, user, mechanism, reason);
        }
    }
}
