package io.mainstem.jms.link;

import jakarta.jms.TransactionRolledBackException;

/**
 * The answer to a commit is missing: Jakarta Messaging has one exception for "it may have been rolled back". Its error code
 * and its cause tell it apart from a rollback that is certain (ADR 0056).
 */
public final class InDoubtException extends TransactionRolledBackException {
    private static final long serialVersionUID = 1;
    private static final String CODE = "MS-0740";

    private InDoubtException(String reason) {
        super(reason, CODE);
    }

    /** @param cause why there is no answer */
    public static InDoubtException of(Throwable cause) {
        if (cause instanceof InDoubtException known) {
            return known;
        }
        InDoubtException doubt = new InDoubtException(CODE + " the commit is in doubt, it may have committed or not: "
                + cause.getMessage() + "; fix: look whether the work is done, and do it again if not");
        doubt.initCause(cause);
        if (cause instanceof Exception linked) {
            doubt.setLinkedException(linked);
        }
        return doubt;
    }
}
