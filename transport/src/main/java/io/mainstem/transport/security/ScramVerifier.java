package io.mainstem.transport.security;

import java.security.MessageDigest;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is kept of a password: enough to check it and to answer SCRAM, too little to log in with elsewhere (RFC 5802, 3).
 * Text form as in RFC 5803: {@code SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey}, the three in base 64. Immutable by
 * convention: the arrays are not to be changed.
 *
 * @param iterations of PBKDF2, {@value #ITERATIONS_MIN} to {@value #ITERATIONS_MAX}
 * @param salt 8 to 64 bytes
 */
public record ScramVerifier(ScramHash hash, int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
    /** RFC 7677, 4: at least 4096. */
    public static final int ITERATIONS_MIN = 4096;

    /** A check must stay a matter of seconds. */
    public static final int ITERATIONS_MAX = 10_000_000;

    private static final Pattern FORM = Pattern.compile(
            "(SCRAM-SHA-(?:256|512))\\$(\\d{1,8}):([A-Za-z0-9+/=]+)\\$([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)");

    public ScramVerifier {
        if (iterations < ITERATIONS_MIN || iterations > ITERATIONS_MAX) {
            throw new IllegalArgumentException(
                    "iterations: " + iterations + " (expected: " + ITERATIONS_MIN + " to " + ITERATIONS_MAX + ")");
        }
        if (salt.length < 8 || salt.length > 64) {
            throw new IllegalArgumentException("salt: " + salt.length + " bytes (expected: 8 to 64)");
        }
        if (storedKey.length != hash.bytes() || serverKey.length != hash.bytes()) {
            throw new IllegalArgumentException("keys: " + storedKey.length + " and " + serverKey.length
                    + " bytes (expected: " + hash.bytes() + ")");
        }
    }

    /**
     * Makes the verifier of a password; slow on purpose.
     *
     * @param password prepared by {@link SaslPrep}
     */
    public static ScramVerifier derive(ScramHash hash, char[] password, byte[] salt, int iterations) {
        ScramKeys keys = ScramKeys.derive(hash, password, salt, iterations);
        return new ScramVerifier(hash, iterations, salt, keys.storedKey(), keys.serverKey());
    }

    /** @throws IllegalArgumentException if the text is not of the form above */
    public static ScramVerifier parse(String text) {
        Matcher parts = FORM.matcher(text.strip());
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "no verifier (expected: SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey,"
                            + " or the same with SCRAM-SHA-512)");
        }
        Base64.Decoder decoder = Base64.getDecoder();
        ScramHash hash = "SCRAM-SHA-256".equals(parts.group(1)) ? ScramHash.SHA_256 : ScramHash.SHA_512;
        return new ScramVerifier(
                hash,
                Integer.parseInt(parts.group(2)),
                decoder.decode(parts.group(3)),
                decoder.decode(parts.group(4)),
                decoder.decode(parts.group(5)));
    }

    /** The text form. */
    public String text() {
        Base64.Encoder encoder = Base64.getEncoder();
        return hash.mechanism() + "$" + iterations + ":" + encoder.encodeToString(salt) + "$"
                + encoder.encodeToString(storedKey) + ":" + encoder.encodeToString(serverKey);
    }

    /** True if it is that password; slow on purpose, and equally so whether it is or not. */
    boolean matches(char[] password) {
        return MessageDigest.isEqual(
                ScramKeys.derive(hash, password, salt, iterations).storedKey(), storedKey);
    }

    /** True if the proof shows the key that the stored one is the hash of (RFC 5802, 3). */
    boolean proves(byte[] proof, byte[] authMessage) {
        if (proof.length != hash.bytes()) {
            return false;
        }
        byte[] clientKey = ScramKeys.xor(proof, hash.hmac(storedKey, authMessage));
        return MessageDigest.isEqual(hash.hash(clientKey), storedKey);
    }

    byte[] serverSignature(byte[] authMessage) {
        return hash.hmac(serverKey, authMessage);
    }

    /** Never shows the keys. */
    @Override
    public String toString() {
        return hash.mechanism() + "$" + iterations;
    }
}
