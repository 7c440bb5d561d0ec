package io.mainstem.jms.amqp.login;

import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Salted passwords of SCRAM, which take a tenth of a second and more to derive: kept for the next login with the same
 * password, salt and rounds (RFC 5802, section 3), and derived on a thread of their own, so that connections of the same
 * event loop go on. Thread: any.
 */
public final class DerivedKeys {
    /** Users and brokers of one factory; the one that was not asked for longest is derived anew. */
    static final int KEPT_MAX = 32;

    /** Of all factories. Ends when nobody has logged in for a while. */
    private static final class Threads {
        static final Executor LOGIN = threads();

        private static Executor threads() {
            ThreadPoolExecutor threads =
                    new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                        Thread thread = new Thread(task, "mainstem-jms-login");
                        thread.setDaemon(true);
                        return thread;
                    });
            threads.allowCoreThreadTimeOut(true);
            return threads;
        }
    }

    private final Map<Key, CompletableFuture<byte[]>> kept = new LinkedHashMap<>(16, 0.75f, true);
    private long derivations;

    /** Compared by what is in it. */
    private record Key(String algorithm, int bits, String password, List<Byte> salt, int iterations) {
        @Override
        public String toString() {
            return algorithm; // Not the password.
        }
    }

    /**
     * The salted password. Completes on the thread that derives it, or is complete.
     *
     * @param hash {@code SHA256} or {@code SHA512}
     */
    CompletionStage<byte[]> saltedPassword(String hash, String password, byte[] salt, int iterations) {
        List<Byte> bytes = new ArrayList<>(salt.length);
        for (byte each : salt) {
            bytes.add(each);
        }
        Key key = new Key("PBKDF2WithHmac" + hash, hash.equals("SHA512") ? 512 : 256, password, bytes, iterations);
        CompletableFuture<byte[]> derived;
        synchronized (this) {
            CompletableFuture<byte[]> known = kept.get(key);
            if (known != null) {
                return known;
            }
            derived = new CompletableFuture<>();
            kept.put(key, derived);
            derivations++;
            if (kept.size() > KEPT_MAX) {
                kept.remove(kept.keySet().iterator().next());
            }
        }
        Threads.LOGIN.execute(() -> derive(key, salt, derived));
        return derived;
    }

    private void derive(Key key, byte[] salt, CompletableFuture<byte[]> derived) {
        char[] password =
                key.password().isEmpty() ? new char[] {0} : key.password().toCharArray();
        try {
            derived.complete(SecretKeyFactory.getInstance(key.algorithm())
                    .generateSecret(new PBEKeySpec(password, salt, key.iterations(), key.bits()))
                    .getEncoded());
        } catch (GeneralSecurityException | RuntimeException e) {
            synchronized (this) {
                kept.remove(key);
            }
            derived.completeExceptionally(e);
        }
    }

    /** How many were derived. */
    synchronized long derivations() {
        return derivations;
    }
}
