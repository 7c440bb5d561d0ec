package io.mainstem.jms;

import io.mainstem.jms.error.JmsAction;
import jakarta.jms.IllegalStateException;
import jakarta.jms.IllegalStateRuntimeException;
import jakarta.jms.InvalidClientIDException;
import jakarta.jms.InvalidClientIDRuntimeException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidDestinationRuntimeException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.InvalidSelectorRuntimeException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.JMSSecurityRuntimeException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageFormatRuntimeException;
import jakarta.jms.MessageNotWriteableException;
import jakarta.jms.MessageNotWriteableRuntimeException;
import jakarta.jms.ResourceAllocationException;
import jakarta.jms.ResourceAllocationRuntimeException;
import jakarta.jms.TransactionInProgressException;
import jakarta.jms.TransactionInProgressRuntimeException;
import jakarta.jms.TransactionRolledBackException;
import jakarta.jms.TransactionRolledBackRuntimeException;
import org.jspecify.annotations.Nullable;

/** Calls of the classic API whose exceptions become the runtime kind, which the simplified API throws. Thread: any. */
final class Unchecked {
    private Unchecked() {}

    /** A call of the classic API. */
    interface Call<T> {
        T run() throws JMSException;
    }

    /** A call of the classic API that may have no result. */
    interface MaybeCall<T> {
        @Nullable
        T run() throws JMSException;
    }

    static <T> T call(Call<T> call) {
        try {
            return call.run();
        } catch (JMSException e) {
            throw of(e);
        }
    }

    static <T> @Nullable T maybe(MaybeCall<T> call) {
        try {
            return call.run();
        } catch (JMSException e) {
            throw of(e);
        }
    }

    static void run(JmsAction action) {
        try {
            action.run();
        } catch (JMSException e) {
            throw of(e);
        }
    }

    static JMSRuntimeException of(JMSException cause) {
        String reason = cause.getMessage();
        String code = cause.getErrorCode();
        if (cause instanceof IllegalStateException) {
            return new IllegalStateRuntimeException(reason, code, cause);
        } else if (cause instanceof InvalidClientIDException) {
            return new InvalidClientIDRuntimeException(reason, code, cause);
        } else if (cause instanceof InvalidDestinationException) {
            return new InvalidDestinationRuntimeException(reason, code, cause);
        } else if (cause instanceof InvalidSelectorException) {
            return new InvalidSelectorRuntimeException(reason, code, cause);
        } else if (cause instanceof JMSSecurityException) {
            return new JMSSecurityRuntimeException(reason, code, cause);
        } else if (cause instanceof MessageFormatException) {
            return new MessageFormatRuntimeException(reason, code, cause);
        } else if (cause instanceof MessageNotWriteableException) {
            return new MessageNotWriteableRuntimeException(reason, code, cause);
        } else if (cause instanceof ResourceAllocationException) {
            return new ResourceAllocationRuntimeException(reason, code, cause);
        } else if (cause instanceof TransactionInProgressException) {
            return new TransactionInProgressRuntimeException(reason, code, cause);
        } else if (cause instanceof TransactionRolledBackException) {
            return new TransactionRolledBackRuntimeException(reason, code, cause);
        }
        return new JMSRuntimeException(reason, code, cause);
    }
}
