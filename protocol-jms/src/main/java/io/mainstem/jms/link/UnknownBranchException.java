package io.mainstem.jms.link;

import jakarta.jms.JMSException;

/** No branch of that global id is prepared at the broker. */
public final class UnknownBranchException extends JMSException {
    private static final long serialVersionUID = 1;

    public UnknownBranchException(String reason, String errorCode) {
        super(reason, errorCode);
    }
}
