package io.mainstem.jms.amqp.login;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * SCRAM without channel binding (RFC 5802, RFC 7677): proves the password without showing it, and that the broker knows
 * it, too.
 */
final class Scram implements Mechanism {
    static final String SHA_512 = "SCRAM-SHA-512";
    static final String SHA_256 = "SCRAM-SHA-256";

    /** More is no login but an attempt to keep this machine busy. */
    private static final int ITERATIONS_MAX = 10_000_000;

    private static final int ITERATIONS_MIN = 4096;
    private static final String NO_CHANNEL_BINDING = "n,,";

    private final String name;
    private final String hash;
    private final String password;
    private final String nonce;
    private final String firstBare;
    private final DerivedKeys keys;
    private volatile byte @Nullable [] serverSignature;
    private boolean proved;

    /**
     * @param name {@link #SHA_512} or {@link #SHA_256}
     * @param nonce printable, without commas, never used before
     * @param keys of other logins
     */
    Scram(String name, String username, @Nullable String password, String nonce, DerivedKeys keys) {
        this.name = name;
        this.hash = name.equals(SHA_512) ? "SHA512" : "SHA256";
        this.password = SaslPrep.prepare(password == null ? "" : password);
        this.keys = keys;
        this.nonce = nonce;
        this.firstBare = "n=" + SaslPrep.prepare(username).replace("=", "=3D").replace(",", "=2C") + ",r=" + nonce;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public byte[] first() {
        return utf8(NO_CHANNEL_BINDING + firstBare);
    }

    @Override
    public CompletionStage<byte[]> answer(byte[] challenge) throws LoginException {
        if (serverSignature != null) {
            accepted(challenge);
            return CompletableFuture.completedFuture(new byte[0]);
        }
        String message = new String(challenge, StandardCharsets.UTF_8);
        Map<Character, String> fields = fields(message);
        String combined = fields.getOrDefault('r', "");
        if (!combined.startsWith(nonce) || combined.length() == nonce.length()) {
            throw new LoginException("its challenge does not belong to this login");
        }
        try {
            byte[] salt = Base64.getDecoder().decode(fields.getOrDefault('s', ""));
            int iterations = Integer.parseInt(fields.getOrDefault('i', ""));
            if (salt.length == 0 || iterations < ITERATIONS_MIN || iterations > ITERATIONS_MAX) {
                throw new LoginException("its challenge asks for " + iterations + " iterations (expected: "
                        + ITERATIONS_MIN + " to " + ITERATIONS_MAX + ")");
            }
            return keys.saltedPassword(hash, password, salt, iterations).thenApply(salted -> {
                try {
                    return utf8(proof(message, combined, salted));
                } catch (GeneralSecurityException e) {
                    throw new CompletionException(unusable(e));
                }
            });
        } catch (IllegalArgumentException e) {
            throw unusable(e);
        }
    }

    private static LoginException unusable(Exception cause) {
        return new LoginException("its challenge cannot be used: " + cause.getMessage());
    }

    private String proof(String serverFirst, String combined, byte[] salted) throws GeneralSecurityException {
        String withoutProof = "c=" + Base64.getEncoder().encodeToString(utf8(NO_CHANNEL_BINDING)) + ",r=" + combined;
        byte[] authMessage = utf8(firstBare + ',' + serverFirst + ',' + withoutProof);
        byte[] clientKey = hmac(salted, utf8("Client Key"));
        byte[] storedKey =
                MessageDigest.getInstance(hash.replace("SHA", "SHA-")).digest(clientKey);
        byte[] clientProof = hmac(storedKey, authMessage);
        for (int i = 0; i < clientProof.length; i++) {
            clientProof[i] ^= clientKey[i];
        }
        serverSignature = hmac(hmac(salted, utf8("Server Key")), authMessage);
        return withoutProof + ",p=" + Base64.getEncoder().encodeToString(clientProof);
    }

    private byte[] hmac(byte[] key, byte[] data) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("Hmac" + hash);
        mac.init(new SecretKeySpec(key, mac.getAlgorithm()));
        return mac.doFinal(data);
    }

    @Override
    public void accepted(byte[] proof) throws LoginException {
        if (proved) {
            return;
        }
        String signature = fields(new String(proof, StandardCharsets.UTF_8)).getOrDefault('v', "");
        try {
            byte[] expected = serverSignature;
            proved = expected != null
                    && MessageDigest.isEqual(expected, Base64.getDecoder().decode(signature));
        } catch (IllegalArgumentException noBase64) {
            proved = false;
        }
        if (!proved) {
            throw new LoginException("it does not prove that it knows the password");
        }
    }

    /** {@code r=...,s=...}: the first of a name counts. */
    private static Map<Character, String> fields(String message) {
        Map<Character, String> fields = new HashMap<>();
        for (String field : message.split(",", -1)) {
            if (field.length() >= 2 && field.charAt(1) == '=') {
                fields.putIfAbsent(field.charAt(0), field.substring(2));
            }
        }
        return fields;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
