package io.mainstem.jms.amqp;

import jakarta.jms.InvalidClientIDException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.ResourceAllocationException;
import jakarta.jms.TransactionRolledBackException;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/** What the broker's error conditions are in Jakarta Messaging. Thread: any. */
final class Refusals {
    private static final Symbol INVALID_FIELD = Symbol.valueOf("invalid-field");
    private static final Symbol CONTAINER_ID = Symbol.valueOf("container-id");

    private Refusals() {}

    /**
     * The exception for a refusal.
     *
     * @param doing what the client was about, for the message
     * @param error null: the broker gave no reason
     */
    static JMSException of(String doing, @Nullable ErrorCondition error) {
        if (error == null || error.getCondition() == null) {
            return new JMSException(
                    "MS-0706 " + doing + ": the broker refuses without a reason; fix: see the broker's log", "MS-0706");
        }
        String text = "MS-0706 " + doing + ": the broker refuses: " + error.getDescription() + " ["
                + error.getCondition() + "]";
        return switch (error.getCondition().toString()) {
            case "amqp:unauthorized-access" -> new JMSSecurityException(text, "MS-0706");
            case "amqp:not-found", "amqp:resource-deleted" -> new InvalidDestinationException(text, "MS-0706");
            case "amqp:resource-limit-exceeded" -> new ResourceAllocationException(text, "MS-0706");
            case "amqp:transaction:rollback", "amqp:transaction:timeout", "amqp:transaction:unknown-id" ->
                new TransactionRolledBackException(text, "MS-0706");
            case "amqp:invalid-field" -> invalidField(text, error);
            default -> new JMSException(text, "MS-0706");
        };
    }

    /** Why something is over: the broker's reason, or that this side has closed it. */
    static JMSException ofEnd(String what, boolean asked, @Nullable ErrorCondition error) {
        boolean reasonless = error == null || error.getCondition() == null;
        return asked && reasonless
                ? new JMSException(
                        "MS-0704 " + what + ": closed before the broker has answered; fix: close later", "MS-0704")
                : of(what, error);
    }

    private static JMSException invalidField(String text, ErrorCondition error) {
        if (error.getInfo() != null && CONTAINER_ID.equals(error.getInfo().get(INVALID_FIELD))) {
            return new InvalidClientIDException(text, "MS-0706");
        }
        return new JMSException(text, "MS-0706");
    }

    /** A refusal of a receiver with a selector: the broker's complaint about a field is about that. */
    static JMSException ofReceiver(String doing, @Nullable ErrorCondition error, @Nullable String selector) {
        JMSException refusal = of(doing, error);
        boolean field = error != null
                && error.getCondition() != null
                && error.getCondition().toString().equals("amqp:invalid-field");
        return selector != null && field
                ? new InvalidSelectorException(refusal.getMessage() + ", selector " + selector, "MS-0706")
                : refusal;
    }
}
