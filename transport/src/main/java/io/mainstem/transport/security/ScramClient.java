package io.mainstem.transport.security;

import static io.mainstem.transport.security.ScramMessages.utf8;

import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The client of SCRAM-SHA-256 and SCRAM-SHA-512 without channel binding (RFC 5802, RFC 7677): the password does not leave
 * it, and a server that does not know the password's verifier is found out. Thread: one.
 */
public final class ScramClient {
    private static final String GS2_HEADER = "n,,";
    private static final String BINDING = "biws"; // GS2_HEADER in base 64
    private static final Pattern SERVER_FIRST =
            Pattern.compile("r=([\\x21-\\x2B\\x2D-\\x7E]+),s=([A-Za-z0-9+/=]+),i=(\\d{1,8})(?:,[A-Za-z]=[^,\\x00]+)*");
    private static final Pattern SERVER_FINAL = Pattern.compile("v=([A-Za-z0-9+/=]+)(?:,[A-Za-z]=[^,\\x00]+)*");

    private final ScramHash hash;
    private final String password;
    private final String nonce;
    private final String firstBare;
    private byte @Nullable [] expectedSignature;

    /**
     * @param user prepared by {@link SaslPrep}
     * @param password prepared by {@link SaslPrep}
     * @param nonce printable ASCII without comma, never used before
     */
    public ScramClient(ScramHash hash, String user, String password, String nonce) {
        this.hash = hash;
        this.password = password;
        this.nonce = nonce;
        this.firstBare = "n=" + user.replace("=", "=3D").replace(",", "=2C") + ",r=" + nonce;
    }

    /** The strongest of these mechanisms that is known here, or null. */
    public static @Nullable ScramHash strongest(List<String> mechanisms) {
        for (ScramHash hash : List.of(ScramHash.SHA_512, ScramHash.SHA_256)) {
            if (mechanisms.contains(hash.mechanism())) {
                return hash;
            }
        }
        return null;
    }

    /** What the exchange begins with. */
    public byte[] first() {
        return utf8(GS2_HEADER + firstBare);
    }

    /**
     * Answers the server's first message; slow on purpose. Null if the message is none, is the answer to somebody else, or
     * asks for fewer iterations than are safe or more than are sane.
     */
    public byte @Nullable [] last(byte[] serverFirst) {
        String text = SaslPrep.decode(serverFirst);
        Matcher parts = SERVER_FIRST.matcher(text == null ? "" : text);
        if (!parts.matches()
                || !parts.group(1).startsWith(nonce)
                || parts.group(1).length() == nonce.length()) {
            return null;
        }
        int iterations = Integer.parseInt(parts.group(3));
        byte[] salt = decode(parts.group(2));
        if (salt == null || iterations < ScramVerifier.ITERATIONS_MIN || iterations > ScramVerifier.ITERATIONS_MAX) {
            return null;
        }
        String withoutProof = "c=" + BINDING + ",r=" + parts.group(1);
        byte[] authMessage = utf8(firstBare + "," + text + "," + withoutProof);
        ScramKeys keys = ScramKeys.derive(hash, password.toCharArray(), salt, iterations);
        expectedSignature = hash.hmac(keys.serverKey(), authMessage);
        String proof = Base64.getEncoder().encodeToString(keys.proof(authMessage));
        return utf8(withoutProof + ",p=" + proof);
    }

    /** True if the server's last message shows that it knows the user's verifier. */
    public boolean verifies(byte[] serverFinal) {
        byte[] expected = expectedSignature;
        String text = SaslPrep.decode(serverFinal);
        Matcher parts = SERVER_FINAL.matcher(text == null ? "" : text);
        return expected != null && parts.matches() && MessageDigest.isEqual(expected, decode(parts.group(1)));
    }

    private static byte @Nullable [] decode(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }
}
