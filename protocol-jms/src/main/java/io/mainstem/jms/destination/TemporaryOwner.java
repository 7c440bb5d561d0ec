package io.mainstem.jms.destination;

import jakarta.jms.IllegalStateException;
import jakarta.jms.JMSException;
import org.jspecify.annotations.Nullable;

/** The connection a temporary destination belongs to. Thread: any. */
public interface TemporaryOwner {
    /**
     * Deletes it at the broker.
     *
     * @throws JMSException if one of the connection's consumers is still open on it (Jakarta Messaging 6.2.2), or the
     *     broker cannot be asked
     */
    void delete(MainstemDestination destination) throws JMSException;

    /** As {@link #delete(MainstemDestination)}, or refuses it for a destination that came with a message. */
    static void deleteOwned(@Nullable TemporaryOwner owner, MainstemDestination destination) throws JMSException {
        if (owner == null) {
            throw new IllegalStateException(
                    "MS-0701 temporary destination " + destination + " belongs to another connection"
                            + "; fix: delete it by the connection that created it",
                    "MS-0701");
        }
        owner.delete(destination);
    }
}
