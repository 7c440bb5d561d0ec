package io.mainstem.transport.security;

import static io.mainstem.transport.security.ScramMessages.utf8;

import java.security.MessageDigest;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The server of SCRAM-SHA-256 and SCRAM-SHA-512 without channel binding (RFC 5802, RFC 7677). A user who does not exist
 * gets as far as one with a wrong password, in the same time. Thread: one at a time.
 */
final class ScramExchange implements SaslExchange {
    private final ScramHash hash;
    private final Users users;
    private final String serverNonce;
    private final Gate gate;
    private @Nullable Begun begun;

    /** What the client's first message has led to. */
    private record Begun(ScramMessages.First first, ScramVerifier verifier, String nonce, String serverFirst) {}

    /** Holds exchanges back, and is told how they ended. */
    interface Gate {
        /** Completes with true once the exchange may begin, with false if it must not. */
        CompletionStage<Boolean> pass();

        Verdict granted(String user, byte[] proof);

        Verdict refused(@Nullable String user, String reason);

        /** The exchange must not begin now. */
        Verdict throttled();
    }

    /** @param serverNonce printable ASCII without comma, never used before */
    ScramExchange(ScramHash hash, Users users, String serverNonce, Gate gate) {
        this.hash = hash;
        this.users = users;
        this.serverNonce = serverNonce;
        this.gate = gate;
    }

    @Override
    public CompletionStage<SaslStep> respond(byte[] message) {
        Begun before = begun;
        if (before != null) {
            return CompletableFuture.completedStage(finish(before, message));
        }
        if (message.length == 0) {
            // The client waits to be asked (RFC 5802, 5: client-first).
            return CompletableFuture.completedStage(new SaslStep.Challenge(message));
        }
        ScramMessages.First first = ScramMessages.first(message);
        if (first == null) {
            return CompletableFuture.completedStage(gate.refused(null, "malformed or unsupported first message"));
        }
        return gate.pass().thenApply(free -> free ? begin(first) : gate.throttled());
    }

    private SaslStep begin(ScramMessages.First first) {
        ScramVerifier verifier = users.verifier(first.user(), hash);
        String nonce = first.nonce() + serverNonce;
        String serverFirst = "r=" + nonce + ",s=" + Base64.getEncoder().encodeToString(verifier.salt()) + ",i="
                + verifier.iterations();
        begun = new Begun(first, verifier, nonce, serverFirst);
        return new SaslStep.Challenge(utf8(serverFirst));
    }

    private Verdict finish(Begun before, byte[] message) {
        String user = before.first().user();
        ScramMessages.Final last = ScramMessages.last(message);
        if (last == null) {
            return gate.refused(user, "malformed final message");
        }
        if (!last.nonce().equals(before.nonce())
                || !MessageDigest.isEqual(last.binding(), utf8(before.first().gs2Header()))) {
            return gate.refused(user, "the final message does not belong to the first one");
        }
        byte[] authMessage = utf8(before.first().bare() + "," + before.serverFirst() + "," + last.withoutProof());
        if (!before.verifier().proves(last.proof(), authMessage)) {
            return gate.refused(user, users.contains(user) ? "wrong password" : "no such user");
        }
        byte[] signature = before.verifier().serverSignature(authMessage);
        return gate.granted(user, utf8("v=" + Base64.getEncoder().encodeToString(signature)));
    }
}
