package io.mainstem.routing;

/** What went wrong, in the model's terms; each head maps it to its protocol's own code. */
public enum ErrorKind {
    NOT_FOUND,
    ALREADY_EXISTS,
    /** Declared before with other properties. */
    PRECONDITION_FAILED,
    /** Another consumer or connection has it exclusively. */
    LOCKED,
    ACCESS_REFUSED,
    INVALID_ARGUMENT,
    NOT_IMPLEMENTED,
    RESOURCE_LIMIT,
    /** The object went away while in use. */
    DELETED,
    /** The transaction was undone, all of it; the text says why. */
    ROLLED_BACK,
    /** The log failed or the broker is stopping; outcome unknown. */
    UNAVAILABLE
}
