package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import java.nio.charset.StandardCharsets;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.security.SaslCode;
import org.apache.qpid.proton.amqp.security.SaslInit;
import org.apache.qpid.proton.amqp.security.SaslMechanisms;
import org.apache.qpid.proton.amqp.transport.ConnectionError;
import org.jspecify.annotations.Nullable;

/**
 * SASL ANONYMOUS and PLAIN (RFC 4505, RFC 4616) in the frames of AMQP 1.0 part 5. While there is no user store, any user
 * name is taken as it is, from peers on this machine only. Thread: the connection's event loop.
 */
final class SaslNegotiation {
    /** Largest SASL frame either side may send (part 5, 5.3.1). */
    static final int FRAME_BYTES_MAX = 512;

    private static final Symbol PLAIN = Symbol.valueOf("PLAIN");
    private static final Symbol ANONYMOUS = Symbol.valueOf("ANONYMOUS");

    private final boolean trusted;
    private @Nullable String user;

    /** @param trusted the peer is on this machine */
    SaslNegotiation(boolean trusted) {
        this.trusted = trusted;
    }

    static SaslMechanisms mechanisms() {
        SaslMechanisms mechanisms = new SaslMechanisms();
        mechanisms.setSaslServerMechanisms(PLAIN, ANONYMOUS);
        return mechanisms;
    }

    /** What the peer's first and only answer leads to. */
    SaslCode onFrame(@Nullable Object body) {
        if (!(body instanceof SaslInit init)) {
            throw AmqpException.connection(
                    ConnectionError.FRAMING_ERROR, "MS-0501 SASL frame that is no sasl-init: " + describe(body));
        }
        if (!trusted) {
            return SaslCode.AUTH;
        }
        if (ANONYMOUS.equals(init.getMechanism())) {
            return SaslCode.OK;
        }
        if (PLAIN.equals(init.getMechanism())) {
            return plain(init.getInitialResponse());
        }
        return SaslCode.AUTH;
    }

    /** Authenticated user, or null for anonymous. */
    @Nullable
    String user() {
        return user;
    }

    /** authzid NUL authcid NUL password. */
    private SaslCode plain(@Nullable Binary response) {
        if (response == null) {
            return SaslCode.AUTH;
        }
        String text = new String(
                response.getArray(), response.getArrayOffset(), response.getLength(), StandardCharsets.UTF_8);
        int first = text.indexOf('\0');
        int second = text.indexOf('\0', first + 1);
        if (first < 0 || second < 0 || second == first + 1) {
            return SaslCode.AUTH;
        }
        user = text.substring(first + 1, second);
        return SaslCode.OK;
    }

    private static String describe(@Nullable Object body) {
        return body == null ? "empty" : body.getClass().getSimpleName();
    }
}
