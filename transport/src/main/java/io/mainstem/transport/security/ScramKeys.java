package io.mainstem.transport.security;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** The keys that a password is made into (RFC 5802, 3). Never stored: they are as good as the password. */
record ScramKeys(ScramHash hash, byte[] clientKey, byte[] serverKey) {
    private static final byte[] CLIENT_KEY = "Client Key".getBytes(US_ASCII);
    private static final byte[] SERVER_KEY = "Server Key".getBytes(US_ASCII);

    /**
     * Slow on purpose.
     *
     * @param password prepared by {@link SaslPrep}
     */
    static ScramKeys derive(ScramHash hash, char[] password, byte[] salt, int iterations) {
        byte[] salted = hash.saltedPassword(password, salt, iterations);
        return new ScramKeys(hash, hash.hmac(salted, CLIENT_KEY), hash.hmac(salted, SERVER_KEY));
    }

    /** What a server may keep to recognise the client key by. */
    byte[] storedKey() {
        return hash.hash(clientKey);
    }

    /** Shows that the client key is known, without showing it. */
    byte[] proof(byte[] authMessage) {
        return xor(clientKey, hash.hmac(storedKey(), authMessage));
    }

    static byte[] xor(byte[] left, byte[] right) {
        byte[] result = new byte[left.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = (byte) (left[i] ^ right[i]);
        }
        return result;
    }
}
