package io.mainstem.amqp.v1.wire;

import java.io.Serial;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;

/**
 * The peer broke the protocol, or asked for what it cannot have: ends the named scope with a standard error. Has no
 * stack trace: it is an answer, not a bug.
 */
public final class AmqpException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** The smallest thing that has to end. */
    public enum Scope {
        CONNECTION,
        SESSION,
        LINK
    }

    private final Scope scope;
    private final transient Symbol condition;
    private final transient Map<Symbol, Object> info;

    private AmqpException(Scope scope, Symbol condition, String text, Map<Symbol, Object> info) {
        super(text, null, false, false);
        this.scope = scope;
        this.condition = condition;
        this.info = info;
    }

    /** Ends the connection. */
    public static AmqpException connection(Symbol condition, String text) {
        return new AmqpException(Scope.CONNECTION, condition, text, Map.of());
    }

    /** Ends the connection, with the error's info map. */
    public static AmqpException connection(Symbol condition, String text, Map<Symbol, Object> info) {
        return new AmqpException(Scope.CONNECTION, condition, text, info);
    }

    /** Ends the session. */
    public static AmqpException session(Symbol condition, String text) {
        return new AmqpException(Scope.SESSION, condition, text, Map.of());
    }

    /** Ends the link. */
    public static AmqpException link(Symbol condition, String text) {
        return new AmqpException(Scope.LINK, condition, text, Map.of());
    }

    public Scope scope() {
        return scope;
    }

    /** The standard's error name. */
    public Symbol condition() {
        return condition;
    }

    /** What detach, end or close carry. */
    public ErrorCondition toErrorCondition() {
        ErrorCondition error = new ErrorCondition(condition, getMessage());
        if (!info.isEmpty()) {
            error.setInfo(info);
        }
        return error;
    }
}
