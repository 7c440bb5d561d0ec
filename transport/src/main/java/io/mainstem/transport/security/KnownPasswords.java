package io.mainstem.transport.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Passwords that were right a while ago, so that a thousand clients that come back at once do not wait for a thousand slow
 * hashes. Kept in memory only, each as a keyed hash over the password and its verifier: a changed password is not known.
 * Thread: any.
 */
final class KnownPasswords {
    private static final int USERS_MAX = 1_000;

    private final byte[] key;
    private final Map<String, byte[]> byUser = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, byte[]> eldest) {
            return size() > USERS_MAX;
        }
    };

    /** @param key random, of this process */
    KnownPasswords(byte[] key) {
        this.key = key.clone();
    }

    synchronized boolean contains(String user, String password, ScramVerifier verifier) {
        byte[] known = byUser.get(user);
        return known != null && MessageDigest.isEqual(known, trace(password, verifier));
    }

    synchronized void add(String user, String password, ScramVerifier verifier) {
        byUser.put(user, trace(password, verifier));
    }

    private byte[] trace(String password, ScramVerifier verifier) {
        byte[] inner = ScramHash.SHA_256.hmac(key, verifier.storedKey());
        return ScramHash.SHA_256.hmac(inner, password.getBytes(StandardCharsets.UTF_8));
    }
}
