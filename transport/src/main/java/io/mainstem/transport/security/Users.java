package io.mainstem.transport.security;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Everybody who may come in, at one moment. Immutable. Thread: any. */
public final class Users {
    /** Of passwords that are set now. */
    public static final int ITERATIONS_DEFAULT = 120_000;

    private static final int SALT_BYTES = 16;

    private final Map<String, Map<ScramHash, ScramVerifier>> byName;
    private final byte[] decoyKey;
    private final boolean closed;
    // Kept, because every login of a name that does not exist asks for them, on an event loop.
    private final Map<ScramHash, Integer> usualIterations = new EnumMap<>(ScramHash.class);
    private final ScramHash usualHash;

    /**
     * @param byName the verifiers of each user by hash; none for a user who comes by certificate only
     * @param decoyKey secret of this set of users, from which the salts of those who do not exist are made
     */
    public Users(Map<String, Map<ScramHash, ScramVerifier>> byName, byte[] decoyKey) {
        this(byName, decoyKey, false);
    }

    private Users(Map<String, Map<ScramHash, ScramVerifier>> byName, byte[] decoyKey, boolean closed) {
        this.closed = closed;
        this.byName = Map.copyOf(byName);
        this.decoyKey = decoyKey.clone();
        for (ScramHash hash : ScramHash.values()) {
            usualIterations.put(hash, usualIterations(hash));
        }
        this.usualHash = usualHash();
    }

    /** The verifiers of each user by hash; unmodifiable. */
    public Map<String, Map<ScramHash, ScramVerifier>> byName() {
        return byName;
    }

    /** True if nobody has to say who he is: there are no users, and there have been none. */
    public boolean isEmpty() {
        return byName.isEmpty() && !closed;
    }

    /** Nobody, where there were users before: nobody gets in by name, instead of everybody without one. */
    public Users closed() {
        return new Users(Map.of(), decoyKey, true);
    }

    public boolean contains(String user) {
        return byName.containsKey(user);
    }

    /**
     * The user's verifier, or one that nobody's password matches. It always has the same salt for the same name and the
     * iterations most users have, so that nothing about it tells that the user does not exist.
     */
    ScramVerifier verifier(String user, ScramHash hash) {
        @Nullable ScramVerifier real = byName.getOrDefault(user, Map.of()).get(hash);
        return real == null ? decoy(user, hash) : real;
    }

    /** The verifier to hold the user's password against, of whichever hash there is; or one that none matches. */
    ScramVerifier passwordVerifier(String user) {
        ScramHash hash = passwordHash(byName.getOrDefault(user, Map.of()));
        return verifier(user, hash == null ? usualHash : hash);
    }

    private static @Nullable ScramHash passwordHash(Map<ScramHash, ScramVerifier> verifiers) {
        if (verifiers.containsKey(ScramHash.SHA_256)) {
            return ScramHash.SHA_256;
        }
        return verifiers.containsKey(ScramHash.SHA_512) ? ScramHash.SHA_512 : null;
    }

    /** The one most passwords are checked by: a check for nobody must not take another time. */
    private ScramHash usualHash() {
        int lead = 0;
        for (Map<ScramHash, ScramVerifier> verifiers : byName.values()) {
            ScramHash hash = passwordHash(verifiers);
            lead += hash == null ? 0 : hash == ScramHash.SHA_256 ? 1 : -1;
        }
        return lead >= 0 ? ScramHash.SHA_256 : ScramHash.SHA_512;
    }

    private ScramVerifier decoy(String user, ScramHash hash) {
        byte[] seed = hash.hmac(decoyKey, user.getBytes(StandardCharsets.UTF_8));
        byte[] stored = hash.hmac(seed, new byte[] {1});
        byte[] server = hash.hmac(seed, new byte[] {2});
        return new ScramVerifier(
                hash,
                usualIterations.getOrDefault(hash, ITERATIONS_DEFAULT),
                Arrays.copyOf(seed, SALT_BYTES),
                stored,
                server);
    }

    private int usualIterations(ScramHash hash) {
        Map<Integer, Integer> users = new HashMap<>();
        for (Map<ScramHash, ScramVerifier> verifiers : byName.values()) {
            ScramVerifier verifier = verifiers.get(hash);
            if (verifier != null) {
                users.merge(verifier.iterations(), 1, Integer::sum);
            }
        }
        return users.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(ITERATIONS_DEFAULT);
    }

    /** The verifiers of a new password: one of each hash. */
    public static Map<ScramHash, ScramVerifier> verifiers(char[] password, byte[] salt, int iterations) {
        Map<ScramHash, ScramVerifier> verifiers = new EnumMap<>(ScramHash.class);
        for (ScramHash hash : ScramHash.values()) {
            verifiers.put(hash, ScramVerifier.derive(hash, password, salt, iterations));
        }
        return verifiers;
    }
}
