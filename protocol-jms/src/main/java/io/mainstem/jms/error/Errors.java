package io.mainstem.jms.error;

import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidClientIDException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.ResourceAllocationException;
import jakarta.jms.TransactionRolledBackException;
import java.util.concurrent.CompletionException;

/** The exceptions of the session core and the API forms. Thread: any. */
public final class Errors {
    private Errors() {}

    /** A call that this object does not take in this state. */
    public static IllegalStateException illegal(String id, String text) {
        return new IllegalStateException(id + " " + text, id);
    }

    /** A call on a closed object. */
    public static IllegalStateException closed(String what) {
        return illegal("MS-0707", what + " is closed; fix: create another one");
    }

    /** A wrong argument that Jakarta Messaging has no own exception for. */
    public static JMSException wrong(String text) {
        return new JMSException("MS-0711 " + text, "MS-0711");
    }

    public static InvalidDestinationException destination(String text) {
        return new InvalidDestinationException("MS-0712 " + text, "MS-0712");
    }

    /** Runs what a failure makes necessary; that it fails, too, is only noted: the first is what people must learn. */
    public static void after(JMSException failure, JmsAction action) {
        try {
            action.run();
        } catch (JMSException e) {
            failure.addSuppressed(e);
        }
    }

    /** The same failure with the stack of this thread, which is the one people look at, and the same cause. */
    public static JMSException asJms(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (!(cause instanceof JMSException original)) {
            JMSException wrapped = new JMSException(
                    "MS-0700 internal error of the provider: " + cause + "; fix: report it with the stack", "MS-0700");
            wrapped.initCause(cause);
            return wrapped;
        }
        JMSException copy = copy(original);
        if (copy == original) {
            return original;
        }
        copy.setLinkedException(original.getLinkedException());
        copy.initCause(original.getCause());
        return copy;
    }

    private static JMSException copy(JMSException original) {
        String reason = original.getMessage();
        String code = original.getErrorCode();
        if (original instanceof JMSSecurityException) {
            return new JMSSecurityException(reason, code);
        } else if (original instanceof InvalidClientIDException) {
            return new InvalidClientIDException(reason, code);
        } else if (original instanceof InvalidDestinationException) {
            return new InvalidDestinationException(reason, code);
        } else if (original instanceof InvalidSelectorException) {
            return new InvalidSelectorException(reason, code);
        } else if (original instanceof ResourceAllocationException) {
            return new ResourceAllocationException(reason, code);
        } else if (original.getClass() == TransactionRolledBackException.class) {
            return new TransactionRolledBackException(reason, code);
        } else if (original instanceof MessageFormatException) {
            return new MessageFormatException(reason, code);
        }
        return original.getClass() == JMSException.class ? new JMSException(reason, code) : original;
    }
}
