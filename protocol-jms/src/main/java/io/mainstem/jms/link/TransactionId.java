package io.mainstem.jms.link;

/** An open transaction of one {@link Coordinator}. Made by the transport; compared by identity. */
public interface TransactionId {
    /** True if it ended without anybody's doing, with its connection. */
    default boolean isOver() {
        return false;
    }
}
