package io.mainstem.transport.security;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everybody who may come in, at one moment. Immutable.
 *
 * @param byName the verifiers of each user by hash; none for a user who comes by certificate only
 * @param decoyKey secret of this set of users, from which the salts of those who do not exist are made
 */
public record Users(Map<String, Map<ScramHash, ScramVerifier>> byName, byte[] decoyKey) {
    /** Of passwords that are set now. */
    public static final int ITERATIONS_DEFAULT = 120_000;

    private static final int SALT_BYTES = 16;

    public Users {
        byName = Map.copyOf(byName);
    }

    public boolean isEmpty() {
        return byName.isEmpty();
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

    private ScramVerifier decoy(String user, ScramHash hash) {
        byte[] seed = hash.hmac(decoyKey, user.getBytes(StandardCharsets.UTF_8));
        byte[] stored = hash.hmac(seed, new byte[] {1});
        byte[] server = hash.hmac(seed, new byte[] {2});
        return new ScramVerifier(hash, usualIterations(hash), Arrays.copyOf(seed, SALT_BYTES), stored, server);
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
