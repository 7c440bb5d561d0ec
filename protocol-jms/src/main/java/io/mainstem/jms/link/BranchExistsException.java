package io.mainstem.jms.link;

import jakarta.jms.JMSException;

/** A branch of that global id is begun or prepared already at the broker. */
public final class BranchExistsException extends JMSException {
    private static final long serialVersionUID = 1;

    public BranchExistsException(String reason, String errorCode) {
        super(reason, errorCode);
    }
}
