package io.mainstem.jms.link;

import jakarta.jms.TransactionRolledBackException;

/** The answer to a commit is lost: Jakarta Messaging has one exception for "it may have been rolled back". */
public final class InDoubtException extends TransactionRolledBackException {
    private static final long serialVersionUID = 1;

    public InDoubtException(String reason, String errorCode) {
        super(reason, errorCode);
    }
}
