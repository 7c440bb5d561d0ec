package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.transport.Peer;
import io.mainstem.transport.security.Authenticator;
import io.mainstem.transport.security.SaslExchange;
import io.mainstem.transport.security.SaslStep;
import io.mainstem.transport.security.Verdict;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.security.SaslChallenge;
import org.apache.qpid.proton.amqp.security.SaslCode;
import org.apache.qpid.proton.amqp.security.SaslInit;
import org.apache.qpid.proton.amqp.security.SaslMechanisms;
import org.apache.qpid.proton.amqp.security.SaslOutcome;
import org.apache.qpid.proton.amqp.security.SaslResponse;
import org.apache.qpid.proton.amqp.transport.ConnectionError;
import org.jspecify.annotations.Nullable;

/**
 * The SASL layer of AMQP 1.0 (part 5, 5.3): mechanisms, init, challenges and responses, outcome. Who the peer is decides
 * the {@link Authenticator}. Thread: the connection's event loop.
 */
final class SaslNegotiation {
    /** Largest SASL frame either side may send (part 5, 5.3.1). */
    static final int FRAME_BYTES_MAX = 512;

    private static final byte[] NOTHING = {};

    private final Authenticator authenticator;
    private final Peer peer;
    private final Executor eventLoop;
    private @Nullable SaslExchange exchange;

    SaslNegotiation(Authenticator authenticator, Peer peer, Executor eventLoop) {
        this.authenticator = authenticator;
        this.peer = peer;
        this.eventLoop = eventLoop;
    }

    /** True if the peer may leave out this layer. */
    boolean optional() {
        return authenticator.allowsAnonymous(peer);
    }

    Peer peer() {
        return peer;
    }

    /** True if the peer has chosen a mechanism. */
    boolean isBegun() {
        return exchange != null;
    }

    /** Names of those that the peer is offered. */
    List<String> offered() {
        return authenticator.mechanisms(peer);
    }

    SaslMechanisms mechanisms() {
        SaslMechanisms mechanisms = new SaslMechanisms();
        mechanisms.setSaslServerMechanisms(
                authenticator.mechanisms(peer).stream().map(Symbol::valueOf).toArray(Symbol[]::new));
        return mechanisms;
    }

    /**
     * Takes the peer's next frame.
     *
     * @param next told how it goes on, before this returns or later
     * @throws AmqpException framing-error for a frame that is not the one whose turn it is
     */
    void onFrame(@Nullable Object body, Consumer<SaslStep> next) {
        byte[] message;
        SaslExchange begun = exchange;
        if (begun == null && body instanceof SaslInit init) {
            begun = authenticator.begin(init.getMechanism().toString(), peer);
            exchange = begun;
            message = bytes(init.getInitialResponse());
        } else if (begun != null && body instanceof SaslResponse response) {
            message = bytes(response.getResponse());
        } else {
            throw AmqpException.connection(
                    ConnectionError.FRAMING_ERROR,
                    "MS-0501 SASL frame is " + describe(body) + " (expected: "
                            + (begun == null ? "SaslInit" : "SaslResponse") + ")");
        }
        tell(begun.respond(message), next);
    }

    private void tell(CompletionStage<SaslStep> answer, Consumer<SaslStep> next) {
        CompletableFuture<SaslStep> step = answer.toCompletableFuture();
        if (step.isDone()) {
            next.accept(step.join());
        } else {
            var unused = step.thenAcceptAsync(next, eventLoop);
        }
    }

    private static byte[] bytes(@Nullable Binary binary) {
        if (binary == null) {
            return NOTHING;
        }
        byte[] copy = new byte[binary.getLength()];
        System.arraycopy(binary.getArray(), binary.getArrayOffset(), copy, 0, copy.length);
        return copy;
    }

    /** The frame that tells the peer. */
    static Object frame(SaslStep step) {
        if (step instanceof SaslStep.Challenge challenge) {
            SaslChallenge frame = new SaslChallenge();
            frame.setChallenge(new Binary(challenge.message()));
            return frame;
        }
        SaslOutcome outcome = new SaslOutcome();
        if (step instanceof Verdict.Granted granted) {
            outcome.setCode(SaslCode.OK);
            outcome.setAdditionalData(granted.proof().length == 0 ? null : new Binary(granted.proof()));
        } else {
            boolean temporary = step instanceof Verdict.Refused refused && refused.temporary();
            outcome.setCode(temporary ? SaslCode.SYS_TEMP : SaslCode.AUTH);
        }
        return outcome;
    }

    private static String describe(@Nullable Object body) {
        return body == null ? "empty" : body.getClass().getSimpleName();
    }
}
