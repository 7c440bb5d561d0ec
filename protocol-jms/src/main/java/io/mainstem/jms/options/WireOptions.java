package io.mainstem.jms.options;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * AMQP and sockets.
 *
 * @param vhost virtual host, sent as the host name of {@code open}; null: the host of the endpoint
 * @param idleTimeoutMs the broker is taken for dead after this time without a frame, 0 switches it off
 * @param maxFrameBytes largest frame taken, 512 to 2^31-1
 * @param tcpNoDelay send small packets at once
 * @param saslMechanisms which ones may be used, the best first; empty: whatever fits, the strongest that both sides know
 * @param plainWithoutTls the password may be sent as it is to other machines over connections that are not encrypted
 */
public record WireOptions(
        @Nullable String vhost,
        int idleTimeoutMs,
        int maxFrameBytes,
        boolean tcpNoDelay,
        List<String> saslMechanisms,
        boolean plainWithoutTls) {
    public static final WireOptions DEFAULT = new WireOptions(null, 60_000, 1 << 20, true, List.of(), false);

    private static final int FRAME_BYTES_MIN = 512;

    public WireOptions {
        saslMechanisms = List.copyOf(saslMechanisms);
        if (idleTimeoutMs < 0) {
            throw new IllegalArgumentException("idleTimeoutMs: " + idleTimeoutMs + " (expected: >= 0)");
        }
        if (maxFrameBytes < FRAME_BYTES_MIN) {
            throw new IllegalArgumentException(
                    "maxFrameBytes: " + maxFrameBytes + " (expected: >= " + FRAME_BYTES_MIN + ")");
        }
    }
}
