package io.mainstem.transport.security;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** The two hash functions SCRAM is used with here (RFC 7677 and its SHA-512 sibling), and what is computed with them. */
public enum ScramHash {
    SHA_256("SCRAM-SHA-256", "SHA-256", "HmacSHA256", "PBKDF2WithHmacSHA256", 32),
    SHA_512("SCRAM-SHA-512", "SHA-512", "HmacSHA512", "PBKDF2WithHmacSHA512", 64);

    private final String mechanism;
    private final String digest;
    private final String mac;
    private final String derivation;
    private final int bytes;

    ScramHash(String mechanism, String digest, String mac, String derivation, int bytes) {
        this.mechanism = mechanism;
        this.digest = digest;
        this.mac = mac;
        this.derivation = derivation;
        this.bytes = bytes;
    }

    /** SASL name, such as {@code SCRAM-SHA-256}. */
    public String mechanism() {
        return mechanism;
    }

    /** Length of a hash. */
    int bytes() {
        return bytes;
    }

    /** The one of that SASL name, or null. */
    static @Nullable ScramHash of(String mechanism) {
        for (ScramHash hash : values()) {
            if (hash.mechanism.equals(mechanism)) {
                return hash;
            }
        }
        return null;
    }

    byte[] hash(byte[] input) {
        try {
            return MessageDigest.getInstance(digest).digest(input);
        } catch (GeneralSecurityException impossible) {
            throw missing(digest, impossible);
        }
    }

    byte[] hmac(byte[] key, byte[] input) {
        try {
            Mac keyed = Mac.getInstance(mac);
            keyed.init(new SecretKeySpec(key, mac));
            return keyed.doFinal(input);
        } catch (GeneralSecurityException impossible) {
            throw missing(mac, impossible);
        }
    }

    /** PBKDF2 (RFC 8018); slow on purpose. */
    byte[] saltedPassword(char[] password, byte[] salt, int iterations) {
        PBEKeySpec spec = new PBEKeySpec(password, salt, iterations, bytes * Byte.SIZE);
        try {
            return SecretKeyFactory.getInstance(derivation).generateSecret(spec).getEncoded();
        } catch (GeneralSecurityException impossible) {
            throw missing(derivation, impossible);
        } finally {
            spec.clearPassword();
        }
    }

    private static IllegalStateException missing(String algorithm, GeneralSecurityException cause) {
        return new IllegalStateException("every Java platform we run on has " + algorithm, cause);
    }
}
