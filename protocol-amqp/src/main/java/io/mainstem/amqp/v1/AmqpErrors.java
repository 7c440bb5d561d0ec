package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.RefusingQueue;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.transaction.TransactionErrors;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;

/** The standard's names for what the broker refuses (AMQP 1.0 part 2, 2.8.15). */
final class AmqpErrors {
    private static final Symbol QUEUE = Symbol.valueOf("queue");
    private static final Symbol REASON = Symbol.valueOf("reason");

    private AmqpErrors() {}

    static Symbol condition(ErrorKind kind) {
        return switch (kind) {
            case NOT_FOUND -> AmqpError.NOT_FOUND;
            case ALREADY_EXISTS, PRECONDITION_FAILED -> AmqpError.PRECONDITION_FAILED;
            case LOCKED -> AmqpError.RESOURCE_LOCKED;
            case ACCESS_REFUSED -> AmqpError.UNAUTHORIZED_ACCESS;
            case INVALID_ARGUMENT -> AmqpError.INVALID_FIELD;
            case NOT_IMPLEMENTED -> AmqpError.NOT_IMPLEMENTED;
            case RESOURCE_LIMIT -> AmqpError.RESOURCE_LIMIT_EXCEEDED;
            case ROLLED_BACK -> TransactionErrors.TRANSACTION_ROLLBACK;
            case DELETED -> AmqpError.RESOURCE_DELETED;
            case UNAVAILABLE -> AmqpError.ILLEGAL_STATE;
        };
    }

    /** Why a publish was refused; if by a queue, its name and a word for programs are in the info [mapping 5.4]. */
    static ErrorCondition of(PublishResult.Refused refused) {
        ErrorCondition error = new ErrorCondition(condition(refused.kind()), refused.text());
        RefusingQueue queue = refused.queue();
        if (queue != null) {
            error.setInfo(Map.of(QUEUE, queue.name(), REASON, queue.reason()));
        }
        return error;
    }

    /** What a failed stage or call of the broker means on the wire. */
    static ErrorCondition of(Throwable failure) {
        if (failure instanceof CompletionException wrapped && wrapped.getCause() != null) {
            return of(wrapped.getCause());
        }
        if (failure instanceof BrokerException refusal) {
            return new ErrorCondition(condition(refusal.kind()), refusal.getMessage());
        }
        if (failure instanceof AmqpException violation) {
            return violation.toErrorCondition();
        }
        return new ErrorCondition(AmqpError.INTERNAL_ERROR, failure.toString());
    }

    /** True if the broker refused because somebody else uses the object. */
    static boolean isInUse(Throwable failure) {
        return isRefusal(failure, ErrorKind.LOCKED) || isRefusal(failure, ErrorKind.PRECONDITION_FAILED);
    }

    /** True if the broker refused because the object is not there. */
    static boolean isNotFound(Throwable failure) {
        return isRefusal(failure, ErrorKind.NOT_FOUND);
    }

    private static boolean isRefusal(Throwable failure, ErrorKind kind) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof BrokerException refusal && refusal.kind() == kind;
    }
}
