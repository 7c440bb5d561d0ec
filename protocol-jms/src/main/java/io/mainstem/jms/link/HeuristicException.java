package io.mainstem.jms.link;

import jakarta.jms.JMSException;

/** An operator has decided a branch in place of its transaction manager, which must hear of it and then forget it. */
public final class HeuristicException extends JMSException {
    private static final long serialVersionUID = 1;

    private final boolean committed;

    /** @param committed what the operator decided */
    public HeuristicException(String reason, String errorCode, boolean committed) {
        super(reason, errorCode);
        this.committed = committed;
    }

    public boolean committed() {
        return committed;
    }
}
